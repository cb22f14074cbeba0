"""Shapes of Dog Cards, version 1. `make generate` writes them from the ruleset."""

from typing import Any, Literal, NotRequired, TypedDict, cast

from referee.computer.match import Match
from referee.typed.common import Hidden, Result

Card = Literal[
    "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "12", "13", "14", "J", "R",
]  # fmt: skip


class GiveMove(TypedDict):
    """The move `give`."""

    type: Literal["give"]
    card: Card


class LayMove(TypedDict):
    """The move `lay`."""

    type: Literal["lay"]
    card: Card
    owner: int
    row: int


class BuyMove(TypedDict):
    """The move `buy`."""

    type: Literal["buy"]
    card: Card
    position: int


class LookMove(TypedDict):
    """The move `look`."""

    type: Literal["look"]


class TakeMove(TypedDict):
    """The move `take`."""

    type: Literal["take"]
    place: int


class SearchMove(TypedDict):
    """The move `search`."""

    type: Literal["search"]
    take: Card


class RobMove(TypedDict):
    """The move `rob`."""

    type: Literal["rob"]
    owner: int
    row: int


class SwapMove(TypedDict):
    """The move `swap`."""

    type: Literal["swap"]
    card: Card
    owner: int
    row: int
    place: int


class DiscardMove(TypedDict):
    """The move `discard`."""

    type: Literal["discard"]
    card: Card


class Options(TypedDict, total=False):
    """What can be chosen; the rest is as usual."""

    youngest: int | None
    start_cards: bool
    done_counts: bool
    turn_limit: int


class Chosen(TypedDict):
    """What was chosen."""

    youngest: int | None
    start_cards: bool
    done_counts: bool
    turn_limit: int


Zones = TypedDict(
    "Zones",
    {
        "draw": Hidden,
        "discard": list[Card],
        "open": list[Card],
        "look": list[Card] | Hidden,
        "hand.0": list[Card] | Hidden,
        "hand.1": list[Card] | Hidden,
        "row1.0": list[Card],
        "row1.1": list[Card],
        "row2.0": NotRequired[list[Card]],
        "row2.1": NotRequired[list[Card]],
        "done.0": list[Card],
        "done.1": list[Card],
        "hand.2": NotRequired[list[Card] | Hidden],
        "row1.2": NotRequired[list[Card]],
        "row2.2": NotRequired[list[Card]],
        "done.2": NotRequired[list[Card]],
        "hand.3": NotRequired[list[Card] | Hidden],
        "row1.3": NotRequired[list[Card]],
        "done.3": NotRequired[list[Card]],
        "gift.0": NotRequired[list[Card] | Hidden],
        "gift.1": NotRequired[list[Card] | Hidden],
        "gift.2": NotRequired[list[Card] | Hidden],
        "gift.3": NotRequired[list[Card] | Hidden],
    },
)


class Facts(TypedDict):
    """The facts of a view."""

    turn: int
    turns: int


class View(TypedDict):
    """What a seat or a spectator sees."""

    ruleset: Literal["dog_cards"]
    version: Literal[1]
    seats: Literal[2, 3, 4]
    options: Chosen
    phase: Literal["exchange", "play", "look", "over"]
    to_act: list[int]
    zones: Zones
    facts: Facts
    scores: list[int]
    result: Result | None


Move = GiveMove | LayMove | BuyMove | LookMove | TakeMove | SearchMove | RobMove | SwapMove | DiscardMove


def match(seats: int, options: Options | None = None, **given: Any) -> Match:
    """Deal a game; `given` is what else `Match` takes, such as `seed`."""
    return Match("dog_cards", seats, cast(dict[str, Any], options), version=1, **given)


def view(match: Match, seat: int | None) -> View:
    """Return what a seat, or a spectator, sees now."""
    return cast(View, match.view(seat))


def legal_moves(match: Match, seat: int) -> list[Move]:
    """Return the moves that a seat may make now, also out of turn."""
    return cast(list[Move], match.legal_moves(seat))
