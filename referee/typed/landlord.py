"""Shapes of Landlord, version 1. `make generate` writes them from the ruleset."""

from typing import Any, Literal, NotRequired, TypedDict, cast

from referee.computer.match import Match
from referee.typed.common import Hidden, Result

Card = Literal[
    "3C", "3D", "3H", "3S", "4C", "4D", "4H", "4S", "5C", "5D", "5H", "5S", "6C", "6D", "6H", "6S", "7C",
    "7D", "7H", "7S", "8C", "8D", "8H", "8S", "9C", "9D", "9H", "9S", "TC", "TD", "TH", "TS", "JC", "JD",
    "JH", "JS", "QC", "QD", "QH", "QS", "KC", "KD", "KH", "KS", "AC", "AD", "AH", "AS", "2C", "2D", "2H",
    "2S", "XB", "XR",
]  # fmt: skip


class TakeMove(TypedDict):
    """The move `take`."""

    type: Literal["take"]


class PassMove(TypedDict):
    """The move `pass`."""

    type: Literal["pass"]


class PlayMove(TypedDict):
    """The move `play`."""

    type: Literal["play"]
    cards: list[Card]


class Options(TypedDict, total=False):
    """What can be chosen; the rest is as usual."""

    hands: int
    attach_any: bool


class Chosen(TypedDict):
    """What was chosen."""

    hands: int
    attach_any: bool


Zones = TypedDict(
    "Zones",
    {
        "hand.0": list[Card] | Hidden,
        "hand.1": list[Card] | Hidden,
        "hand.2": list[Card] | Hidden,
        "hand.3": list[Card] | Hidden,
        "kitty": Hidden,
        "table": list[Card],
        "discard": list[Card],
        "hand.4": NotRequired[list[Card] | Hidden],
    },
)


class Combo(TypedDict):
    """A value of a fact."""

    kind: Literal[
        "single",
        "pair",
        "triplet",
        "triplet_card",
        "triplet_pair",
        "sequence",
        "pair_sequence",
        "triplet_sequence",
        "triplet_sequence_cards",
        "triplet_sequence_pairs",
        "multiple_card",
        "multiple_pair",
        "multiple_cards",
        "bomb",
        "rocket",
    ]
    size: int
    rank: Literal["3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "A", "2", "XB", "XR"]
    seat: int


class Facts(TypedDict):
    """The facts of a view."""

    hand_number: int
    face_up: Card
    first: int
    landlord: int | None
    shown: list[Card]
    combo: Combo | None


class View(TypedDict):
    """What a seat or a spectator sees."""

    ruleset: Literal["landlord"]
    version: Literal[1]
    seats: Literal[4, 5]
    options: Chosen
    phase: Literal["choose", "play", "over"]
    to_act: list[int]
    zones: Zones
    facts: Facts
    scores: list[int]
    result: Result | None


Move = TakeMove | PassMove | PlayMove


def match(seats: int, options: Options | None = None, **given: Any) -> Match:
    """Deal a game; `given` is what else `Match` takes, such as `seed`."""
    return Match("landlord", seats, cast(dict[str, Any], options), version=1, **given)


def view(match: Match, seat: int | None) -> View:
    """Return what a seat, or a spectator, sees now."""
    return cast(View, match.view(seat))


def legal_moves(match: Match, seat: int) -> list[Move]:
    """Return the moves that a seat may make now, also out of turn."""
    return cast(list[Move], match.legal_moves(seat))
