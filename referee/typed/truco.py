"""Shapes of Truco, version 1. `make generate` writes them from the ruleset."""

from typing import Any, Literal, NotRequired, TypedDict, cast

from referee.computer.match import Match
from referee.typed.common import Hidden, Result

Card = Literal[
    "AC", "2C", "3C", "4C", "5C", "6C", "7C", "JC", "QC", "KC", "AD", "2D", "3D", "4D", "5D", "6D", "7D",
    "JD", "QD", "KD", "AH", "2H", "3H", "4H", "5H", "6H", "7H", "JH", "QH", "KH", "AS", "2S", "3S", "4S",
    "5S", "6S", "7S", "JS", "QS", "KS",
]  # fmt: skip


class PlayMove(TypedDict):
    """The move `play`."""

    type: Literal["play"]
    card: Card


class TrucoMove(TypedDict):
    """The move `truco`."""

    type: Literal["truco"]


class AcceptMove(TypedDict):
    """The move `accept`."""

    type: Literal["accept"]


class FoldMove(TypedDict):
    """The move `fold`."""

    type: Literal["fold"]


class Options(TypedDict, total=False):
    """What can be chosen; the rest is as usual."""

    target: int
    stake: int
    doublings: int


class Chosen(TypedDict):
    """What was chosen."""

    target: int
    stake: int
    doublings: int


Zones = TypedDict(
    "Zones",
    {
        "stock": Hidden,
        "hand.0": list[Card] | Hidden,
        "hand.1": list[Card] | Hidden,
        "hand.2": list[Card] | Hidden,
        "hand.3": list[Card] | Hidden,
        "trick": list[Card],
        "played": list[Card],
        "hand.4": NotRequired[list[Card] | Hidden],
        "hand.5": NotRequired[list[Card] | Hidden],
        "hand.6": NotRequired[list[Card] | Hidden],
        "hand.7": NotRequired[list[Card] | Hidden],
        "hand.8": NotRequired[list[Card] | Hidden],
        "hand.9": NotRequired[list[Card] | Hidden],
        "hand.10": NotRequired[list[Card] | Hidden],
        "hand.11": NotRequired[list[Card] | Hidden],
        "hand.12": NotRequired[list[Card] | Hidden],
        "hand.13": NotRequired[list[Card] | Hidden],
    },
)


class Facts(TypedDict):
    """The facts of a view."""

    playing: list[int]
    waiting: list[int]
    dealer: int
    leader: int
    tricks: list[int | None]
    show: list[int] | None
    stake: int
    raiser: int | None
    call: int | None


class View(TypedDict):
    """What a seat or a spectator sees."""

    ruleset: Literal["truco"]
    version: Literal[1]
    seats: Literal[4, 6, 8, 10, 12, 14]
    options: Chosen
    phase: Literal["play", "answer", "over"]
    to_act: list[int]
    zones: Zones
    facts: Facts
    scores: list[int]
    result: Result | None


Move = PlayMove | TrucoMove | AcceptMove | FoldMove


def match(seats: int, options: Options | None = None, **given: Any) -> Match:
    """Deal a game; `given` is what else `Match` takes, such as `seed`."""
    return Match("truco", seats, cast(dict[str, Any], options), version=1, **given)


def view(match: Match, seat: int | None) -> View:
    """Return what a seat, or a spectator, sees now."""
    return cast(View, match.view(seat))


def legal_moves(match: Match, seat: int) -> list[Move]:
    """Return the moves that a seat may make now, also out of turn."""
    return cast(list[Move], match.legal_moves(seat))
