"""Landlord: the list of moves compared with a simple one, refusals, choosing, ends, written positions."""

import itertools
import random
from collections import Counter
from typing import Any

import pytest

import referee
from referee.combos import ORDER
from referee.games import landlord
from tests.referee.every_move import landlord_moves
from tests.referee.landlord import asked, hand_of, position, table_of


def listed_by_the_rules(state: Any, seat: int) -> list[dict[str, Any]]:
    return [move for move in landlord_moves(state, seat) if referee.judge(state, seat, move).legal]


RICH = [
    "333 444 555 666 777 888 999 3 XB XR",
    "3333 444 555 666 7777 88 2222222 XB",
    "33333333 444444 5555555 66 XB XR",
    "333333 XB XR",
    "AAA KKK QQQ JJJ 222 XB XR",
    "333 444 555 666 7",
    "333 444 555 777 888 999",
    "3 4 5 6 7 8 9 T J Q K A 2 XB XR",
    "33 44 55 66 777777 88 99",
]
TABLES = [
    "", "5", "2", "XB", "44", "333", "333 4", "333 44", "3 4 5 6 7", "33 44 55", "333 444", "333 444 5 6",
    "333 444 55 66", "444 555 666 777", "333 444 555 9 T J", "333 444 555 666", "333 444 555 666 7 8 9 T",
    "3333 4", "3333 44", "33333 4 5", "444444", "5555555", "XB XR",
]  # fmt: skip


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("hand", RICH)
def test_the_list_of_a_rich_hand_against_every_kind(hand: str, table: str) -> None:
    mine, lying = hand_of(hand), hand_of(table)
    if Counter(mine + lying) - Counter(landlord.DECK):
        mine = [card for card in mine if card not in lying]
    spare = list((Counter(landlord.DECK) - Counter(mine + lying)).elements())
    written = position([mine, *([card] for card in spare[:3])], lying, table_of(lying, 3) if lying else None)
    state = referee.read(written)
    moves = referee.legal_moves(state, 0)
    assert moves == listed_by_the_rules(state, 0)
    assert all(referee.judge(state, 0, move).legal for move in moves)


def test_every_playable_set_is_listed_in_some_form() -> None:
    choose = random.Random(7)
    answered = 0
    for _ in range(150):
        deck = [card for card in landlord.DECK if card[0] in "45678X" or choose.random() < 0.1]
        choose.shuffle(deck)
        lying = hand_of(choice) if len(choice := choose.choice(TABLES)) < 10 else hand_of("333 44")
        free = Counter(landlord.DECK) - Counter(lying)
        mine: list[str] = []
        for card in deck:
            if len(mine) < 8 and free[card]:
                mine.append(card)
                free[card] -= 1
        others = [[card] for card in list(free.elements())[-3:]]
        state = referee.read(position([mine, *others], lying, table_of(lying, 3) if lying else None))
        some_play = any(
            referee.judge(state, 0, {"type": "play", "cards": list(cards)}).legal
            for size in range(1, len(mine) + 1)
            for cards in itertools.combinations(mine, size)
        )
        answered += some_play
        assert any(move["type"] == "play" for move in referee.legal_moves(state, 0)) == some_play
    assert 20 < answered < 130


# --- refusals that name their reason ----------------------------------------------------------------


def refused(written: dict[str, Any], move: dict[str, Any]) -> referee.Refusal:
    refusal = referee.judge(referee.read(written), written["to_act"][0], move).refusal
    assert refusal is not None
    return refusal


def test_refusals_name_both_combinations() -> None:
    others = [["4C"], ["4D"], ["4H"]]
    written = position([hand_of("333 99 5 XB"), *others], ["9H", "9S"], table_of(["9H", "9S"], 3))
    higher = refused(written, {"type": "play", "cards": ["9C", "9D"]})
    assert higher.rule == "landlord.higher"
    assert "nine of hearts and nine of spades" in higher.reason
    assert "nine of clubs and nine of diamonds" in higher.reason
    other = refused(written, {"type": "play", "cards": ["XB"]})
    assert other.rule == "landlord.same_combination"
    assert "small joker" in other.reason
    assert "nine of hearts and nine of spades" in other.reason
    none = refused(written, {"type": "play", "cards": ["5C", "XB"]})
    assert none.rule == "landlord.combination"
    assert "five of clubs and small joker" in none.reason
    second_copy = refused(written, {"type": "play", "cards": ["9C", "9C"]})
    assert second_copy.rule == "common.not_held"


@pytest.mark.parametrize(
    ("hand", "points"),
    [
        ("2222 XB XR", 6), ("22222 XB XR", 7), ("333333 444444 22", 6), ("333333 444444 5555555", 6),
        ("222222", 8), ("3333333 XB 222", 6), ("333333 444444 2", 5), ("2222 XR", 5),
        ("33333 44444 22 XB", 3),
    ],
)  # fmt: skip
def test_a_hand_of_six_points_must_be_taken(hand: str, points: int) -> None:
    state = referee.read(asked(hand))
    refusal = referee.judge(state, 0, {"type": "pass"}).refusal
    if points < 6:
        assert refusal is None
        assert referee.legal_moves(state, 0) == [{"type": "take"}, {"type": "pass"}]
    else:
        assert refusal is not None
        assert refusal.rule == "landlord.too_good"
        assert f"{points} points" in refusal.reason
        assert referee.legal_moves(state, 0) == [{"type": "take"}]


@pytest.mark.parametrize(
    ("hand", "held"),
    [
        ("222222 XR", "(6 twos, 1 big joker)"),
        ("555555 666666 2 XB", "(6 fives, 6 sixes, 1 two, 1 small joker)"),
    ],
)
def test_who_may_not_pass_is_told_the_cards_that_count(hand: str, held: str) -> None:
    assert held in refused(asked(hand), {"type": "pass"}).reason


def test_the_last_seat_asked_is_told_that_before_its_points() -> None:
    refusal = refused(asked("2222 XB XR", first=3), {"type": "pass"})
    assert refusal.rule == "landlord.last_must_take"


def test_asking_goes_to_the_right_and_the_taker_shows_six_cards_and_leads() -> None:
    order = sorted(landlord.DECK)
    chance = referee.Scripted([{"shuffle": order}, {"pick": 9}])
    state, _ = referee.deal("landlord", 5, {}, chance)
    for seat in (4, 3, 2):
        assert state.to_act == [seat]
        assert referee.judge(state, seat, {"type": "pass"}).legal
        referee.advance(state, seat, {"type": "pass"}, chance)
    assert state.to_act == [1]
    referee.advance(state, 1, {"type": "take"}, chance)
    assert (state.phase, state.landlord, state.to_act, state.combo) == ("play", 1, [1], None)
    assert state.shown == sorted(order[100:], key=ORDER.__getitem__)
    assert (len(state.hand[1]), len(state.kitty)) == (26, 0)
    assert referee.judge(state, 1, {"type": "pass"}).refusal.rule == "landlord.must_lead"
    assert referee.view(state, None)["facts"]["shown"] == state.shown


# --- ends -------------------------------------------------------------------------------------------


def last_card(out: int, hands: int, scores: list[int], seats: int = 4) -> dict[str, Any]:
    """Return the result when this seat plays its last card of the last hand; seat 0 is the landlord."""
    written = position([["3C"], ["4C"], ["5C"], ["6C"], ["7C"]][:seats], [], None, turn=out)
    written.update(options={"hands": hands}, scores=scores)
    written["facts"]["hand_number"] = hands
    state = referee.read(written)
    referee.advance(state, out, {"type": "play", "cards": list(state.hand[out])}, referee.Scripted([]))
    assert referee.dump(referee.read(referee.dump(state))) == referee.dump(state)
    return {**state.result, "scores": state.scores}


def test_every_way_to_end() -> None:
    assert last_card(0, 1, [0] * 4) == {
        "winners": [0], "losers": [1, 2, 3], "reason": "landlord_won", "scores": [3, -1, -1, -1]
    }  # fmt: skip
    assert last_card(2, 1, [0] * 5, seats=5) == {
        "winners": [1, 2, 3, 4], "losers": [0], "reason": "landlord_beaten", "scores": [-4, 1, 1, 1, 1]
    }  # fmt: skip
    assert last_card(3, 2, [1, -3, 1, 1]) == {
        "winners": [2, 3], "losers": [0, 1], "reason": "highest_score", "scores": [-2, -2, 2, 2]
    }  # fmt: skip
    assert last_card(0, 4, [-3, 1, 1, 1])["losers"] == []


def test_another_hand_is_dealt_at_once_and_everything_but_scores_begins_anew() -> None:
    written = position([["3C"], ["4C"], ["5C"], ["6C"]], ["3D"], table_of(["3D"], 0), turn=1)
    written["options"] = {"hands": 2}
    state = referee.read(written)
    order = sorted(landlord.DECK)
    chance = referee.Scripted([{"shuffle": order}, {"pick": 41}])
    referee.advance(state, 1, {"type": "play", "cards": ["4C"]}, chance)
    assert (state.phase, state.to_act, state.scores) == ("choose", [1], [-3, 1, 1, 1])
    assert (state.hand_number, state.first, state.face_up) == (2, 1, order[41])
    assert (state.landlord, state.shown, state.combo, state.result) == (None, [], None, None)
    assert sorted(state.hand[2]) == sorted(order[2:100:4])
    assert sorted(state.kitty) == sorted(order[100:])
    assert chance.drawn == 2


def test_a_pass_counts_for_its_turn_only_and_the_last_one_clears_the_table() -> None:
    hands = [["3C", "5C"], ["7C", "8C"], ["3D", "TC"], ["4D", "JC"]]
    state = referee.read(position(hands, [], None))
    none = referee.Scripted([])
    leave = {"type": "pass"}
    first = {"type": "play", "cards": ["5C"]}
    for seat, move in enumerate([first, leave, {"type": "play", "cards": ["TC"]}, leave]):
        referee.advance(state, seat, move, none)
    assert referee.judge(state, 1, leave).refusal is not None
    referee.advance(state, 0, leave, none)
    assert referee.legal_moves(state, 1) == [leave]
    referee.advance(state, 1, leave, none)
    assert (state.to_act, state.combo, list(state.table)) == ([2], None, [])
    assert referee.legal_moves(state, 2) == [{"type": "play", "cards": ["3D"]}]


def playing() -> dict[str, Any]:
    return position([["3C"], ["4C", "4C"], ["5C"], ["6C"]], ["8C", "8D"], table_of(["8C", "8D"], 3))


def test_positions_that_need_not_agree_with_the_play_before_are_accepted() -> None:
    written = playing()
    written["to_act"] = [1]
    written["facts"].update(hand_number=9, first=2)
    written["scores"] = [50, -20, -20, -10]
    written["zones"]["discard"].reverse()
    referee.read(written)


def over() -> dict[str, Any]:
    written = position([[], ["4C"], ["5C"], ["6C"]], ["8C"], table_of(["8C"], 0))
    result = {"winners": [0], "losers": [1, 2, 3], "reason": "landlord_won"}
    return {**written, "phase": "over", "to_act": [], "scores": [3, -1, -1, -1], "result": result}


def swap(written: dict[str, Any], source: str, target: str, card: str) -> None:
    written["zones"][source].remove(card)
    written["zones"][target].append(card)


def not_shown(written: dict[str, Any]) -> list[str]:
    return [card for card in written["zones"]["discard"] if card not in written["facts"]["shown"]]


FAULTS: dict[str, Any] = {
    "scores": lambda p: p.update(scores=[1, 0, 0, 0]),
    "to_act": lambda p: p.update(to_act=[]),
    "facts.landlord": lambda p: p["facts"].update(landlord=None),
    "facts.shown": lambda p: p["facts"].update(shown=["4C", *p["facts"]["shown"][1:]]),
    "facts.shown ": lambda p: p["facts"].update(shown=p["facts"]["shown"][1:]),
    "facts.shown  ": lambda p: p["facts"].update(shown=["ZZ", *p["facts"]["shown"][1:]]),
    "facts.face_up": lambda p: p["facts"].update(face_up="4C"),
    "facts.face_up ": lambda p: p["facts"].update(face_up="1C"),
    "facts.combo": lambda p: p["facts"].update(combo=None),
    "facts.combo ": lambda p: p["facts"]["combo"].update(rank="9"),
    "facts.combo  ": lambda p: p["facts"]["combo"].update(kind="single"),
    "facts.combo   ": lambda p: p["facts"]["combo"].update(seat=0),
    "facts.combo    ": lambda p: p["facts"]["combo"].update(kind="set"),
    "facts.hand_number": lambda p: p["facts"].update(hand_number=0),
    "zones.kitty": lambda p: swap(p, "discard", "kitty", "9C"),
    "zones.hand.0": lambda p: swap(p, "hand.0", "discard", "3C"),
    "zones.hand.1": lambda p: [swap(p, "discard", "hand.1", card) for card in not_shown(p)[:24]],
}


@pytest.mark.parametrize("place", FAULTS)
def test_bad_positions_in_play_are_refused_at_their_place(place: str) -> None:
    written = playing()
    referee.read(written)
    FAULTS[place](written)
    with pytest.raises(referee.Malformed) as error:
        referee.read(written)
    assert error.value.place == place.strip()


CHOOSING: dict[str, Any] = {
    "facts.landlord": lambda p: p["facts"].update(landlord=1),
    "facts.shown": lambda p: p["facts"].update(shown=list(p["zones"]["kitty"])),
    "facts.combo": lambda p: p["facts"].update(combo=table_of(["8C"], 1)),
    "facts.first": lambda p: p["facts"].update(face_up=p["zones"]["hand.3"][-1]),
    "zones.hand.2": lambda p: swap(p, "hand.2", "kitty", p["zones"]["hand.2"][0]),
    "zones.kitty": lambda p: swap(p, "kitty", "discard", p["zones"]["kitty"][0]),
    "to_act": lambda p: p.update(to_act=[0, 1]),
}


@pytest.mark.parametrize("place", CHOOSING)
def test_bad_positions_in_choose_are_refused_at_their_place(place: str) -> None:
    written = asked("2222 3333")
    referee.read(written)
    CHOOSING[place](written)
    with pytest.raises(referee.Malformed) as error:
        referee.read(written)
    assert error.value.place == place


@pytest.mark.parametrize(
    ("place", "spoil"),
    [
        ("to_act", lambda p: p.update(to_act=[1])),
        ("zones", lambda p: p["facts"].update(combo=None)),
        ("zones", lambda p: p["facts"]["combo"].update(seat=1)),
        ("zones", lambda p: swap(p, "hand.1", "discard", "4C")),
    ],
)
def test_bad_positions_at_the_end_are_refused(place: str, spoil: Any) -> None:
    written = over()
    referee.read(written)
    spoil(written)
    with pytest.raises(referee.Malformed) as error:
        referee.read(written)
    assert error.value.place == place
