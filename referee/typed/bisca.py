"""Shapes of Bisca, version 1. `make generate` writes them from the ruleset."""

from typing import Any, Literal, NotRequired, TypedDict, cast

from referee.computer.match import Match
from referee.typed.common import Hidden, Result

Card = Literal[
    "2C", "3C", "4C", "5C", "6C", "QC", "JC", "KC", "7C", "AC", "2D", "3D", "4D", "5D", "6D", "QD", "JD",
    "KD", "7D", "AD", "2H", "3H", "4H", "5H", "6H", "QH", "JH", "KH", "7H", "AH", "2S", "3S", "4S", "5S",
    "6S", "QS", "JS", "KS", "7S", "AS",
]  # fmt: skip


class CutMove(TypedDict):
    """The move `cut`."""

    type: Literal["cut"]
    at: int


class TapMove(TypedDict):
    """The move `tap`."""

    type: Literal["tap"]


class PlayMove(TypedDict):
    """The move `play`."""

    type: Literal["play"]
    card: Card


class ExchangeMove(TypedDict):
    """The move `exchange`."""

    type: Literal["exchange"]


class Options(TypedDict, total=False):
    """What can be chosen; the rest is as usual."""

    target: int
    partners: bool


class Chosen(TypedDict):
    """What was chosen."""

    target: int
    partners: bool


Zones = TypedDict(
    "Zones",
    {
        "stock": Hidden,
        "turned": list[Card],
        "trick": list[Card],
        "hand.0": list[Card] | Hidden,
        "hand.1": list[Card] | Hidden,
        "won.0": list[Card],
        "won.1": list[Card],
        "hand.2": NotRequired[list[Card] | Hidden],
        "won.2": NotRequired[list[Card]],
        "hand.3": NotRequired[list[Card] | Hidden],
        "won.3": NotRequired[list[Card]],
    },
)


class Facts(TypedDict):
    """The facts of a view."""

    dealer: int
    leader: int | None
    trump: Literal["C", "D", "H", "S"] | None
    flipped: Card | None


class View(TypedDict):
    """What a seat or a spectator sees."""

    ruleset: Literal["bisca"]
    version: Literal[1]
    seats: Literal[2, 3, 4]
    options: Chosen
    phase: Literal["cut", "play", "over"]
    to_act: list[int]
    zones: Zones
    facts: Facts
    scores: list[int]
    result: Result | None


Move = CutMove | TapMove | PlayMove | ExchangeMove


def match(seats: int, options: Options | None = None, **given: Any) -> Match:
    """Deal a game; `given` is what else `Match` takes, such as `seed`."""
    return Match("bisca", seats, cast(dict[str, Any], options), version=1, **given)


def view(match: Match, seat: int | None) -> View:
    """Return what a seat, or a spectator, sees now."""
    return cast(View, match.view(seat))


def legal_moves(match: Match, seat: int) -> list[Move]:
    """Return the moves that a seat may make now, also out of turn."""
    return cast(list[Move], match.legal_moves(seat))
