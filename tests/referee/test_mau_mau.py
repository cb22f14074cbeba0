"""Mau-Mau: the list compared with every play, special cards, debts, the race, handwritten positions."""

from typing import Any

import pytest

import referee
from referee.cards import by_rank
from referee.games import mau_mau

ORDER = by_rank()
BARE = [{"type": name} for name in ("draw", "take", "pass", "thumb", "announce")]


def position(hands: list[str], pile: str, stock: str | None = None, **changes: Any) -> dict[str, Any]:
    """Return a position, seat 0 to act; other cards are the stock or, if `stock` is given, below the pile."""
    zones = {f"hand.{seat}": cards.split() for seat, cards in enumerate(hands)} | {"pile": pile.split()}
    lying = {card for cards in zones.values() for card in cards}
    rest = [card for card in mau_mau.DECK if card not in lying]
    zones["stock"] = rest if stock is None else stock.split()
    if stock is not None:
        zones["pile"] = [card for card in rest if card not in zones["stock"]] + zones["pile"]
    data: dict[str, Any] = {
        "ruleset": "mau_mau", "version": 1, "seats": len(hands), "options": {},
        "phase": "play", "to_act": [0], "zones": zones, "scores": [0] * len(hands), "result": None,
        "facts": {"dealer": 0, "turn": 0, "direction": 1, "drawn": False, "attack": None, "pending": 0,
                  "suit": None, "announce_due": [], "thumbs": []},
    }  # fmt: skip
    for key, value in changes.items():
        (data["facts"] if key in data["facts"] else data)[key] = value
    return data


def at(hands: list[str], pile: str, stock: str | None = None, **changes: Any) -> Any:
    return referee.read(position(hands, pile, stock, **changes))


def lay(cards: str, **more: Any) -> dict[str, Any]:
    return {"type": "play", "cards": cards.split(), **more}


def make(state: Any, seat: int, move: dict[str, Any]) -> Any:
    assert referee.judge(state, seat, move).legal, (seat, move)
    referee.advance(state, seat, move, referee.Seeded.from_seed(b"\0", [""] * state.seats))
    return state


def rule(state: Any, seat: int, move: dict[str, Any]) -> str:
    refusal = referee.judge(state, seat, move).refusal
    assert refusal is not None, move
    return refusal.rule


def reason(state: Any, seat: int, move: dict[str, Any]) -> str:
    refusal = referee.judge(state, seat, move).refusal
    assert refusal is not None, move
    return refusal.reason


def test_the_largest_list_of_the_rules_is_reached_with_four_aces():
    hand = "AC AD AH AS 9C TC"
    state = at([hand, "2C"], "KH", options={"ace_wild": True})
    aces = [move for move in referee.legal_moves(state, 0) if move.get("suit")]
    assert len(aces) == 4 * (4 * 1 + 6 * 2 + 4 * 3 + 1 * 4)
    assert [move["suit"] for move in aces[:4]] == ["C", "D", "H", "S"]
    assert len(referee.legal_moves(at([hand, "2C"], "KH"), 0)) == 4 * (1 + 3 * 2 + 3 * 3 + 4) + 1


def test_announcing_is_listed_right_behind_each_play_that_leaves_one_card():
    moves = referee.legal_moves(at(["AC 5D", "2C"], "KC"), 0)
    assert moves[:4] == [
        lay("AC", suit="C"),
        lay("AC", suit="C", announce=True),
        lay("AC", suit="D"),
        lay("AC", suit="D", announce=True),
    ]


# --- plays ------------------------------------------------------------------------------------------


def test_refusals_come_in_the_order_of_the_rules():
    state = at(["9C 5D 5H AC", "2C 3D"], "8S", options={"must_play": True})
    assert rule(state, 1, lay("9C")) == "common.not_held"
    assert rule(state, 1, lay("2C 2C")) == "common.not_held"
    assert rule(state, 1, lay("2C 3D")) == "mau_mau.turn"
    assert rule(state, 0, lay("9C 5D", suit="C")) == "mau_mau.same_rank"
    assert rule(state, 0, lay("9C", suit="C", announce=True)) == "mau_mau.fits"
    assert rule(at(["AC", "2C"], "KC"), 0, lay("AC")) == "mau_mau.last_card"
    assert rule(at(["AC 9D", "2C"], "KC"), 0, lay("AC")) == "mau_mau.suit"
    assert rule(at(["9C 9D", "2C"], "KC"), 0, lay("9C", suit="C", announce=True)) == "mau_mau.suit"
    assert rule(at(["9C 9D", "2C"], "KC"), 0, lay("9C 9D", announce=True)) == "mau_mau.announce"
    attacked = at(["9C TH", "2C"], "5H", attack="5H", pending=5)
    assert rule(attacked, 0, lay("9C", suit="C")) == "mau_mau.attack"
    assert rule(attacked, 0, {"type": "draw"}) == "mau_mau.attack"
    assert rule(attacked, 0, {"type": "pass"}) == "mau_mau.attack"
    assert rule(state, 0, {"type": "take"}) == "mau_mau.take"
    assert rule(state, 1, {"type": "take"}) == "mau_mau.turn"
    assert rule(state, 0, {"type": "thumb"}) == "common.unknown_move"
    assert rule(state, 0, {"type": "catch", "seat": 2}) == "common.unknown_move"
    assert rule(state, 0, {"type": "catch", "seat": 0}) == "mau_mau.catch"


def test_reasons_name_the_cards_they_rest_on():
    state = at(["9C 5D", "2C"], "8S")
    assert (
        reason(state, 0, lay("9C"))
        == "the eight of spades on the pile asks for its rank or spades; the nine of clubs will not do"
    )
    mixed = reason(at(["9C 5D 9D", "2C"], "8S"), 0, lay("9C 5D 9D"))
    assert mixed == "the five of diamonds is not of the rank of the nine of diamonds"
    called = at(["9C 5D", "2C"], "AS", suit="H")
    assert "ace of spades on the pile asks for its rank or hearts" in reason(called, 0, lay("9C"))
    attacked = at(["9C 5D", "2C"], "5H", attack="5H", pending=5)
    assert "answered with ten of hearts, or 5 cards are taken" in reason(attacked, 0, lay("9C"))
    assert "answered with nothing" in reason(at(["9C", "2C"], "KH", attack="KH", pending=25), 0, lay("9C"))
    assert "you can play the nine of clubs" in reason(at(["9C", "2C"], "9S"), 0, {"type": "draw"})


def test_one_fitting_card_anywhere_carries_the_play_and_a_called_suit_replaces_the_aces_own():
    make(at(["9C 9D 2H", "2C"], "KC"), 0, lay("9C 9D"))
    called = at(["9C 9D AH 4S", "2C"], "AS", suit="D")
    assert rule(called, 0, lay("4S")) == "mau_mau.fits"
    for play in (lay("9D"), lay("9D 9C"), lay("AH", suit="S")):
        make(at(["9C 9D AH 4S", "2C"], "AS", suit="D"), 0, play)
    assert make(called, 0, lay("9D")).suit is None


@pytest.mark.parametrize(
    ("seats", "cards", "turn", "direction"),
    [
        (4, "JC", 3, -1),
        (4, "JC JD", 1, 1),
        (2, "JC", 0, -1),
        (2, "JC JD", 1, 1),
        (4, "8C", 2, 1),
        (4, "8C 8D 8H", 0, 1),
        (4, "8C 8D 8H 8S", 1, 1),
        (2, "8C", 0, 1),
        (2, "8C 8D", 1, 1),
        (3, "9C", 1, 1),
    ],
)
def test_the_turn_goes_to(seats: int, cards: str, turn: int, direction: int):
    state = make(at([f"{cards} 3D 4D", *["2C", "3H", "4H"][: seats - 1]], "KC"), 0, lay(cards))
    assert (state.turn, state.direction, state.to_act) == (turn, direction, [turn])


@pytest.mark.parametrize(
    ("before", "cards", "after"),
    [
        ((None, 0), "2C", ("2", 2)),
        ((None, 0), "2D 2C", ("2", 4)),
        (("2", 4), "2D 2C", ("2", 8)),
        (("2", 8), "2D", ("2", 8)),
        ((None, 0), "5C 5H", ("5H", 5)),
        (("5H", 5), "TH TC", ("TH", 10)),
        (("TH", 10), "KH", ("KH", 25)),
        ((None, 0), "TC TH", (None, 0)),
        ((None, 0), "KC KH", (None, 0)),
    ],
)
def test_attacks(before: tuple[str | None, int], cards: str, after: tuple[str | None, int]):
    top = {None: "9C", "2": "2S", "5H": "5D", "TH": "TD"}[before[0]]
    state = at([f"{cards} 3D 4D", "7C 7D"], top, attack=before[0], pending=before[1])
    make(state, 0, lay(cards))
    assert (state.attack, state.pending) == after


@pytest.mark.parametrize(
    ("attack", "pending", "top", "answers"),
    [
        ("2", 2, "2S", {"2C", "2H"}),
        ("5H", 5, "5H", {"TH", "TD TH", "TH TD"}),
        ("TH", 10, "TH", {"KH"}),
        ("KH", 25, "KH", set()),
    ],
)
def test_only_the_answer_stops_an_attack(attack: str, pending: int, top: str, answers: set[str]):
    hand = "2C 2H TD TH KH KD AS 5D".replace(top, "")
    state = at([hand, "7C 7D"], top, attack=attack, pending=pending, options={"ace_wild": True})
    listed = {" ".join(move["cards"]) for move in referee.legal_moves(state, 0) if move["type"] == "play"}
    assert answers <= listed
    assert all(set(cards.split()) & set(" ".join(answers).split()) for cards in listed)


def test_taking_draws_what_is_there_and_ends_the_attack_and_the_turn():
    state = at(["9C", "7C 7D"], "3C KH", stock="AC AD", attack="KH", pending=25)
    below = len(state.pile) - 1
    make(state, 0, {"type": "take"})
    assert (state.attack, state.pending, state.turn, state.drawn) == (None, 0, 1, False)
    assert len(state.hand[0]) == 1 + 25
    assert (len(state.stock), state.pile) == (2 + below - 25, ["KH"])
    hands = ["9C", " ".join(card for card in mau_mau.DECK if card not in {"9C", "KH", "AC", "AD"})]
    state = make(at(hands, "KH", stock="AC AD", attack="KH", pending=25), 0, {"type": "take"})
    assert (state.hand[0], state.stock) == (["9C", "AC", "AD"], [])


@pytest.mark.parametrize(
    ("attack", "pending", "top", "hand", "over"),
    [
        (None, 0, "9C", "TC", True),
        (None, 0, "9C", "KC", True),
        (None, 0, "9H", "TH", True),
        ("5H", 5, "5H", "TH", False),
        ("5H", 5, "5H", "TH TD", True),
        ("5H", 5, "5H", "TD TH", False),
        ("TH", 10, "TH", "KH", False),
        (None, 0, "9H", "5H", False),
        (None, 0, "9H", "5H 5D", True),
        (None, 0, "9C", "3C", False),
        (None, 0, "9C", "3C 3D", True),
        (None, 0, "9C", "JC", False),
        (None, 0, "9C", "8C", False),
        (None, 0, "9C", "2C", False),
        (None, 0, "9C", "6C", False),
    ],
)
def test_a_special_card_may_not_lie_on_top_of_the_last_play(
    attack: str | None, pending: int, top: str, hand: str, over: bool
):
    state = at([hand, "7C 7D"], top, attack=attack, pending=pending)
    if not over:
        assert rule(state, 0, lay(hand)) == "mau_mau.last_card"
        return
    make(state, 0, lay(hand))
    assert (state.phase, state.attack, state.pending, state.turn, state.thumbs) == ("over", None, 0, 0, [])
    assert state.scores == [1, 0]
    assert state.result == {"winners": [0], "losers": [1], "reason": "out_of_cards"}
    referee.read(referee.dump(state))


# --- drawing, passing, debts, talk, the race --------------------------------------------------------


def test_who_can_play_must_until_she_has_drawn():
    state = at(["9C 4D", "7C 7D"], "KC")
    assert rule(state, 0, {"type": "draw"}) == "mau_mau.must_play"
    assert rule(state, 0, {"type": "pass"}) == "mau_mau.pass"
    state = at(["9C 4D", "7C 7D"], "KC", drawn=True)
    assert rule(state, 0, {"type": "draw"}) == "mau_mau.draw"
    make(state, 0, {"type": "pass"})
    assert (state.turn, state.drawn) == (1, False)


def test_with_nothing_to_draw_one_passes_unless_one_must_play():
    rest = " ".join(card for card in mau_mau.DECK if card not in {"9C", "4D", "KC"})
    for options, passing in (({}, "mau_mau.must_play"), ({"must_play": False}, None)):
        state = at(["9C 4D", rest], "KC", options=options)
        assert rule(state, 0, {"type": "draw"}) == "mau_mau.draw"
        if passing:
            assert rule(state, 0, {"type": "pass"}) == passing
        else:
            make(state, 0, {"type": "pass"})
    rest = rest.replace("3D", "9C")
    make(at(["3D 4D", rest], "KC"), 0, {"type": "pass"})


def test_the_stock_is_renewed_only_when_a_card_is_due():
    state = make(at(["4D 4H", "7C 7D"], "KC", stock="9S"), 0, {"type": "draw"})
    assert (state.stock, len(state.pile)) == ([], 52 - 5)
    state = make(state, 0, {"type": "pass"})
    chance = referee.Scripted([{"shuffle": sorted(state.pile[:-1])}])
    referee.advance(state, 1, {"type": "draw"}, chance)
    assert (state.hand[1][0], state.pile, len(state.stock)) == ("2C", ["KC"], 52 - 5 - 2)


def test_a_last_card_is_announced_or_caught():
    state = make(at(["9C 4D", "7C 7D", "8D 8H"], "KC"), 0, lay("9C"))
    assert state.announce_due == [0]
    assert rule(state, 0, {"type": "catch", "seat": 0}) == "mau_mau.catch"
    assert rule(state, 1, {"type": "announce"}) == "mau_mau.announce"
    make(state, 2, {"type": "catch", "seat": 0})
    assert (state.announce_due, len(state.hand[0]), state.turn) == ([], 2, 1)
    assert rule(state, 1, {"type": "catch", "seat": 0}) == "mau_mau.catch"
    assert make(at(["9C 4D", "7C 7D"], "KC"), 0, lay("9C", announce=True)).announce_due == []
    assert make(at(["9C 4D", "7C 7D"], "KC"), 0, lay("9C", announce=False)).announce_due == [0]
    assert make(at(["4D", "7C 7D"], "KC", announce_due=[0]), 0, {"type": "announce"}).announce_due == []
    assert make(at(["4D", "7C 7D"], "KC", announce_due=[0]), 0, {"type": "draw"}).announce_due == []
    assert make(at(["4D", "7C 7D"], "4C", announce_due=[0]), 0, lay("4D")).result is not None


def test_a_catch_settles_the_debt_even_where_no_card_is_left_to_draw():
    rest = " ".join(card for card in mau_mau.DECK if card not in {"9C", "KC"})
    state = make(at(["9C", rest], "KC", announce_due=[0]), 1, {"type": "catch", "seat": 0})
    assert (state.hand[0], state.announce_due) == (["9C"], [])


@pytest.mark.parametrize(
    ("top", "finger", "penalty"),
    [("6C", {}, 1), ("6C", {"finger": False}, 1), ("6C", {"finger": True}, 0), ("7S", {}, 0)],
)
def test_talking_under_a_six_costs_a_card_without_a_finger(top: str, finger: dict[str, bool], penalty: int):
    state = make(at(["9C", "7C"], top, announce_due=[1]), 1, {"type": "say", "text": "x" * 500, **finger})
    assert (len(state.hand[1]), state.announce_due, state.turn) == (1 + penalty, [1][penalty:], 0)
    assert rule(state, 1, {"type": "say", "text": ""}) == "common.unknown_move"
    assert rule(state, 1, {"type": "say", "text": "x" * 501}) == "common.unknown_move"


def test_the_last_thumb_draws_and_the_turn_goes_on():
    state = make(at(["3C 3D 4D", "7C 7D", "8D 8H"], "KC"), 0, lay("3C 3D"))
    assert (state.phase, state.to_act, state.turn, state.announce_due) == ("thumbs", [0, 1, 2], 1, [0])
    assert rule(state, 1, lay("7D")) == "common.unknown_move"
    make(state, 2, {"type": "thumb"})
    assert rule(state, 2, {"type": "thumb"}) == "mau_mau.thumb"
    assert (state.thumbs, state.to_act) == ([2], [0, 1])
    referee.read(referee.dump(state))
    make(state, 1, {"type": "thumb"})
    assert (state.phase, state.thumbs, state.to_act, len(state.hand[0])) == ("play", [], [1], 2)
    assert state.announce_due == []


# --- positions by hand ------------------------------------------------------------------------------

HANDS = ["4D", "7C 7D", "8D 8H"]
WON = {"winners": [0], "losers": [1, 2], "reason": "out_of_cards"}
OVER: dict[str, Any] = {"phase": "over", "to_act": [], "scores": [1, 0, 0], "result": WON}
GONE = ["", "7C 7D", "8D 8H"]
RACE: dict[str, Any] = {"phase": "thumbs", "to_act": [0, 1, 2]}
GOOD = {
    "plain": position(HANDS, "KC"),
    "drawn": position(HANDS, "KC", drawn=True),
    "suit": position(HANDS, "AC", suit="H"),
    "ace without suit": position(HANDS, "AC"),
    "attack by rank alone": position(HANDS, "5C", attack="5H", pending=5),
    "debt": position(HANDS, "KC", announce_due=[0]),
    "race": position(HANDS, "3C 3D", **RACE | {"thumbs": [2], "to_act": [0, 1]}),
    "over": position(GONE, "KC", **OVER),
}
BAD = {
    "zones.pile": position(HANDS, ""),
    "zones": position(["", "7C 7D", "8D 8H"], "KC"),
    "zones ": position(["", "", "8D 8H"], "KC", **OVER),
    "zones  ": position(HANDS, "KC", **OVER),
    "facts.suit": position(HANDS, "KC", suit="H"),
    "facts.pending": position(HANDS, "2C", attack="2", pending=3),
    "facts.pending ": position(HANDS, "2C", pending=2),
    "facts.attack": position(HANDS, "3C", attack="2", pending=2),
    "facts.attack ": position(HANDS, "2C", attack="2", pending=2, drawn=True),
    "facts.attack  ": position(HANDS, "3C", **RACE | {"attack": "5H", "pending": 5}),
    "facts.attack   ": position(GONE, "2C", **OVER | {"attack": "2", "pending": 2}),
    "facts.announce_due": position(HANDS, "KC", announce_due=[1]),
    "facts.announce_due ": position(["4D", "7C", "8D 8H"], "KC", announce_due=[1, 0]),
    "facts.announce_due  ": position(HANDS, "KC", announce_due=[0, 0]),
    "facts.thumbs": position(HANDS, "KC", thumbs=[1]),
    "facts.thumbs ": position(HANDS, "3C", **RACE | {"thumbs": [1, 2], "to_act": [0]}),
    "facts.thumbs  ": position(HANDS, "3C", **RACE | {"thumbs": [1, 1], "to_act": [0, 2]}),
    "facts.thumbs   ": position(GONE, "3C", **OVER | {"thumbs": [1]}),
    "phase": position(HANDS, "3D", **RACE),
    "phase ": position(HANDS, "3C 4C", **RACE),
    "phase  ": position(HANDS, "3C", **RACE | {"drawn": True}),
    "to_act": position(HANDS, "KC", to_act=[1]),
    "to_act ": position(HANDS, "3C", **RACE | {"thumbs": [1]}),
    "to_act  ": position(GONE, "KC", **OVER | {"to_act": [0]}),
    "scores": position(HANDS, "KC", scores=[1, 0, 0]),
    "scores ": position(GONE, "KC", **OVER | {"scores": [0, 1, 0]}),
    "facts.turn": position(GONE, "KC", **OVER | {"turn": 1}),
    "facts.turn ": position(GONE, "KC", **OVER | {"drawn": True}),
    "result": position(GONE, "KC", **OVER | {"result": WON | {"winners": [1]}}),
    "result.reason": position(GONE, "KC", **OVER | {"result": WON | {"reason": "target"}}),
}


@pytest.mark.parametrize("name", GOOD)
def test_a_position_written_by_hand_is_read(name: str):
    assert referee.dump(referee.read(GOOD[name]))["facts"] == GOOD[name]["facts"]


@pytest.mark.parametrize("name", BAD)
def test_an_inconsistent_position_is_refused_naming_the_place(name: str):
    with pytest.raises(referee.Malformed) as refusal:
        referee.read(BAD[name])
    assert refusal.value.place == name.strip()


@pytest.mark.parametrize("bot", ["cautious", "skilled-1"])
def test_a_bot_says_nothing_where_that_can_cost_a_card(bot: str):
    state = at(["2S", "3S"], "KC")
    assert [move["type"] for move in referee.legal_moves(state, 0)] != ["say"]
    for seq in range(1, 9):
        assert referee.bot_move(bot, state, 0, referee.bots.bot_numbers(b"k", seq), 40)["type"] != "say"
