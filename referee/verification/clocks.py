"""Recomputes deadlines, reserves and vacations from a log's pace and times."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from referee.log.entries import ENTRY_TYPES, GOING_BACK
from referee.log.pace import (
    Clock,
    Increments,
    Pace,
    add_time,
    end_turn,
    go_away,
    outlast,
    pause,
    resume,
    turn_over,
)
from referee.log.times import duration, duration_text, read_time, timestamp
from referee.verification.findings import Findings
from referee.verification.lateness import Lateness
from referee.verification.replaying import Replay

TIMED = frozenset(("timed_out", "paused", "time_returned", "time_added", "timeout_undone"))
UNTIMED = ("deadlines", "reserve", "vacation", "random")  # are in no entry without a pace
FACTS = ("deadlines", "reserve", "vacation")
Due = dict[str, Any]  # the members of an entry that follow from the pace


@dataclass(frozen=True, slots=True)
class Now:
    """An entry, its seat (None if it has none) and time; `exact`: it is known for whom the game waits."""

    entry: dict[str, Any]
    seat: int | None
    at: datetime
    waiting: Collection[int]
    exact: bool

    def named(self, member: str) -> Any:
        """Return the seats of a member, with what it says of each."""
        return self.entry.get(member) or {}


class Clocks:
    """The correct clocks of a table, seat by seat."""

    def __init__(self, seats: int, findings: Findings) -> None:
        """Start before the deal."""
        self._findings = findings
        self._seats = [Clock()] * seats
        self._lateness = Lateness(self._seats, self._fail)
        self._pace: Pace | None = None
        self._started = False
        self._copied = False  # the log was written from a record
        self._increments = Increments()
        self._returned: dict[int, timedelta] = {}  # what seats got by moves that the entry takes back
        self._latest = datetime.min.replace(tzinfo=UTC)  # the time of the entry before

    @property
    def on_timeout(self) -> str:
        """What happens to a late seat now."""
        return "resign" if self._pace is None else self._pace.on_timeout

    @property
    def resigns(self) -> bool:
        """Whether a late seat resigns."""
        return self.on_timeout == "resign"

    def read(self, entry: dict[str, Any], replay: Replay) -> None:
        """Check the next entry, of a known type; `replay` is the game after it."""
        kind = entry["type"]
        if kind == "created":
            self._create(entry)
        if self._pace is None:
            late = kind in TIMED and not (self._copied and kind == "timed_out")  # as its record says
            if late or not entry.keys().isdisjoint(UNTIMED):
                self._fail("speaks of time in a game without deadlines")
            return
        at = read_time(entry.get("at"))
        if at is None:
            return  # reported elsewhere
        number = entry.get("seat")
        seat = number if type(number) is int and 0 <= number < len(self._seats) else None
        waiting = replay.waiting
        try:
            self._follow(kind, Now(entry, seat, at, waiting or (), waiting is not None))
            if type(seq := entry.get("seq")) is int:
                self._increments.read(seq, entry)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            self._fail("has times that cannot be counted with")
        self._latest = at

    def late(self, at: object) -> set[int]:
        """Return the seats that were clearly late."""
        moment = read_time(at)
        return self._lateness.clearly(moment) if moment else set()

    def _create(self, entry: dict[str, Any]) -> None:
        self._copied = "origin" in entry
        pace = entry.get("pace")
        if pace is None:
            return
        try:
            self._pace = Pace.of(pace) if type(pace) is dict else None
        except ValueError:
            self._pace = None
        if self._pace is None:
            self._fail("announces a pace that cannot be counted with")
            return
        self._increments.read(1, entry)

    def _follow(self, kind: str, now: Now) -> None:
        self._read_late(kind, now)
        if kind == "joined" and now.seat is not None:
            self._set(now.seat, bot=now.entry.get("bot"))
        self._started = self._started or kind == "started"
        of = now.entry.get("of") if kind in GOING_BACK else None
        self._returned = self._increments.since(of) if type(of) is int else {}
        turns = self._started and ENTRY_TYPES[kind].turns
        if turns and not now.exact:
            self._take(kind, now)
            return
        due = self._turn(kind, now) if turns else CHANGES[kind](self, now) if kind in CHANGES else {}
        if {name: now.entry[name] for name in FACTS if name in now.entry} != due:
            self._fail("the deadlines, reserves or days off are not those that follow from the pace")

    def _read_late(self, kind: str, now: Now) -> None:
        self._lateness.begin(kind, now.seat)
        if now.seat is None:
            return
        if kind == "timed_out":
            self._lateness.name(now.seat, now.at, self.resigns)
        elif kind == "moved":
            self._lateness.move(now.entry, now.seat, now.at, now.exact)

    def _turn(self, kind: str, now: Now) -> Due:
        due = turn_over(
            self._seats,
            now.waiting,
            self._pace,
            now.at,
            now.seat if kind == "moved" else None,
            ENTRY_TYPES[kind].afresh,
            forced=bool(now.entry.get("random")),
            returned=self._returned,
        )
        self._lateness.turns_changed(now.at)
        return due

    def _leave(self, now: Now) -> Due:
        if now.seat is None:
            return {}
        before = self._seats[now.seat]
        due = end_turn(self._seats, now.seat, self._pace, now.at)
        if "reserve" not in now.entry and not now.exact:
            self._set(now.seat, reserve=before.reserve)
            due = {}
        self._set(now.seat, bot=None)
        return due

    def _stop(self, now: Now) -> Due:
        assert self._pace is not None
        pause(self._seats, self._pace, now.at)
        return {}

    def _resume(self, now: Now) -> Due:
        assert self._pace is not None
        self._forget_others(now, left=None)
        return resume(self._seats, self._pace, now.at)

    def _return(self, now: Now) -> Due:
        assert self._pace is not None
        since = read_time(now.entry.get("since"))
        if since is None or not self._latest <= since <= now.at:
            self._fail("returns time from before the entry before it")
            since = now.at
        self._forget_others(now, deadline=None)
        due = outlast(self._seats, self._pace, since, now.at)
        if not due:
            self._fail("returns time although no clock was running")
        return due

    def _forget_others(self, now: Now, **nothing: None) -> None:
        """Forget the turns of seats that the entry does not name, if it is unknown whose turns these are."""
        for number in range(len(self._seats)):
            if not now.exact and str(number) not in now.named("deadlines"):
                self._set(number, **nothing)

    def _add(self, now: Now) -> Due:
        assert self._pace is not None
        added = now.entry.get("added")
        seat = added.get("seat") if type(added) is dict else None
        if type(added) is not dict or type(seat) is not int or not 0 <= seat < len(self._seats):
            self._fail("adds time for no seat of the table")
            return {}
        due = add_time(self._seats, seat, self._pace, duration(added.get("time") or ""))
        if not due:
            self._fail(f"adds time for seat {seat}, which has no deadline")
        return due

    def _vacation(self, now: Now) -> Due:
        assert self._pace is not None
        seat, vacation = now.seat, now.entry.get("vacation")
        if not now.exact and seat is not None and "deadlines" not in now.entry:
            self._set(seat, deadline=None)  # the game did not wait for this seat
        days = vacation.get("days") if type(vacation) is dict else None
        if seat is None or type(days) is not int:
            self._fail("does not say who is away for how many days")
            return {}
        if not 0 < days <= self._pace.vacation_left(self._seats[seat]):
            return {}
        return go_away(self._seats, seat, self._pace, now.at, days)

    def _take(self, kind: str, now: Now) -> None:
        """Check only the clocks that an entry names, because it is unknown whose turn it is."""
        self._findings.skip("whose turn it was is not known without the deal", "clocks")
        named, spent = now.named("deadlines"), now.named("reserve")
        numbers = set(map(str, range(len(self._seats))))
        if type(named) is not dict or type(spent) is not dict or not {*named, *spent} <= numbers:
            self._fail("names clocks of seats that the table does not have")
            return
        mover = now.seat if kind == "moved" else None
        for text, left in spent.items():
            self._take_reserve(int(text), left, mover, now)
        if mover is not None:
            self._set(mover, deadline=None)
        for text, deadline in named.items():
            self._take_deadline(text, deadline, now)

    def _take_reserve(self, seat: int, left: object, mover: int | None, now: Now) -> None:
        assert self._pace is not None
        before = self._seats[seat]
        after = self._pace.end(before, now.at)
        if seat == mover and before.deadline is not None and not now.entry.get("random"):
            after = self._pace.earn(after)
        if seat in self._returned:
            after = self._pace.lose(after, self._returned[seat])
        self._seats[seat] = after
        if after is before or after.reserve is None or duration_text(after.reserve) != left:
            self._fail(f"the reserve of seat {seat} is not the one that is left")

    def _take_deadline(self, text: str, deadline: object, now: Now) -> None:
        assert self._pace is not None
        due = self._pace.deadline(self._seats[int(text)], now.at)
        if timestamp(due) != deadline:
            self._fail(f"the deadline of seat {text} does not follow from the pace")
        self._set(int(text), deadline=due)

    def _set(self, seat: int, **changes: Any) -> None:
        self._seats[seat] = replace(self._seats[seat], **changes)

    def _fail(self, detail: str) -> None:
        self._findings.fail("clocks", detail)


# Type of entry → what it does to clocks, apart from those with which turns begin and end.
CHANGES: dict[str, Callable[[Clocks, Now], Due]] = {
    "left": Clocks._leave,
    "time_returned": Clocks._return,
    "time_added": Clocks._add,
    "paused": Clocks._stop,
    "resumed": Clocks._resume,
    "vacation_taken": Clocks._vacation,
}
