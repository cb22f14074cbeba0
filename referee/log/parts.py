"""Types of what is inside the members of entries."""

from collections.abc import Mapping
from typing import TypedDict

Json = dict[str, object]
"""An object whose content the rules of a game, or whoever reads it, judge: moves, options, terms."""


class Named(TypedDict):
    """A player: an id and a name."""

    id: str
    name: str


class Holder(TypedDict):
    """Who holds a seat: a player, a bot or nobody."""

    player: Named | None
    bot: str | None


class Newcomer(Holder):
    """Who is to hold a seat."""

    seat: int


class Nudged(TypedDict):
    """A seat that is asked to move, and who sits there."""

    seat: int
    player: Named


class Added(TypedDict):
    """A seat, and the time that is added to its turn."""

    seat: int
    time: str


class Vacation(TypedDict, total=False):
    """Days off, their end, and how many are left."""

    days: int
    until: str
    left: int


class Undone(TypedDict):
    """A time-out that is undone: its seat, and the entry that named it."""

    seat: int
    timed_out: int


class Ruling(TypedDict):
    """Who wins and who loses."""

    winners: list[int]
    losers: list[int]


class Result(Ruling):
    """How a game has ended, and why."""

    reason: str


class Share(TypedDict, total=False):
    """What only one seat sees of an entry."""

    move: Json
    transfers: list[Json]
    salt: str
    signature: str


Shares = Mapping[str, Share]
