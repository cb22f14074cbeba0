"""Shapes of Pies, version 1. `make generate` writes them from the ruleset."""

from typing import Any, Literal, TypedDict, cast

from referee.computer.match import Match
from referee.typed.common import Hidden, Result

Card = Literal[
    "9C", "TC", "JC", "QC", "KC", "AC", "9D", "TD", "JD", "QD", "KD", "AD", "9H", "TH", "JH", "QH", "KH",
    "AH", "9S", "TS", "JS", "QS", "KS", "AS",
]  # fmt: skip


class LeadMove(TypedDict):
    """The move `lead`."""

    type: Literal["lead"]
    card: Card


class BeatMove(TypedDict):
    """The move `beat`."""

    type: Literal["beat"]
    card: Card


class AddMove(TypedDict):
    """The move `add`."""

    type: Literal["add"]
    card: Card


class TakeMove(TypedDict):
    """The move `take`."""

    type: Literal["take"]


class Options(TypedDict, total=False):
    """What can be chosen; the rest is as usual."""

    blocking: Literal["top", "table"]
    recolour: bool
    move_limit: int


class Chosen(TypedDict):
    """What was chosen."""

    blocking: Literal["top", "table"]
    recolour: bool
    move_limit: int


Zones = TypedDict(
    "Zones",
    {
        "hand.0": list[Card] | Hidden,
        "hand.1": list[Card] | Hidden,
        "hand.2": list[Card] | Hidden,
        "hand.3": list[Card] | Hidden,
        "table": list[Card],
        "removed": list[Card],
    },
)


class Facts(TypedDict):
    """The facts of a view."""

    tura: int
    opening: bool
    colours: list[Literal["C", "S", "H", "D"]] | None
    moves: int


class View(TypedDict):
    """What a seat or a spectator sees."""

    ruleset: Literal["pies"]
    version: Literal[1]
    seats: Literal[4]
    options: Chosen
    phase: Literal["lead", "beat", "add", "over"]
    to_act: list[int]
    zones: Zones
    facts: Facts
    scores: list[int]
    result: Result | None


Move = LeadMove | BeatMove | AddMove | TakeMove


def match(seats: int, options: Options | None = None, **given: Any) -> Match:
    """Deal a game; `given` is what else `Match` takes, such as `seed`."""
    return Match("pies", seats, cast(dict[str, Any], options), version=1, **given)


def view(match: Match, seat: int | None) -> View:
    """Return what a seat, or a spectator, sees now."""
    return cast(View, match.view(seat))


def legal_moves(match: Match, seat: int) -> list[Move]:
    """Return the moves that a seat may make now, also out of turn."""
    return cast(list[Move], match.legal_moves(seat))
