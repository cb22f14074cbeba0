"""Shapes of Palace, version 1. `make generate` writes them from the ruleset."""

from typing import Any, Literal, NotRequired, TypedDict, cast

from referee.computer.match import Match
from referee.typed.common import Hidden, Result

Card = Literal[
    "2C", "3C", "4C", "5C", "6C", "7C", "8C", "9C", "TC", "JC", "QC", "KC", "AC", "2D", "3D", "4D", "5D",
    "6D", "7D", "8D", "9D", "TD", "JD", "QD", "KD", "AD", "2H", "3H", "4H", "5H", "6H", "7H", "8H", "9H",
    "TH", "JH", "QH", "KH", "AH", "2S", "3S", "4S", "5S", "6S", "7S", "8S", "9S", "TS", "JS", "QS", "KS",
    "AS",
]  # fmt: skip


class SwapMove(TypedDict):
    """The move `swap`."""

    type: Literal["swap"]
    hand: Card
    up: Card


class ReadyMove(TypedDict):
    """The move `ready`."""

    type: Literal["ready"]


class PlayMove(TypedDict):
    """The move `play`."""

    type: Literal["play"]
    cards: list[Card]


class PickUpMove(TypedDict):
    """The move `pick_up`."""

    type: Literal["pick_up"]


class FlipMove(TypedDict):
    """The move `flip`."""

    type: Literal["flip"]
    position: int


class CompleteMove(TypedDict):
    """The move `complete`."""

    type: Literal["complete"]
    cards: list[Card]


class Options(TypedDict, total=False):
    """What can be chosen; the rest is as usual."""

    out_of_turn: bool
    move_limit: int


class Chosen(TypedDict):
    """What was chosen."""

    out_of_turn: bool
    move_limit: int


Zones = TypedDict(
    "Zones",
    {
        "hand.0": list[Card] | Hidden,
        "hand.1": list[Card] | Hidden,
        "up.0": list[Card],
        "up.1": list[Card],
        "down.0": Hidden,
        "down.1": Hidden,
        "stock": Hidden,
        "pile": list[Card],
        "burned": list[Card],
        "hand.2": NotRequired[list[Card] | Hidden],
        "up.2": NotRequired[list[Card]],
        "down.2": NotRequired[Hidden],
        "hand.3": NotRequired[list[Card] | Hidden],
        "up.3": NotRequired[list[Card]],
        "down.3": NotRequired[Hidden],
        "hand.4": NotRequired[list[Card] | Hidden],
        "up.4": NotRequired[list[Card]],
        "down.4": NotRequired[Hidden],
        "hand.5": NotRequired[list[Card] | Hidden],
        "up.5": NotRequired[list[Card]],
        "down.5": NotRequired[Hidden],
    },
)


class Facts(TypedDict):
    """The facts of a view."""

    dealer: int
    turn: int
    ready: list[int]
    swaps: list[int]
    out: list[int]
    moves: int


class View(TypedDict):
    """What a seat or a spectator sees."""

    ruleset: Literal["palace"]
    version: Literal[1]
    seats: Literal[2, 3, 4, 5, 6]
    options: Chosen
    phase: Literal["swap", "play", "over"]
    to_act: list[int]
    zones: Zones
    facts: Facts
    scores: list[int]
    result: Result | None


Move = SwapMove | ReadyMove | PlayMove | PickUpMove | FlipMove | CompleteMove


def match(seats: int, options: Options | None = None, **given: Any) -> Match:
    """Deal a game; `given` is what else `Match` takes, such as `seed`."""
    return Match("palace", seats, cast(dict[str, Any], options), version=1, **given)


def view(match: Match, seat: int | None) -> View:
    """Return what a seat, or a spectator, sees now."""
    return cast(View, match.view(seat))


def legal_moves(match: Match, seat: int) -> list[Move]:
    """Return the moves that a seat may make now, also out of turn."""
    return cast(list[Move], match.legal_moves(seat))
