"""Truco: strength, sentences, winners of tricks, handwritten positions. Scenarios play the rules."""

import copy
import itertools
import random
from typing import Any

import pytest

import referee
import referee.records
from referee.games import truco
from tests.referee.tables import Table, wander


def table(right: str, third: str, left: str, dealer: str, **options: int) -> tuple[Any, referee.Scripted]:
    """Return four seats, dealer 0, with these hands for seats 3, 2, 1 and 0; the rest is from seed 00."""
    dealt = " ".join((right, third, left, dealer)).split()
    order = dealt + [card for card in truco.DECK if card not in dealt]
    chance = referee.Scripted(
        [{"pick": 0}, {"shuffle": order}], lambda: referee.Seeded.from_seed(b"\0", [""] * 4)
    )
    return referee.deal("truco", 4, options, chance)[0], chance


def make(state: Any, chance: referee.Chance, seat: int, kind: str, card: str = "") -> None:
    move = {"type": kind, "card": card} if card else {"type": kind}
    assert referee.judge(state, seat, move).legal, (seat, move)
    assert move in referee.legal_moves(state, seat)
    referee.advance(state, seat, move, chance)


def play(state: Any, chance: referee.Chance, cards: str) -> None:
    for card in cards.split():
        make(state, chance, state.to_act[0], "play", card)


def refused(state: Any, seat: int, kind: str, card: str = "") -> tuple[str, str]:
    move = {"type": kind, "card": card} if card else {"type": kind}
    refusal = referee.judge(state, seat, move).refusal
    assert refusal is not None
    return refusal.rule, refusal.reason


def test_strength_is_the_order_of_the_rules():
    groups = "4C|7D|AS|7H|3C 3D 3H 3S|2C 2D 2H 2S|AC AD AH|KC KD KH KS|JC JD JH JS|QC QD QH QS|7C 7S"
    groups += "|6C 6D 6H 6S|5C 5D 5H 5S|4D 4H 4S"
    rows = [row.split() for row in groups.split("|")]
    assert sorted(card for row in rows for card in row) == sorted(truco.DECK)
    for high, low in itertools.pairwise(rows):
        assert len({truco.STRENGTH[card] for card in high}) == 1
        assert truco.STRENGTH[high[0]] > truco.STRENGTH[low[0]]


def tied_twice(*last: str) -> tuple[Any, referee.Scripted]:
    """Return the state after two ties; seats 3, 2 and 1 had the best of the second; last cards are given."""
    hands = ("QC 3C", "QD 3D", "4H 3H", "4S 5S")
    state, chance = table(*(f"{hand} {card}" for hand, card in zip(hands, last, strict=True)), target=2)
    play(state, chance, "QC QD 4H 4S 3C 3D 3H")
    return state, chance


def test_the_strongest_of_the_second_tie_show_their_last_cards():
    state, chance = tied_twice("KC", "2C", "6C", "5D")
    play(state, chance, "5S")
    assert (state.show, state.leader, state.tricks) == ([3, 2, 1], 3, [None, None])
    assert refused(state, 0, "play", "5D")[0] == "truco.order"
    play(state, chance, "KC 2C 6C")
    assert state.result == {"winners": [0, 2], "losers": [1, 3], "reason": "target"}
    assert (state.tricks, state.show, state.trick, state.hand[0]) == ([None, None, 0], [3, 2, 1], [], ["5D"])
    referee.read(referee.dump(state))


def test_after_a_first_tie_a_stronger_card_may_not_be_kept():
    state, chance = table("KC 3C 6H", "KD 2C 2D", "4H 5H 6C", "4S 5S 6S")
    play(state, chance, "KC KD 4H 4S")
    assert refused(state, 3, "play", "6H") == (
        "truco.highest",
        "the first trick was tied, so your strongest card is due: your three of clubs is stronger than "
        "your six of hearts",
    )
    play(state, chance, "3C")
    assert [move.get("card") for move in referee.legal_moves(state, 2)] == ["2C", "2D", None]


OPEN = {
    "ruleset": "truco", "version": 1, "seats": 6, "options": {"doublings": 2, "target": 8},
    "phase": "play", "to_act": [3],
    "facts": {"playing": [0, 1], "waiting": [2], "dealer": 1, "leader": 4, "tricks": [], "show": None,
              "stake": 4, "raiser": 0, "call": None},
    "scores": [6, 2, 0, 6, 2, 0], "result": None,
}  # fmt: skip


def position(hands: dict[int, str], trick: str = "", played: str = "", **changes: Any) -> dict[str, Any]:
    """Return OPEN with these cards; the rest is the stock."""
    data = copy.deepcopy(OPEN)
    zones = {f"hand.{seat}": hands.get(seat, "").split() for seat in range(6)}
    zones |= {"trick": trick.split(), "played": played.split()}
    lying = {card for cards in zones.values() for card in cards}
    zones["stock"] = [card for card in truco.DECK if card not in lying]
    data["zones"] = zones
    for key, value in changes.items():
        if key in data["facts"]:
            data["facts"][key] = value
        else:
            data[key] = value
    return data


START = {4: "KC KD", 3: "2C 2D 2H", 1: "3C 3D 3H", 0: "AC AD AH"}
SECOND = {4: "KC", 3: "2C 2D", 1: "3C 3D", 0: "AC AD"}
SHOW = {4: "KC", 3: "2C", 1: "3C", 0: "AC"}
WON = {"winners": [0, 3], "losers": [1, 2, 4, 5], "reason": "target"}
OVER: dict[str, Any] = {"phase": "over", "to_act": [], "scores": [10, 2, 0, 10, 2, 0], "result": WON}
EIGHT = "4D 4H 4S 5C 5D 5H 5S 6C"

GOOD = {
    "open trick": position(START, "KH"),
    "leader and dealer anywhere": position(START | {4: "KC KD KS", 0: "AC AD"}, "KH", leader=0, to_act=[4]),
    "answer": position(START, "KH", phase="answer", to_act=[0, 3], call=4),
    "negative scores": position(START, "KH", scores=[-6, 2, -9, -6, 2, -9]),
    "second trick": position(SECOND, "KH", "4D 4H 4S 5C", tricks=[1]),
    "third trick": position(SHOW | {4: ""}, "KH", EIGHT, tricks=[1, 0]),
    "show": position(SHOW | {4: ""}, "KC", EIGHT, tricks=[None, None], show=[4, 3, 1], leader=4),
    "folded": position(START, "KH", **OVER | {"raiser": 1}),
    "folded in the show": position(
        SHOW, "", EIGHT, **OVER | {"raiser": 1, "tricks": [None] * 2, "show": [4, 3]}
    ),
    "played out": position(SHOW, "", EIGHT, **OVER | {"tricks": [0, None]}),
    "shown": position(
        {1: "3C", 0: "AC"}, "", EIGHT + " KC 2C", **OVER | {"tricks": [None, None, 0], "show": [4, 3]}
    ),
    "over, whoever won which trick": position(SHOW, "", EIGHT, **OVER | {"tricks": [1, None]}),
    "over, wherever the cards lie": position(SHOW | {4: ""}, "KC", EIGHT, **OVER | {"tricks": [0, None]}),
    "over, far beyond the target": position(START, "KH", **OVER | {"scores": [19, 2, 0, 19, 2, 0]}),
}
BAD = {
    "result": position(START, "KH", **OVER | {"scores": [1, 2, 9, 1, 2, 9]}),
    "facts.playing": position(START, "KH", playing=[1, 0]),
    "facts.waiting": position(START, "KH", waiting=[1]),
    "facts.waiting ": position(START, "KH", waiting=[]),
    "facts.dealer": position(START, "KH", dealer=2),
    "facts.leader": position(START, "KH", leader=5),
    "facts.stake": position(START, "KH", stake=16),
    "facts.stake ": position(START, "KH", stake=6),
    "facts.raiser": position(START, "KH", raiser=None),
    "facts.raiser ": position(START, "KH", stake=2, raiser=1),
    "facts.raiser  ": position(START, "KH", raiser=2),
    "scores": position(START, "KH", scores=[6, 2, 0, 4, 2, 0]),
    "scores ": position(START, "KH", scores=[8, 2, 0, 8, 2, 0]),
    "facts.show": position(START, "KH", show=[4, 3]),
    "facts.show ": position(SHOW, "", EIGHT, tricks=[None, None], leader=4, to_act=[4]),
    "facts.show  ": position(SHOW, "", EIGHT, tricks=[None, None], show=[4, 1], to_act=[4]),
    "facts.show   ": position(SHOW, "", EIGHT, tricks=[None, None], show=[3, 4], to_act=[3]),
    "facts.show    ": position(SHOW, "", EIGHT, tricks=[None, None], show=[4, 5], to_act=[4]),
    "facts.call": position(START, "KH", call=1),
    "facts.call ": position(START, "KH", phase="answer", to_act=[1, 4]),
    "facts.call  ": position(START, "KH", phase="answer", to_act=[1, 4], call=0),
    "facts.call   ": position(START, "KH", phase="answer", to_act=[0, 3], call=5),
    "facts.call    ": position(START, "KH", phase="answer", to_act=[0, 3], call=1, stake=8),
    "to_act": position(START, "KH", to_act=[4]),
    "to_act ": position(START, "KH", phase="answer", to_act=[3], call=4),
    "facts.tricks": position(SHOW, "", EIGHT, tricks=[1, 1], to_act=[4]),
    "facts.tricks ": position(SHOW, "", EIGHT, tricks=[None, 1], to_act=[4]),
    "facts.tricks  ": position(SECOND | {4: "KC KH"}, "", "4D 4H 4S 5C", tricks=[2], to_act=[4]),
    "zones.trick": position({4: "KC KD", 3: "2C 2D", 1: "3C 3D", 0: "AC AD"}, "KH 2H 3H AH"),
    "zones.stock": position(START | {4: "KC"}, "KH"),
    "zones.played": position(START | {4: "KC"}, "KH", "4D"),
    "zones.hand.3": position(START | {4: "KC KD KS", 3: "2C 2D"}, "KH"),
    "zones.hand.2": position(START | {3: "2C 2D", 2: "2H"}, "KH"),
    "zones.hand.5": position(START | {3: "2C 2D", 5: "2H"}, "KH", **OVER),
    "to_act  ": position(START, "KH", **OVER | {"raiser": 1, "to_act": [3]}),
    "facts.call     ": position(START, "KH", **OVER | {"raiser": 1, "call": 3}),
}


@pytest.mark.parametrize("name", GOOD)
def test_a_handwritten_position_is_read_and_can_be_played(name: str):
    state = referee.read(GOOD[name])
    chance = referee.Seeded.from_seed(b"\0", [""] * 6)
    choose = random.Random(name)
    while state.result is None:
        seat = choose.choice(state.to_act)
        referee.advance(state, seat, choose.choice(referee.legal_moves(state, seat)), chance)


@pytest.mark.parametrize("name", BAD)
def test_an_inconsistent_position_is_refused_naming_the_place(name: str):
    with pytest.raises(referee.Malformed) as refusal:
        referee.read(BAD[name])
    assert refusal.value.place == name.strip()


def test_the_trick_that_ends_a_hand_names_its_winner():
    """The winner is named although the next hand is dealt in the same move."""
    tricks = 0
    for seed in range(20):
        for point in wander(Table("truco", 4, {}), seed, 200):
            state = referee.clone(point.state)
            chance = referee.Seeded.from_seed(b"", [""] * 4, point.chance.drawn)
            transfers = referee.advance(state, point.seat, point.move, chance)
            public, _ = referee.records.account(state, point.move, transfers, point.seat)
            assert "won_by" not in public or ("trick", "played") in [t[:2] for t in transfers]
            tricks += "won_by" in public and "scores" in public
    assert tricks


@pytest.mark.parametrize("seats", [4, 6])
def test_every_trick_names_its_winner_unless_it_was_tied(seats: int) -> None:
    """A tied last trick scores for the team that won the first one, and names nobody."""
    seen = set()
    for seed in range(12):
        for point in wander(Table("truco", seats, {}), seed, 200):
            before, state = point.state, referee.clone(point.state)
            chance = referee.Seeded.from_seed(b"", [""] * seats, point.chance.drawn)
            transfers = referee.advance(state, point.seat, point.move, chance)
            public, _ = referee.records.account(state, point.move, transfers, point.seat)
            assert public.get("scores") == (state.scores if state.scores != before.scores else None)
            ends = [t for t in transfers if t[0] == "trick" and t[1] == "played"]
            if not ends:
                assert "won_by" not in public
                continue
            cards = [*before.trick, point.move["card"]]
            best = max(truco.STRENGTH[card] for card in cards)
            strongest = [
                seat
                for seat, card in zip(truco._order(before), cards, strict=True)
                if truco.STRENGTH[card] == best
            ]
            tied = len({seat % (seats // 2) for seat in strongest}) > 1
            assert public.get("won_by") == (None if tied else strongest[0])
            seen.add((tied, "scores" in public))
    assert seen == {(True, True), (True, False), (False, True), (False, False)}
