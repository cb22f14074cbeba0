"""Special rules of pedro: bids in turn, the left pedro, the shrinking stock, made and failed bids."""

import itertools
from typing import Any

import pytest

import referee
import referee.records
from api.features.stateless import questions
from referee.cards import SUITS
from referee.cli import stdio
from referee.games import pedro
from tests.referee.tables import Table, fresh

TABLE = Table("pedro", 4, {"target": 5, "defenders_score": True})


def play(card: str) -> dict[str, Any]:
    return {"type": "play", "card": card}


def discard(cards: str) -> dict[str, Any]:
    return {"type": "discard", "cards": cards.split()}


def position(
    phase: str,
    hands: list[str],
    zones: dict[str, str] | None = None,
    *,
    bids: list[int | None] | None = None,
    declarer: int | None = 0,
    trump: str | None = "H",
    leader: int | None = None,
    to_act: int | None = 0,
    scores: list[int] | None = None,
    result: Any = None,
    **options: Any,
) -> dict[str, Any]:
    """Return a position with dealer 3; cards not placed are stock before play, and aside from then on."""
    names = [f"{name}.{s}" for name in ("hand", "discards", "points", "tricks") for s in range(4)]
    placed = dict.fromkeys([*names, "trick", "stock", "aside"], "")
    placed |= {f"hand.{s}": cards for s, cards in enumerate(hands)} | (zones or {})
    laid = {name: cards.split() for name, cards in placed.items()}
    rest = [card for card in pedro.DECK if card not in itertools.chain(*laid.values())]
    laid["aside" if phase in ("play", "over") else "stock"] += rest
    return {
        "ruleset": "pedro",
        "version": 1,
        "seats": 4,
        "options": options,
        "phase": phase,
        "to_act": [] if to_act is None else [to_act],
        "zones": laid,
        "facts": {
            "dealer": 3,
            "bids": bids or [9, 0, 0, 0],
            "declarer": declarer,
            "trump": trump,
            "leader": leader,
        },
        "scores": scores or [0] * 4,
        "result": result,
    }


NINES = [
    "2C 3C KC 4D 5D QD JH AH 9S",
    "JC AC 8D TH KH 2S 3S 4S 5S",
    "4C 5C 6C JD AD 5H 9H QH TS",
    "TC QC 2D 2H 7H 8H 6S 7S 8S",
]
THROWN = {
    "discards.0": "9S TS JS",
    "discards.1": "6S 7S 8S",
    "discards.2": "3S 4S 5S",
    "discards.3": "QS KS AS",
}
LAST = {
    **THROWN,
    "points.0": "5H AH",
    "points.2": "TH JH",
    "points.3": "5D 2H",
    "tricks.0": "4C 5C 6C 7C 8C 9C",
    "tricks.2": "JC QC KC 2D 3D 4D",
    "tricks.3": "6D 7D",
}
LAST_HANDS = ["2C", "3C", "AC", "TC"]  # with LAST seats 0 and 2 have 8 points, 1 and 3 have 6


def last_trick(**facts: Any) -> Any:
    return referee.read(position("play", LAST_HANDS, LAST, leader=0, **facts))


def finish(state: Any) -> None:
    chance = referee.Scripted([{"shuffle": list(pedro.DECK)}])
    for seat, card in enumerate(LAST_HANDS):
        referee.advance(state, seat, play(card), chance)


def refused(state: Any, seat: int, move: dict[str, Any]) -> str | None:
    refusal = referee.judge(state, seat, move).refusal
    return refusal.rule if refusal else None


def hands_after(first: str) -> list[str]:
    """Deal the first seat these nine cards, and the others the next cards of the deck."""
    rest = [card for card in pedro.DECK if card not in first.split()]
    return [first, *(" ".join(rest[i : i + 9]) for i in (0, 9, 18))]


def test_the_largest_list_is_every_set_of_three_to_nine_of_nine_cards():
    state = referee.read(position("discard", hands_after("3C 4C 6C 7C 8C 9C 3D 4D 6D")))
    moves = referee.legal_moves(state, 0)
    assert len(moves) == 466
    assert moves[0] == discard("3C 4C 6C")
    assert moves[-1] == discard("3C 4C 6C 7C 8C 9C 3D 4D 6D")
    assert not isinstance(moves, list)  # no set is created before it is read


def test_the_command_and_the_api_write_the_largest_list_out():
    laid = position("discard", hands_after("3C 4C 6C 7C 8C 9C 3D 4D 6D"))
    listed = [*referee.legal_moves(referee.read(laid), 0)]
    assert stdio.legal({"position": laid, "seat": 0}) == {"legal": listed}
    assert questions.legal_moves(laid, 0) == {"ruleset": "pedro", "moves": listed, "complete": True}


def test_six_scoring_trumps_leave_three_cards_to_throw():
    state = referee.read(position("discard", hands_after("2H 5H TH JH AH 5D 2C 3C 4C")))
    assert [*referee.legal_moves(state, 0)] == [discard("2C 3C 4C")]


def test_every_seat_speaks_and_passing_goes_on_after_fourteen():
    state = referee.read(
        position("bid", NINES, bids=[14, None, None, None], declarer=None, trump=None, to_act=1)
    )
    for seat in (1, 2, 3):
        assert referee.legal_moves(state, seat) == [{"type": "pass"}]
        referee.advance(state, seat, {"type": "pass"}, referee.Scripted([]))
    assert (state.phase, state.declarer, state.bids) == ("declare", 0, [14, 0, 0, 0])


def test_a_bid_out_of_range_is_not_called_too_low():
    state = referee.read(
        position("bid", NINES, bids=[6, None, None, None], declarer=None, trump=None, to_act=1)
    )
    rules = {
        points: refused(state, 1, {"type": "bid", "points": points}) for points in (-1, 0, 1, 6, 7, 14, 15)
    }
    assert rules == {
        -1: "pedro.bid_range",
        0: "pedro.bid_range",
        1: "pedro.bid_higher",
        6: "pedro.bid_higher",
        7: None,
        14: None,
        15: "pedro.bid_range",
    }


@pytest.mark.parametrize(
    ("cards", "rule"),
    [
        ("XX AH", "common.not_held"),
        ("AH AH", "common.not_held"),
        ("AH 5D", "pedro.discard_scoring"),
        ("2C 3C", "pedro.discard_three"),
        ("2C 3C KC 4D QD 9S", None),
    ],
)
def test_discards_are_refused_in_order(cards: str, rule: str | None):
    state = referee.read(position("discard", NINES))
    assert refused(state, 0, discard(cards)) == rule


def test_a_long_list_of_cards_is_refused_at_once():
    state = referee.read(position("discard", NINES))
    assert refused(state, 0, {"type": "discard", "cards": ["2C"] * 10_000}) == "common.not_held"


def test_the_order_of_discards_reveals_nothing():
    ends = []
    for cards in ("9S QD 2C", "2C 9S QD"):
        state = referee.read(position("discard", NINES))
        transfers = referee.advance(state, 0, discard(cards), referee.Scripted([]))
        ends.append(
            (referee.dump(state), transfers, referee.records.account(state, discard(cards), transfers, 0))
        )
    assert ends[0] == ends[1]
    assert ends[0][2][0]["move"] == discard("2C QD 9S")


def test_what_others_will_draw_limits_the_last_discard():
    """The others discard 9, 9 and 6 cards: 15 of the 16 cards are claimed, so one beyond three may go."""
    hands = ["", "", "2H 5H TH", "2C 3C 4C 5C 6C 7C 8C 9C TC"]
    thrown = {
        "discards.0": "3D 4D 6D 7D 8D 9D TD JD QD",
        "discards.1": "3S 4S 5S 6S 7S 8S 9S TS JS",
        "discards.2": "KD AD JC QC KC AC",
    }
    state = referee.read(position("discard", hands, thrown, to_act=3))
    assert {len(move["cards"]) for move in referee.legal_moves(state, 3)} == {3, 4}
    assert refused(state, 3, discard("2C 3C 4C 5C 6C")) == "pedro.stock_limit"
    stock = list(state.stock)
    referee.advance(state, 3, discard("2C 3C 4C 5C"), referee.Scripted([]))
    assert [sorted(state.hand[s]) for s in (0, 1)] == [sorted(stock[:6]), sorted(stock[6:12])]
    assert (len(state.stock), len(state.aside)) == (0, 0)
    assert [len(hand) for hand in state.hand] == [6] * 4


@pytest.mark.parametrize(("trump", "left"), [("C", "5S"), ("S", "5C"), ("D", "5H"), ("H", "5D")])
def test_trumps_rank_from_the_ace_to_the_two_with_the_left_pedro_under_the_right(trump: str, left: str):
    order = [*(rank + trump for rank in "AKQJT9876"), "5" + trump, left, *(rank + trump for rank in "432")]
    for suit in SUITS:
        power = pedro.LEADS[trump][suit].power
        assert sorted(pedro.DECK, key=power, reverse=True)[:14] == order
        if suit != trump:
            plain = [rank + suit for rank in "AKQJT98765432" if rank + suit != left]
            assert sorted(pedro.DECK, key=power, reverse=True)[14 : 14 + len(plain)] == plain
    assert sum(pedro.VALUES[card[0]] for card in pedro.SCORING[trump]) == 14


def test_the_left_pedro_led_asks_for_trumps():
    hands = ["2C 3C 4C 6C 7C", "5C 3D 4D 3H KC", "6D 7D 8D 9D TD", "AC QC JC TC 9C 5D"]
    zones = {**THROWN}
    written = position("play", hands, zones, leader=3, declarer=3, bids=[0, 0, 0, 9], to_act=3)
    for seat, card in ((0, "2S"), (1, "8C"), (2, "JD")):
        written["zones"]["aside"].remove(card)
        written["zones"][f"hand.{seat}"].append(card)
    state = referee.read(written)
    referee.advance(state, 3, play("5D"), referee.Scripted([]))
    referee.advance(state, 0, play("2C"), referee.Scripted([]))
    assert referee.legal_moves(state, 1) == [play("3H")]
    refusal = referee.judge(state, 1, play("3D")).refusal
    assert refusal is not None
    assert refusal.rule == "pedro.follow"
    assert "five of diamonds" in refusal.reason
    assert "three of hearts" in refusal.reason


MADE, FAILED = [8, 0, 0, 0], [9, 0, 0, 0]


@pytest.mark.parametrize(
    ("bids", "before", "options", "after", "winners"),
    [
        (MADE, [0, 0], {}, [8, 0], None),
        (MADE, [0, 0], {"defenders_score": True}, [8, 6], None),
        (FAILED, [0, 0], {"defenders_score": True}, [0, 9], None),
        (MADE, [42, 49], {}, [50, 49], [0, 2]),
        (FAILED, [49, 41], {}, [49, 50], [1, 3]),
        (MADE, [44, 44], {"defenders_score": True}, [52, 50], [0, 2]),
        (MADE, [0, 44], {"defenders_score": True}, [8, 50], [1, 3]),
        (MADE, [0, 0], {"target": 6, "defenders_score": True}, [8, 6], [0, 2]),
    ],
)
def test_bids_made_and_failed_and_who_wins(
    bids: list[int | None],
    before: list[int],
    options: dict[str, Any],
    after: list[int],
    winners: list[int] | None,
):
    state = last_trick(bids=bids, scores=before * 2, **options)
    finish(state)
    assert state.scores == after * 2
    if winners is None:
        assert (state.phase, state.dealer, state.to_act) == ("cut", 0, [3])
    else:
        losers = [seat for seat in range(4) if seat not in winners]
        assert state.result == {"winners": winners, "losers": losers, "reason": "target"}
        assert referee.dump(referee.read(referee.dump(state))) == referee.dump(state)


def test_where_both_reach_the_target_the_declarers_win_even_with_less():
    written = position("play", LAST_HANDS, LAST, leader=0, bids=[0, 6, 0, 0], declarer=1)
    written |= {"options": {"defenders_score": True}, "scores": [48, 44, 48, 44]}
    state = referee.read(written)
    finish(state)
    assert state.scores == [56, 50, 56, 50]
    assert state.result["winners"] == [1, 3]


def broken(phase: str, **changes: Any) -> dict[str, Any]:
    """Take a valid position of this phase, then change facts, other parts or the zones of cards."""
    if phase in ("play", "over"):
        written = position(phase, LAST_HANDS, LAST, leader=0, bids=MADE)
    elif phase == "discard":
        written = position(phase, NINES)
    elif phase == "declare":
        written = position(phase, NINES, trump=None)
    else:
        written = position("bid", NINES, bids=[None] * 4, declarer=None, trump=None)
    if phase == "over":
        written |= {"to_act": [], "scores": [50, 0, 50, 0]}
        written["result"] = {"winners": [0, 2], "losers": [1, 3], "reason": "target"}
        for seat, card in enumerate(LAST_HANDS):
            written["zones"][f"hand.{seat}"] = []
            written["zones"]["tricks.2"].append(card)
    for name, value in changes.items():
        if name in written["facts"]:
            written["facts"][name] = value
        elif name in written:
            written[name] = value
        else:
            for cards in written["zones"].values():
                if name in cards:
                    cards.remove(name)
            written["zones"][value].append(name)
    return written


@pytest.mark.parametrize("phase", ["bid", "declare", "discard", "play", "over"])
def test_the_positions_that_are_changed_below_are_valid(phase: str):
    assert referee.read(broken(phase)).phase == phase


@pytest.mark.parametrize(
    ("place", "phase", "changes"),
    [
        ("scores", "bid", {"scores": [1, 2, 3, 2]}),
        ("to_act", "bid", {"to_act": [3]}),
        ("to_act", "bid", {"bids": [3, None, None, None]}),
        ("facts.bids", "bid", {"bids": [None, 3, None, None], "to_act": [1]}),
        ("facts.bids", "bid", {"bids": [3, 0, 0, 0]}),
        ("facts.declarer", "bid", {"declarer": 0}),
        ("facts.trump", "bid", {"trump": "H"}),
        ("facts.leader", "discard", {"leader": 0}),
        ("facts.trump", "discard", {"trump": None}),
        ("facts.declarer", "discard", {"declarer": None}),
        ("facts.declarer", "discard", {"declarer": 1}),
        ("facts.declarer", "declare", {"bids": [0, 0, 0, 0]}),
        ("facts.bids", "declare", {"bids": [9, 0, 0, None]}),
        ("to_act", "declare", {"to_act": [1]}),
        ("zones.stock", "bid", {"2C": "stock"}),
        ("zones.hand.0", "bid", {"2C": "hand.1"}),
        ("zones.hand.0", "bid", {"2C": "aside"}),
        ("zones", "bid", {"2C": "discards.0", "3C": "discards.0", "4D": "discards.0"}),
        ("zones", "discard", {"2C": "discards.0", "3C": "discards.0"}),
        ("zones", "discard", {"JC": "discards.1", "AC": "discards.1", "8D": "discards.1"}),
        ("to_act", "discard", {"2C": "discards.0", "3C": "discards.0", "4D": "discards.0"}),
        ("zones.stock", "play", {"8D": "stock"}),
        ("zones.trick", "play", {"2C": "trick", "3C": "trick", "AC": "trick", "TC": "trick", "to_act": []}),
        ("to_act", "play", {"to_act": [1]}),
        ("to_act", "play", {"leader": 1}),
        ("zones.hand.0", "play", {"8D": "hand.0"}),
        ("zones.hand.0", "play", {"3C": "hand.0"}),
        ("to_act", "over", {"to_act": [0]}),
        ("zones", "over", {"2C": "hand.0"}),
        ("result", "over", {"result": {"winners": [1, 3], "losers": [0, 2], "reason": "target"}}),
        ("result.reason", "over", {"result": {"winners": [0, 2], "losers": [1, 3], "reason": "points"}}),
        ("result", "over", {"scores": [49, 0, 49, 0]}),
    ],
)
def test_impossible_positions_are_refused_naming_the_place(place: str, phase: str, changes: dict[str, Any]):
    with pytest.raises(referee.Malformed) as error:
        referee.read(broken(phase, **changes))
    assert error.value.place == place


def test_six_tricks_end_a_hand_and_fewer_end_no_game():
    with pytest.raises(referee.Malformed, match="whole tricks"):
        referee.read(broken("over") | {"phase": "play", "to_act": [0], "scores": [0] * 4, "result": None})
    with pytest.raises(referee.Malformed, match="whole tricks"):
        referee.read(broken("over", **dict.fromkeys(LAST_HANDS, "aside")))


def test_nobody_can_have_thrown_away_more_than_the_stock_replaces():
    thrown = ["3C 4C 6C 7C 8C 9C TC QC KC", "3S 4S 6S 7S 8S 9S TS QS KS", "3D 4D 6D 7D 8D 9D TD QD KD"]
    zones = {f"discards.{s}": cards for s, cards in enumerate(thrown)}
    hands = ["", "", "", "2H 5H TH 2C AC JC 2S AS JS"]
    with pytest.raises(referee.Malformed, match="stock can replace"):
        referee.read(position("discard", hands, zones, to_act=3))


def test_before_the_cut_all_cards_lie_in_the_stock():
    state, _ = fresh(TABLE, 1)
    written = referee.dump(state)
    assert referee.read(written)
    written["zones"] |= {"stock": state.stock[9:], "hand.0": state.stock[:9]}
    with pytest.raises(referee.Malformed, match=r"zones\.stock"):
        referee.read(written)


@pytest.mark.parametrize(
    ("phase", "changes"),
    [
        ("bid", {"bids": [3, 2, None, None], "to_act": [2]}),
        ("bid", {"scores": [50, -3, 50, -3]}),
        ("discard", {"2C": "discards.0", "3C": "discards.0", "AH": "discards.0", "to_act": [1]}),
        ("play", {"9S": "aside", "TS": "aside", "JS": "aside"}),
        ("play", {"6D": "tricks.1"}),
    ],
)
def test_the_history_of_bids_and_piles_is_not_checked(phase: str, changes: dict[str, Any]):
    assert referee.read(broken(phase, **changes)).phase == phase


def test_a_card_set_apart_that_is_no_scoring_trump_is_worth_nothing():
    state = referee.read(broken("play", **dict.fromkeys(("JC", "QC"), "points.0")))
    finish(state)
    assert state.scores == [8, 0, 8, 0]
