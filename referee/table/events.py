"""What happens at a table, and what an entry records of it."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import NamedTuple

from referee.engine.position import Moved, Position
from referee.log.members import Members
from referee.log.pace import NOTHING
from referee.log.parts import Json
from referee.table.seats import Seat
from referee.table.table import Table

NOTHING_SAID: Members = {}


class Event(NamedTuple):
    """What happens at a table: the type of its entry, its time, and what the entry says by itself.

    A `moved` has the whole move, also where the entry hides a part of it.
    """

    kind: str
    at: datetime
    members: Members = NOTHING_SAID


class Earlier(NamedTuple):
    """The position to which a game goes back, and how many outcomes of chance were drawn before it."""

    state: Position
    drawn: int


class Given(NamedTuple):
    """What a table does not know by itself.

    `earlier` is the position before what is taken back, and `returned` what seats got by the moves that are
    taken back with it.
    """

    earlier: Earlier | None = None
    returned: Mapping[int, timedelta] = NOTHING


class Facts(NamedTuple):
    """What an entry records beside its own members: for everybody, and for each seat.

    `transfers` are the movements of cards in the form of the engine.
    """

    public: Json
    private: Mapping[str, Json] = MappingProxyType({})
    transfers: Sequence[Moved] = ()


Effects = Mapping[str, Callable[[Table[Seat], Event], Facts | None]]
"""What types of entries do to a table; those without an effect change only its version and its time."""
