"""Commands about time: days off, nudges, and what is given back or changed."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import ClassVar, Self

from referee.engine.verdicts import Refusal
from referee.log.members import Members
from referee.log.pace import add_time, go_away, outlast
from referee.log.parts import Nudged
from referee.log.times import duration, duration_text, timestamp
from referee.table.commands.base import UNTIMED, Command, Here, Outcome, SeatCommand
from referee.table.events import Effects, Event, Facts
from referee.table.seats import Seat
from referee.table.table import Table

FEW_DAYS = "table.vacation"  # the rule that refuses more days off than are left
NUDGE_AFTER = timedelta(days=1)  # after which a seat may be nudged, and nudged again
NOBODY_WAITED_FOR = Refusal(
    "table.not_waited", "The game has not waited a day for anybody, or the last nudge is too recent."
)


@dataclass(frozen=True, slots=True)
class TakeVacation(SeatCommand):
    """Take days off, from now on or after those already taken."""

    days: int
    event_kind: ClassVar[str] = "vacation_taken"

    @classmethod
    def of(cls, entry: Members) -> Self:
        """Return what was asked for if this entry was written."""
        return cls(entry["seat"], entry["vacation"]["days"])

    def _members(self, here: Here) -> Outcome:
        left = here.table.timing.vacation_left(here.table.seats[self.seat]) if here.table.timing else 0
        if not 0 < self.days <= left:
            return Refusal(FEW_DAYS, f"Seat {self.seat} has {left} days of vacation left.")
        return {**here.table.who(self.seat), "vacation": {"days": self.days}}


def _take_vacation(table: Table[Seat], event: Event) -> Facts:
    days = event.members["vacation"]["days"]
    facts = go_away(table.seats, event.members["seat"], table.time_control, table.updated_at, days)
    return Facts(facts)


@dataclass(frozen=True, slots=True)
class Nudge(SeatCommand):
    """Ask a seat to move for which the game has waited a day."""

    nudged: int
    event_kind: ClassVar[str] = "nudged"
    needs_past: ClassVar[bool] = True

    def _members(self, here: Here) -> Outcome:
        there = here.table.seats[self.nudged]
        waited = here.past.waited_since(here.table, self.nudged)
        begun = max(filter(None, (there.since, there.nudged_at, there.away_until, waited)), default=here.now)
        if (
            self.nudged == self.seat
            or there.player is None
            or waited is None
            or here.now - begun < NUDGE_AFTER
        ):
            return NOBODY_WAITED_FOR
        whom: Nudged = {"seat": self.nudged, "player": there.player.to_json()}
        return {**here.table.who(self.seat), "nudge": whom}


def _nudge(table: Table[Seat], event: Event) -> None:
    table.change(event.members["nudge"]["seat"], nudged_at=table.updated_at)


@dataclass(frozen=True, slots=True)
class AddTime(Command):
    """Add time to the running turn of a seat."""

    seat: int
    length: timedelta
    event_kind: ClassVar[str] = "time_added"
    by_director: ClassVar[bool] = True

    @classmethod
    def of(cls, entry: Members) -> Self:
        """Return what was asked for if this entry was written."""
        return cls(entry["added"]["seat"], duration(entry["added"]["time"]))

    def _members(self, here: Here) -> Outcome:
        if here.table.timing is None:
            return UNTIMED
        if not 0 <= self.seat < len(here.table.seats) or here.table.seats[self.seat].deadline is None:
            return Refusal("table.no_turn", f"No time is running for seat {self.seat}.")
        return {"added": {"seat": self.seat, "time": duration_text(self.length)}}


def _add_time(table: Table[Seat], event: Event) -> Facts:
    seat, length = event.members["added"]["seat"], duration(event.members["added"]["time"])
    return Facts(add_time(table.seats, seat, table.time_control, length))


@dataclass(frozen=True, slots=True)
class ReturnTime(Command):
    """Give all running clocks the time back of an outage that began at a time and ends now."""

    began_at: datetime
    event_kind: ClassVar[str] = "time_returned"

    @classmethod
    def of(cls, entry: Members) -> Self:
        """Return what was asked for if this entry was written."""
        return cls(datetime.fromisoformat(entry["since"]))

    def _members(self, here: Here) -> Outcome:
        if not here.table.clock_runs:
            return Refusal("table.no_clock", "No clock is running.")
        since = max(self.began_at, here.table.updated_at)
        if since > here.now:
            return Refusal("table.no_clock", "No clock has run since then.")
        return {"since": timestamp(since)}


def _return_time(table: Table[Seat], event: Event) -> Facts:
    since = datetime.fromisoformat(event.members["since"])
    if table.dealing is not None and table.reveals:
        table.dealing = table.dealing.outlast(table.updated_at - since)
        return Facts({})
    return Facts(outlast(table.seats, table.time_control, since, table.updated_at))


EFFECTS: Effects = {
    "vacation_taken": _take_vacation,
    "nudged": _nudge,
    "time_returned": _return_time,
    "time_added": _add_time,
}
