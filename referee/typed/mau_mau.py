"""Shapes of Mau-Mau, version 1. `make generate` writes them from the ruleset."""

from typing import Any, Literal, NotRequired, TypedDict, cast

from referee.computer.match import Match
from referee.typed.common import Hidden, Result

Card = Literal[
    "2C", "3C", "4C", "5C", "6C", "7C", "8C", "9C", "TC", "JC", "QC", "KC", "AC", "2D", "3D", "4D", "5D",
    "6D", "7D", "8D", "9D", "TD", "JD", "QD", "KD", "AD", "2H", "3H", "4H", "5H", "6H", "7H", "8H", "9H",
    "TH", "JH", "QH", "KH", "AH", "2S", "3S", "4S", "5S", "6S", "7S", "8S", "9S", "TS", "JS", "QS", "KS",
    "AS",
]  # fmt: skip


class PlayMove(TypedDict):
    """The move `play`."""

    type: Literal["play"]
    cards: list[Card]
    suit: NotRequired[Literal["C", "D", "H", "S"]]
    announce: NotRequired[bool]


class DrawMove(TypedDict):
    """The move `draw`."""

    type: Literal["draw"]


class TakeMove(TypedDict):
    """The move `take`."""

    type: Literal["take"]


class PassMove(TypedDict):
    """The move `pass`."""

    type: Literal["pass"]


class ThumbMove(TypedDict):
    """The move `thumb`."""

    type: Literal["thumb"]


class AnnounceMove(TypedDict):
    """The move `announce`."""

    type: Literal["announce"]


class CatchMove(TypedDict):
    """The move `catch`."""

    type: Literal["catch"]
    seat: int


class SayMove(TypedDict):
    """The move `say`."""

    type: Literal["say"]
    text: str
    finger: NotRequired[bool]


class Options(TypedDict, total=False):
    """What can be chosen; the rest is as usual."""

    must_play: bool
    ace_wild: bool
    strict_last: bool
    start_acts: bool


class Chosen(TypedDict):
    """What was chosen."""

    must_play: bool
    ace_wild: bool
    strict_last: bool
    start_acts: bool


Zones = TypedDict(
    "Zones",
    {
        "hand.0": list[Card] | Hidden,
        "hand.1": list[Card] | Hidden,
        "stock": Hidden,
        "pile": list[Card],
        "hand.2": NotRequired[list[Card] | Hidden],
        "hand.3": NotRequired[list[Card] | Hidden],
        "hand.4": NotRequired[list[Card] | Hidden],
        "hand.5": NotRequired[list[Card] | Hidden],
    },
)


class Facts(TypedDict):
    """The facts of a view."""

    dealer: int
    turn: int
    direction: Literal[1, -1]
    drawn: bool
    attack: Literal["2", "5H", "TH", "KH"] | None
    pending: int
    suit: Literal["C", "D", "H", "S"] | None
    announce_due: list[int]
    thumbs: list[int]


class View(TypedDict):
    """What a seat or a spectator sees."""

    ruleset: Literal["mau_mau"]
    version: Literal[1]
    seats: Literal[2, 3, 4, 5, 6]
    options: Chosen
    phase: Literal["play", "thumbs", "over"]
    to_act: list[int]
    zones: Zones
    facts: Facts
    scores: list[int]
    result: Result | None


Move = PlayMove | DrawMove | TakeMove | PassMove | ThumbMove | AnnounceMove | CatchMove | SayMove


def match(seats: int, options: Options | None = None, **given: Any) -> Match:
    """Deal a game; `given` is what else `Match` takes, such as `seed`."""
    return Match("mau_mau", seats, cast(dict[str, Any], options), version=1, **given)


def view(match: Match, seat: int | None) -> View:
    """Return what a seat, or a spectator, sees now."""
    return cast(View, match.view(seat))


def legal_moves(match: Match, seat: int) -> list[Move]:
    """Return the moves that a seat may make now, also out of turn."""
    return cast(list[Move], match.legal_moves(seat))
