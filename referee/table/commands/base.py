"""What a command is, and how a table decides it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, NamedTuple, Self

from referee.engine.talk import talk
from referee.engine.verdicts import Refusal
from referee.log.entries import ENTRY_TYPES
from referee.log.members import Members
from referee.table.events import Event
from referee.table.recent import Recent
from referee.table.seats import Seat
from referee.table.table import OPEN, RUNNING, Table

OVER = Refusal("table.over", "The game is over.")
BEGUN = Refusal("table.begun", "The game has begun.")
NOT_BEGUN = Refusal("table.not_begun", "The game has not begun: a seat is still open.")
PAUSED = Refusal("table.paused", "The game is paused: end the pause first.")
NOT_PAUSED = Refusal("table.not_paused", "The game is not paused.")
UNTIMED = Refusal("table.untimed", "The game has no deadlines.")
TALK_IS_A_MOVE = Refusal("table.talk", "In this game, what a seat says is a move.")


class Here(NamedTuple):
    """The table at which something is asked for, the time, and what is recent there, if that was read."""

    table: Table[Seat]
    now: datetime
    recent: Recent | None

    @property
    def past(self) -> Recent:
        """What is recent."""
        assert self.recent is not None, "the command is decided without the past"
        return self.recent


Outcome = Members | Refusal


def misplaced(table: Table[Seat], stages: Sequence[str]) -> Refusal | None:
    """Return why nothing can happen now that belongs to these stages of a game; None if it can."""
    if table.version == 0 and "nothing" in stages:
        return None
    if table.status == OPEN:
        return None if "open" in stages else NOT_BEGUN
    if table.status != RUNNING:
        return BEGUN if [*stages] == ["open"] else OVER
    if table.paused:
        return None if "paused" in stages else BEGUN if [*stages] == ["open"] else PAUSED
    return None if "running" in stages else NOT_PAUSED if "paused" in stages else BEGUN


@dataclass(frozen=True, slots=True)
class Command:
    """What a seat, or nobody at the table, asks for.

    `event_kind` is the type of the entry that it makes; it may be possible at fewer `stages` of a game than
    that. Those that `needs_past` are decided with what is recent at the table. Entries of those
    `by_director` say who directs the game.
    """

    event_kind: ClassVar[str]
    stages: ClassVar[tuple[str, ...]] = ()
    needs_past: ClassVar[bool] = False
    by_director: ClassVar[bool] = False

    @classmethod
    def of(cls, entry: Members) -> Self:
        """Return what was asked for if this entry was written."""
        return cls()

    def meant(self, table: Table[Seat]) -> "Command":
        """Return the command that it is at this table: what is said is a move in some games."""
        return self

    def _members(self, here: Here) -> Outcome:
        """Return what the entry says by itself, or why there is none."""
        return {}


@dataclass(frozen=True, slots=True)
class SeatCommand(Command):
    """What a seat asks for."""

    seat: int

    @classmethod
    def of(cls, entry: Members) -> Self:
        """Return what was asked for if this entry was written."""
        return cls(entry["seat"])

    def _members(self, here: Here) -> Outcome:
        return here.table.who(self.seat)


def decide(
    table: Table[Seat], command: Command, now: datetime, past: Recent | None = None
) -> Event | Refusal:
    """Return what happens when a command is carried out now, or the rule by which it is refused.

    A command that `needs_past` is decided with what is recent at the table.
    """
    command = command.meant(table)
    declared = ENTRY_TYPES[command.event_kind]
    if refusal := misplaced(table, command.stages or declared.stages):
        return refusal
    members = command._members(Here(table, now, past))
    if isinstance(members, Refusal):
        return members
    if declared.says and (refusal := _unsayable(table, members, members["text"])):
        return refusal
    return Event(command.event_kind, max(now, table.updated_at), members)


def _unsayable(table: Table[Seat], members: Members, text: str) -> Refusal | None:
    """Return why a seat cannot say this now; None if it can, or if not a seat says it."""
    if members.get("seat") is None or table.status != RUNNING or not text:
        return None
    allowed = talk(table.position)
    return TALK_IS_A_MOVE if allowed.move else allowed.refuse(text)
