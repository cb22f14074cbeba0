"""The members of entries with their types; `referee/log/members.py` says their shapes and meanings."""

from collections.abc import Mapping
from typing import NamedTuple, TypedDict

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


class Round(TypedDict):
    """A round of a public beacon."""

    round: int
    signature: str


class Share(TypedDict, total=False):
    """What only one seat sees of an entry."""

    move: Json
    transfers: list[Json]
    salt: str
    signature: str


Shares = Mapping[str, Share]


class Members(TypedDict, total=False):
    """What an entry says. A name means the same in every type of entry, and each type has some of them."""

    seq: int
    type: str
    at: str
    log: int
    seat: int  # null only where the app of the game says something
    player: Named | None
    bot: str | None
    ruleset: str
    ruleset_version: int
    options: Json
    seats: int
    visibility: str
    pace: Json | None
    commitment: str
    reveal_within: str | None
    beacon: Json
    origin: str
    imported_by: Named | None
    forked_from: Json | None
    test_clock: str
    entropy: str
    public_key: str | None
    randomness: Round
    replaced: bool
    agreed: bool
    dropped: bool
    random: bool
    order: bool
    move: Json
    text: str
    of: int
    undone: Undone
    replacement: Newcomer
    ending: str
    nudge: Nudged
    vacation: Vacation
    deadlines: dict[str, str]
    delays: dict[str, str]
    reserve: dict[str, str]
    since: str
    added: Added
    ruling: Ruling
    result: Result
    seed: str
    looks: list[Json]
    by: str
    signature: str
    sealed: str
    seals: dict[str, str]


class Entry(NamedTuple):
    """A log entry as it is stored: its public form, each seat's share, and the hash of the chain."""

    public: Members
    private: Shares
    hash: bytes
