"""Shapes that all games share."""

from typing import TypedDict


class Hidden(TypedDict):
    """A zone whose cards the viewer may not see."""

    count: int


class Result(TypedDict):
    """How a game has ended; some rulesets add more."""

    winners: list[int]
    losers: list[int]
    reason: str
