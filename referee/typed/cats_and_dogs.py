"""Shapes of Cats and Dogs, version 1. `make generate` writes them from the ruleset."""

from typing import Any, Literal, NotRequired, TypedDict, cast

from referee.computer.match import Match
from referee.typed.common import Hidden, Result

Card = Literal[
    "C1", "C2", "C3", "C4", "C5", "C6", "C7", "C8", "C9", "D1", "D2", "D3", "D4", "D5", "D6", "D7", "D8",
    "D9",
]  # fmt: skip


class PlayMove(TypedDict):
    """The move `play`."""

    type: Literal["play"]
    card: Card


class Options(TypedDict, total=False):
    """What can be chosen; the rest is as usual."""

    first: int | None


class Chosen(TypedDict):
    """What was chosen."""

    first: int | None


Zones = TypedDict(
    "Zones",
    {
        "hand.0": list[Card] | Hidden,
        "trick": list[Card],
        "won.0": list[Card],
        "out": Hidden,
        "open": NotRequired[list[Card]],
        "hidden": NotRequired[Hidden],
        "table": NotRequired[list[Card]],
        "hand.1": NotRequired[list[Card] | Hidden],
        "won.1": NotRequired[list[Card]],
        "hand.2": NotRequired[list[Card] | Hidden],
        "won.2": NotRequired[list[Card]],
        "hand.3": NotRequired[list[Card] | Hidden],
        "won.3": NotRequired[list[Card]],
        "hand.4": NotRequired[list[Card] | Hidden],
        "won.4": NotRequired[list[Card]],
    },
)


class Facts(TypedDict):
    """The facts of a view."""

    round: int
    lead: int
    recent: list[int]


class View(TypedDict):
    """What a seat or a spectator sees."""

    ruleset: Literal["cats_and_dogs"]
    version: Literal[1]
    seats: Literal[1, 2, 3, 4, 5]
    options: Chosen
    phase: Literal["play", "over"]
    to_act: list[int]
    zones: Zones
    facts: Facts
    scores: list[int]
    result: Result | None


Move = PlayMove


def match(seats: int, options: Options | None = None, **given: Any) -> Match:
    """Deal a game; `given` is what else `Match` takes, such as `seed`."""
    return Match("cats_and_dogs", seats, cast(dict[str, Any], options), version=1, **given)


def view(match: Match, seat: int | None) -> View:
    """Return what a seat, or a spectator, sees now."""
    return cast(View, match.view(seat))


def legal_moves(match: Match, seat: int) -> list[Move]:
    """Return the moves that a seat may make now, also out of turn."""
    return cast(list[Move], match.legal_moves(seat))
