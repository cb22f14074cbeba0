"""Types of what is inside the members of entries."""

from collections.abc import Mapping
from typing import NotRequired, TypedDict

Json = dict[str, object]
"""An object whose content the rules of a game, or whoever reads it, judge: moves, options, terms."""


class Named(TypedDict):
    """A player: an id and a name, or in an entry, in place of the name of a newcomer, its hash."""

    id: str
    name: NotRequired[str]
    commitment: NotRequired[str]


class Name(TypedDict):
    """A name whose hash is in an entry, with a random salt."""

    name: str
    salt: str


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
    """What only one seat sees of an entry, or what everybody sees until it is erased."""

    move: Json
    transfers: list[Json]
    text: str
    salt: str
    signature: str


Shares = Mapping[str, Share]
