"""Landlord: handwritten positions, and why some are refused."""

from typing import Any

import pytest

import referee
from tests.referee.landlord import asked, position, table_of


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
