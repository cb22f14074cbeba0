"""Shapes of Pedro, version 1. `make generate` writes them from the ruleset."""

from typing import Any, Literal, TypedDict, cast

from referee.computer.match import Match
from referee.typed.common import Hidden, Result

Card = Literal[
    "2C", "3C", "4C", "5C", "6C", "7C", "8C", "9C", "TC", "JC", "QC", "KC", "AC", "2D", "3D", "4D", "5D",
    "6D", "7D", "8D", "9D", "TD", "JD", "QD", "KD", "AD", "2H", "3H", "4H", "5H", "6H", "7H", "8H", "9H",
    "TH", "JH", "QH", "KH", "AH", "2S", "3S", "4S", "5S", "6S", "7S", "8S", "9S", "TS", "JS", "QS", "KS",
    "AS",
]  # fmt: skip


class CutMove(TypedDict):
    """The move `cut`."""

    type: Literal["cut"]
    at: int


class PassMove(TypedDict):
    """The move `pass`."""

    type: Literal["pass"]


class BidMove(TypedDict):
    """The move `bid`."""

    type: Literal["bid"]
    points: int


class DeclareMove(TypedDict):
    """The move `declare`."""

    type: Literal["declare"]
    suit: Literal["C", "D", "H", "S"]


class DiscardMove(TypedDict):
    """The move `discard`."""

    type: Literal["discard"]
    cards: list[Card]


class PlayMove(TypedDict):
    """The move `play`."""

    type: Literal["play"]
    card: Card


class Options(TypedDict, total=False):
    """What can be chosen; the rest is as usual."""

    target: int
    defenders_score: bool


class Chosen(TypedDict):
    """What was chosen."""

    target: int
    defenders_score: bool


Zones = TypedDict(
    "Zones",
    {
        "stock": Hidden,
        "hand.0": list[Card] | Hidden,
        "hand.1": list[Card] | Hidden,
        "hand.2": list[Card] | Hidden,
        "hand.3": list[Card] | Hidden,
        "discards.0": list[Card],
        "discards.1": list[Card],
        "discards.2": list[Card],
        "discards.3": list[Card],
        "aside": list[Card],
        "trick": list[Card],
        "points.0": list[Card],
        "points.1": list[Card],
        "points.2": list[Card],
        "points.3": list[Card],
        "tricks.0": list[Card],
        "tricks.1": list[Card],
        "tricks.2": list[Card],
        "tricks.3": list[Card],
    },
)


class Facts(TypedDict):
    """The facts of a view."""

    dealer: int
    bids: list[int | None]
    declarer: int | None
    trump: Literal["C", "D", "H", "S"] | None
    leader: int | None


class View(TypedDict):
    """What a seat or a spectator sees."""

    ruleset: Literal["pedro"]
    version: Literal[1]
    seats: Literal[4]
    options: Chosen
    phase: Literal["cut", "bid", "declare", "discard", "play", "over"]
    to_act: list[int]
    zones: Zones
    facts: Facts
    scores: list[int]
    result: Result | None


Move = CutMove | PassMove | BidMove | DeclareMove | DiscardMove | PlayMove


def match(seats: int, options: Options | None = None, **given: Any) -> Match:
    """Deal a game; `given` is what else `Match` takes, such as `seed`."""
    return Match("pedro", seats, cast(dict[str, Any], options), version=1, **given)


def view(match: Match, seat: int | None) -> View:
    """Return what a seat, or a spectator, sees now."""
    return cast(View, match.view(seat))


def legal_moves(match: Match, seat: int) -> list[Move]:
    """Return the moves that a seat may make now, also out of turn."""
    return cast(list[Move], match.legal_moves(seat))
