"""Cats and dogs: handwritten positions that the rules exclude are refused, each with its place."""

from __future__ import annotations

from typing import Any

import pytest

import referee


def position(seats: int) -> dict[str, Any]:
    return referee.dump(referee.Match("cats_and_dogs", seats, seed=7).state)


WRONG: dict[str, tuple[int, dict[str, Any], str]] = {
    "a seat twice": (3, {"facts": {"recent": [1, 1]}}, "facts.recent"),
    "a fifth round alone": (1, {"facts": {"round": 5}}, "facts.round"),
    "less than no ribbons": (3, {"scores": [0, -1, 0]}, "scores"),
    "a game that is over": (3, {"scores": [0, 21, 0]}, "scores"),
    "an empty trick": (3, {"zones": {f"hand.{seat}": [] for seat in range(3)}}, "zones"),
}


@pytest.mark.parametrize(("seats", "change", "place"), WRONG.values(), ids=WRONG)
def test_a_position_that_the_rules_exclude_is_refused(seats: int, change: dict[str, Any], place: str) -> None:
    wrong = position(seats)
    for part, members in change.items():
        wrong[part] = {**wrong[part], **members} if isinstance(members, dict) else members
    for hand, cards in change.get("zones", {}).items():
        wrong["zones"]["won." + hand[-1]] = [*position(seats)["zones"][hand], *cards]
    with pytest.raises(referee.Malformed) as refused:
        referee.read(wrong)
    assert refused.value.place == place


def test_more_rounds_are_possible_with_two_seats() -> None:
    long = position(2)
    long["facts"]["round"] = 9
    referee.read(long)


def test_a_finished_game_is_read() -> None:
    match = referee.Match("cats_and_dogs", 3, seed=7)
    while not match.is_over:
        match.play(match.to_act[0], match.legal_moves(match.to_act[0])[0])
    assert referee.read(referee.dump(match.state)).result == match.state.result
