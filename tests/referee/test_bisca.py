"""Special rules of bisca: the cut, the exchange, the waiting ace and seven, and the end of a game."""

import itertools
from typing import Any

import pytest

import referee
from referee.games import bisca
from tests.referee.tables import Table, fresh

TABLES = [Table("bisca", seats, {"target": 1}) for seats in bisca.SEATS]


def play(card: str) -> dict[str, Any]:
    return {"type": "play", "card": card}


def position(
    hands: list[str],
    *,
    trick: str = "",
    turned: str = "",
    stock: int = 0,
    won: dict[int, str] | None = None,
    trump: str = "S",
    flipped: str | None = "5S",
    leader: int = 0,
    scores: list[int] | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Return a position of phase play; cards not placed fill the stock, then the first seat's won pile."""
    seats = len(hands)
    zones = {f"hand.{s}": cards.split() for s, cards in enumerate(hands)}
    zones |= {f"won.{s}": (won or {}).get(s, "").split() for s in range(seats)}
    zones |= {"trick": trick.split(), "turned": turned.split()}
    placed = set(itertools.chain(*zones.values()))
    rest = [card for card in bisca.deck(seats, {}) if card not in placed]
    zones["stock"], zones["won.0"] = rest[:stock], zones["won.0"] + rest[stock:]
    return {
        "ruleset": "bisca",
        "version": 1,
        "seats": seats,
        "options": options,
        "phase": "play",
        "to_act": [(leader + len(zones["trick"])) % seats],
        "zones": zones,
        "facts": {"dealer": 0, "leader": leader, "trump": trump, "flipped": flipped},
        "scores": scores or [0] * seats,
        "result": None,
    }


def refused(state: Any, seat: int, move: dict[str, Any]) -> str | None:
    refusal = referee.judge(state, seat, move).refusal
    return refusal.rule if refusal else None


def playable(state: Any, seat: int) -> list[str]:
    return [move.get("card", move["type"]) for move in referee.legal_moves(state, seat)]


def no_chance() -> referee.Scripted:
    return referee.Scripted([])


@pytest.mark.parametrize(("seats", "deepest"), [(2, 39), (3, 38), (4, 39)])
def test_a_cut_lifts_at_least_one_card_and_leaves_one(seats: int, deepest: int):
    state, chance = fresh(Table("bisca", seats, {}), 1)
    cutter = state.to_act[0]
    for at in (-1, 0, deepest + 1, 10**30):
        assert refused(state, cutter, {"type": "cut", "at": at}) == "bisca.cut_depth"
    for at in (1, deepest):
        assert refused(state, cutter, {"type": "cut", "at": at}) is None
    lowest = state.stock[0]
    referee.advance(state, cutter, {"type": "cut", "at": 1}, chance)
    assert state.flipped == lowest


def cut_at_three(stock: list[str], *outcomes: dict[str, Any]) -> Any:
    chance = referee.Scripted([{"pick": 0}, {"shuffle": stock}, *outcomes])
    state, _ = referee.deal("bisca", 4, {}, chance)
    transfers = referee.advance(state, 3, {"type": "cut", "at": 3}, chance)
    return state, transfers


def test_the_lower_packet_goes_on_top_and_hands_are_dealt_one_by_one():
    stock = list(bisca.DECK)
    state, _ = cut_at_three(stock)
    assert state.turned == ["4C"]
    whole = stock[3:] + stock[:2]
    assert state.hand[1] == sorted([whole[0], whole[4], whole[8]])
    assert state.hand[0] == sorted([whole[3], whole[7], whole[11]])
    assert state.stock == whole[12:]


def test_a_flipped_ace_goes_back_where_chance_says_and_only_that_place_is_secret():
    stock = ["2C", "3C", "AD", *[card for card in bisca.DECK if card not in ("2C", "3C", "AD")]]
    state, transfers = cut_at_three(stock, {"pick": 39})
    assert (state.trump, state.flipped, state.turned) == ("H", "AD", [])
    assert state.stock[-1] == "AD"
    again, others = cut_at_three(stock, {"pick": 20})
    assert again.stock != state.stock
    shown = [referee.show_transfers(t, None) for t in (transfers, others)]
    assert shown[0] == shown[1]
    assert referee.view(again, None) == referee.view(state, None)


def test_ace_and_seven_alone_as_last_player_let_the_seven_go_first():
    state = referee.read(position(["3C", "3D", "AS 7S"], trick="5C 5D"))
    assert playable(state, 2) == ["7S"]
    assert refused(state, 2, play("AS")) == "bisca.ace_waits"


def test_the_seven_with_another_card_waits_as_last_and_the_ace_with_it():
    state = referee.read(position(["3C 4C", "3D 4D", "7S AS JC"], trick="5C 5D"))
    assert playable(state, 2) == ["JC"]
    assert refused(state, 2, play("7S")) == "bisca.seven_last"


def test_of_two_players_the_second_may_play_the_seven():
    state = referee.read(position(["3C 4C", "7S 4D 5D"], trick="5C"))
    assert playable(state, 1) == ["4D", "5D", "7S"]


def test_a_last_seven_is_free_and_so_is_a_last_ace_which_may_catch_it():
    state = referee.read(position(["AS", "7S"], scores=[3, 3], target=9))
    assert playable(state, 0) == ["AS"]
    referee.advance(state, 0, play("AS"), no_chance())
    assert playable(state, 1) == ["7S"]
    referee.advance(state, 1, play("7S"), referee.Scripted([{"shuffle": list(bisca.DECK)}]))
    # One for the caught seven and two for the 120 points, because seat 0 has won everything.
    assert state.scores == [6, 3]


def test_a_caught_seven_counts_for_both_partners_at_once():
    state = referee.read(position(["7S 3C", "4C 4D", "AS 3D", "6C 6D"], partners=True, scores=[1, 0, 1, 0]))
    for seat, card in enumerate(["7S", "4C", "AS", "6C"]):
        referee.advance(state, seat, play(card), no_chance())
    assert state.scores == [2, 0, 2, 0]
    assert state.leader == 2


@pytest.mark.parametrize(
    ("tricks", "turned", "flipped", "hand", "rule"),
    [
        (1, "KS", "KS", "2S 4H 5H", "bisca.exchange_time"),
        (3, "KS", "KS", "2S 4H 5H", "bisca.exchange_time"),
        (1, "", None, "2H 4H 5H", "bisca.exchange_time"),
        (2, "", None, "2H 4H 5H", "bisca.exchange_turned"),
        (2, "", "AC", "2S 4H 5H", "bisca.exchange_turned"),
        (2, "KS", "KS", "3S 4H 5H", "bisca.exchange_two"),
        (2, "KS", "KS", "2S 4H 5H", None),
    ],
)
def test_the_exchange_has_its_time_its_card_and_its_holder(
    tricks: int, turned: str, flipped: str | None, hand: str, rule: str | None
):
    state = referee.read(
        position(
            [hand, "3D 4D 6D"],
            turned=turned,
            flipped=flipped,
            trump="S" if flipped else "H",
            stock=34 - 2 * tricks - len(turned.split()),
        )
    )
    assert refused(state, 0, {"type": "exchange"}) == rule
    expected = [play(card) for card in hand.split()] + [{"type": "exchange"}] * (rule is None)
    assert referee.legal_moves(state, 0) == expected


def test_trumps_beat_the_suit_led_and_the_seven_is_second_to_the_ace():
    power = bisca.POWER["S"]["D"]
    order = [rank + suit for suit in "SD" for rank in "A7KJQ65432"]
    assert sorted(bisca.DECK, key=power, reverse=True)[:20] == order
    assert {power(card) for card in bisca.DECK if card[1] in "CH"} == {0}


def test_partners_are_for_four_seats_only():
    for seats in (2, 3):
        with pytest.raises(referee.Malformed, match=r"options\.partners"):
            referee.deal("bisca", seats, {"partners": True}, fresh(Table("bisca", seats, {}), 1)[1])
    assert fresh(Table("bisca", 4, {"partners": True}), 1)[0].options["partners"]


LAST_TRICK: Any = [
    # What seat 0 has won before a worthless last trick, scores before, scores and winners after.
    ("AC AD AH AS 7C 7D 7H 7S KC JC", [3, 3], [5, 3], [0]),  # 91 is worth two
    ("AC AD AH AS 7C 7D 7H 7S KC QC", [0, 0], [1, 0], None),  # 90 is worth one
    ("AC AD AH AS 7C 2C", [0, 0], [0, 1], None),  # 54 lose to 66
    ("AC AD AH AS 7C JC JD 2C", [3, 0], [3, 0], None),  # 60 each: nobody scores
    ("AC AD AH AS 7C 7D", [3, 0], [4, 0], [0]),  # exactly the target
    ("AC AD AH AS 7C 7D", [0, 5], [1, 5], [1]),  # the leader wins although this hand was lost
    ("AC AD AH AS 7C 7D", [4, 5], [5, 5], None),  # equal scores: the game continues
]


@pytest.mark.parametrize(("won", "before", "after", "winners"), LAST_TRICK)
def test_the_hand_is_counted_and_only_a_sole_leader_wins(
    won: str, before: list[int], after: list[int], winners: list[int] | None
):
    others = [card for card in bisca.DECK if card not in [*won.split(), "2H", "3H"]]
    written = position(["2H", "3H"], won={0: won, 1: " ".join(others)}, scores=before)
    state = referee.read(written)
    chance = referee.Scripted([{"shuffle": list(bisca.DECK)}])
    for seat, card in enumerate(["2H", "3H"]):
        referee.advance(state, seat, play(card), chance)
    assert state.scores == after
    assert (state.phase, state.dealer) == (("cut", 1) if winners is None else ("over", 0))
    if winners is not None:
        losers = [seat for seat in (0, 1) if seat not in winners]
        assert state.result == {"winners": winners, "losers": losers, "reason": "target"}


def test_a_handwritten_position_need_only_follow_the_rules():
    """A leader who took no trick, and equal scores above the target, are allowed."""
    state = referee.read(position(["2H 3H", "4H 5H"], leader=1, scores=[9, 9]))
    assert state.to_act == [1]


@pytest.mark.parametrize(
    ("place", "moved", "changes"),
    [
        ("to_act", {}, {"to_act": [1]}),
        ("to_act", {}, {"to_act": []}),
        ("facts.trump", {}, {"trump": "D"}),
        ("facts.trump", {}, {"trump": None}),
        ("facts.trump", {}, {"flipped": "AS"}),
        ("facts.flipped", {}, {"flipped": "8S"}),
        ("facts.leader", {}, {"leader": None}),
        ("zones.turned", {"2S": "turned", "5S": "hand.0"}, {}),
        ("zones.turned", {"KC": "turned", "5S": "stock"}, {}),
        ("zones.turned", {"KC": "turned", "5S": "stock"}, {"flipped": "7H", "trump": "D"}),
        ("zones.turned", {"5S": "stock"}, {}),
        ("zones.hand.0", {"KC": "hand.0", "QC": "won.1"}, {}),
        ("zones.hand.1", {"3C": "stock", "4C": "stock"}, {}),
        ("zones.won.0", {"AC": "won.0", "AD": "won.1"}, {}),
        ("zones.stock", {"AC": "hand.0"}, {}),
        ("zones.trick", {"3C": "trick", "2S": "trick"}, {}),
    ],
)
def test_inconsistent_positions_are_refused_naming_the_place(
    place: str, moved: dict[str, str], changes: dict[str, Any]
):
    written = position(["2S KD KH", "3C 4C 6C"], turned="5S", stock=33)
    assert referee.read(written)
    for card, target in moved.items():
        for cards in written["zones"].values():
            if card in cards:
                cards.remove(card)
        written["zones"][target].append(card)
    for name, value in changes.items():
        (written if name in written else written["facts"])[name] = value
    with pytest.raises(referee.Malformed) as error:
        referee.read(written)
    assert error.value.place == place


def test_the_two_of_trump_lies_turned_up_from_trick_three_on():
    for tricks, fits in ((0, False), (1, False), (2, True), (3, True)):
        written = position(["5S KD KH", "3C 4C 6C"], turned="2S", stock=33 - 2 * tricks)
        if fits:
            assert referee.read(written)
        else:
            with pytest.raises(referee.Malformed, match=r"zones\.turned"):
                referee.read(written)


def test_a_finished_game_has_every_card_won():
    written = position(["2H", "3H"], stock=0, scores=[4, 0])
    written |= {"phase": "over", "to_act": [], "result": {"winners": [0], "losers": [1], "reason": "target"}}
    with pytest.raises(referee.Malformed, match=r"zones\.hand\.0"):
        referee.read(written)
    written["zones"] |= {"hand.0": [], "hand.1": [], "won.1": ["2H", "3H"]}
    assert referee.read(written)


def test_before_the_cut_nothing_is_known_and_the_deck_is_whole():
    state, _ = fresh(Table("bisca", 3, {}), 1)
    written = referee.dump(state)
    for place, change in (
        ("facts.trump", {"facts": written["facts"] | {"trump": "H"}}),
        ("facts.leader", {"facts": written["facts"] | {"leader": 0}}),
        ("to_act", {"to_act": [state.dealer]}),
        ("zones.stock", {"zones": written["zones"] | {"stock": state.stock[3:], "won.0": state.stock[:3]}}),
    ):
        with pytest.raises(referee.Malformed) as error:
            referee.read(written | change)
        assert error.value.place == place
