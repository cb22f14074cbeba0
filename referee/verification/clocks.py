"""Recomputes deadlines, reserves and vacations from a log's pace and times."""

from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from referee.log.entries import ENTRY_TYPES, GOING_BACK
from referee.log.pace import (
    NO_TIME,
    Clock,
    Increments,
    Pace,
    add_time,
    change_pace,
    duration,
    duration_text,
    end_turn,
    go_away,
    outlast,
    pause,
    read_time,
    resume,
    timestamp,
    turn_over,
)
from referee.verification.findings import Findings

TIMED = ("timed_out", "paused", "time_returned", "time_added", "pace_changed", "timeout_undone")
FACTS = ("deadlines", "delays", "reserve", "vacation")
# A pace from before reserves existed: such logs named only some of the deadlines.
# The longest time between reading the clock and writing an entry.
GRACE = timedelta(seconds=1)
ALL_AT_ONCE = 2  # from this number of `log` on
IN_ORDER = 5  # from this number on, late seats must be named in the order of their deadlines
LEFT_USED = 6  # from this number on, a handed-over seat loses what its turn has used of the reserve
RETURNED = 8  # from this number on, increments of moves that are taken back are returned
EARLY = {"per_move", "on_timeout", "warn_before"}


class Clocks:
    """The correct clocks of a table, seat by seat."""

    def __init__(self, seats: int, waiting: Callable[[], list[int] | None], findings: Findings) -> None:
        """Start before the deal; `waiting` returns the seats that the game waits for, None if unknown."""
        self._waiting = waiting
        self._findings = findings
        self._seats = [Clock()] * seats
        self._pace: Pace | None = None
        self._early = False
        self._started = False
        self._all_at_once = False  # whether all late seats are named before a move is made for the first
        self._in_order = False
        self._left_used = False
        self._due: set[int] = set()  # the late seats for which moves must be made now
        self._made = False  # such a move was made, and may have ended the turns of the others
        self._exact = False  # whether it is known whose turns it has ended
        self._delays: dict[str, timedelta] = {}  # of the entry, by seat
        self._increments = Increments()
        self._returned: dict[int, timedelta] = {}  # what seats got by moves that the entry takes back
        self._returns = False
        self._latest = datetime.min.replace(tzinfo=UTC)  # the time of the entry before

    @property
    def on_timeout(self) -> str:
        """What happens to a late seat now."""
        return "resign" if self._pace is None else self._pace.on_timeout

    @property
    def resigns(self) -> bool:
        """Whether a late seat resigns."""
        return self.on_timeout == "resign"

    def read(self, entry: dict[str, Any]) -> None:
        """Check the next entry, of a known type; the game is already in the state after it."""
        kind = entry["type"]
        if kind == "created":
            self._announce(entry.get("pace"))
            if self._pace is not None:
                self._increments.read(1, entry)
            log = entry.get("log")
            number = log if type(log) is int else 1
            self._all_at_once = number >= ALL_AT_ONCE
            self._in_order = number >= IN_ORDER
            self._left_used = number >= LEFT_USED
            self._returns = number >= RETURNED
        if kind == "imported":  # deadlines of another server are not enforced
            self._pace = None
        if self._pace is None:
            if kind in TIMED or not entry.keys().isdisjoint(FACTS):
                self._fail("speaks of time in a game without deadlines")
            return
        at = read_time(entry.get("at"))
        if at is None:
            return  # reported elsewhere
        try:
            self._follow(kind, entry, at, self._waiting())
            if type(seq := entry.get("seq")) is int:
                self._increments.read(seq, entry)
        except (ValueError, OverflowError, TypeError):
            self._fail("has times that cannot be counted with")
        self._latest = at

    def late(self, at: object) -> set[int]:
        """Return the seats that were clearly late."""
        moment = read_time(at)
        return {n for n in range(len(self._seats)) if moment and self._is_late(n, moment - GRACE)}

    def _announce(self, pace: object) -> None:
        if pace is None:
            return
        try:
            self._pace = Pace.of(pace) if type(pace) is dict else None
        except ValueError:
            self._pace = None
        if self._pace is None:
            self._fail("announces a pace that cannot be counted with")
        elif type(pace) is dict and pace.keys() == EARLY:
            self._early = True
            self._findings.skip(
                "the pace is of an early form, and deadlines are taken as they stand", "clocks"
            )

    def _follow(
        self, kind: str, entry: dict[str, Any], at: datetime, waiting: Collection[int] | None
    ) -> None:
        assert self._pace is not None
        number = entry.get("seat")
        seat = number if type(number) is int and 0 <= number < len(self._seats) else None
        settled = (kind == "moved" and seat in self._due) or (kind == "timed_out" and not self._made)
        if self._due and not settled and (self._exact or not self._made):
            self._fail(f"no move was made for seat {min(self._due)}, whose time was over")
        if not settled:
            self._due, self._made = set(), False
        if kind == "timed_out" and seat is not None:
            self._read_timeout(seat, at)
        elif kind == "moved" and seat is not None:
            self._read_move(entry, seat, at, exact=waiting is not None)
        elif kind == "joined" and seat is not None:
            self._set(seat, bot=entry.get("bot"))
        self._started = self._started or kind == "started"
        self._delays = self._delays_of(entry)
        of = entry.get("of") if kind in GOING_BACK and self._returns else None
        self._returned = self._increments.since(of) if type(of) is int else {}
        turns = self._started and ENTRY_TYPES[kind].turns
        if self._early or (turns and waiting is None):
            if kind == "pace_changed":
                self._change(entry.get("pace"))
            self._take(kind, entry, seat, at)
            return
        due: dict[str, Any] = {}
        if turns:
            moved = seat if kind == "moved" else None
            forced = bool(entry.get("random"))
            afresh = ENTRY_TYPES[kind].afresh
            due = turn_over(
                self._seats,
                waiting or (),
                self._pace,
                at,
                moved,
                afresh,
                forced=forced,
                delays=self._delay,
                returned=self._returned,
            )
            self._due = {number for number in self._due if self._is_late(number, at)}
        elif kind == "left" and seat is not None:
            due = self._leave(entry, seat, at, exact=waiting is not None)
        elif kind == "time_returned":
            due = self._return(entry, at, exact=waiting is not None)
        elif kind == "time_added":
            due = self._add(entry.get("added"))
        elif kind == "pace_changed":
            self._change(entry.get("pace"))
        elif kind == "paused":
            pause(self._seats, self._pace, at)
        elif kind == "resumed":
            due = self._resume(entry, at, exact=waiting is not None)
        elif kind == "vacation_taken":
            if waiting is None and seat is not None and "deadlines" not in entry:
                self._set(seat, deadline=None)  # the game did not wait for this seat
            due = self._vacation(entry.get("vacation"), seat, at)
        if {name: entry[name] for name in FACTS if name in entry} != due:
            self._fail("the deadlines, reserves or days off are not those that follow from the pace")

    def _delays_of(self, entry: dict[str, Any]) -> dict[str, timedelta]:
        """Return the delays of deadlines in an entry; the players' hours themselves are not in the log."""
        assert self._pace is not None
        named = entry.get("delays") or {}
        delays = {seat: duration(delay) for seat, delay in named.items()} if type(named) is dict else {}
        if not all(NO_TIME < delay <= self._pace.own_hours for delay in delays.values()):
            self._fail("delays a deadline by more than the pace allows, or by nothing")
        return delays

    def _delay(self, seat: int, begun: datetime, length: timedelta) -> timedelta:
        return self._delays.get(str(seat), NO_TIME)

    def _read_timeout(self, seat: int, at: datetime) -> None:
        if not self._is_late(seat, at):
            self._fail(f"the time of seat {seat} was not over")
        elif seat in self._due:
            self._fail(f"seat {seat} is named twice")
        elif not self.resigns:
            self._due.add(seat)
            if self._in_order and seat != max(self._due, key=self._turn):
                self._fail(f"seat {seat} is named after others whose time was over later")

    def _read_move(self, entry: dict[str, Any], seat: int, at: datetime, exact: bool) -> None:
        self._exact = exact and not self._early
        if not entry.get("random"):
            due = seat in self._due and (self._exact or not self._made)
            if due or (exact and self._is_late(seat, at - GRACE)):
                self._fail("who moves in time, and only they, move for themselves")
            self._due, self._made = set(), False
            return
        if seat not in self._due:
            self._fail("who moves in time, and only they, move for themselves")
        elif self._in_order and self._exact and seat != min(self._due, key=self._turn):
            self._fail(f"a move is made for seat {seat} before others whose time was over earlier")
        forgotten = self.late(entry.get("at")) - self._due
        if self._all_at_once and self._exact and not self._made and forgotten:
            self._fail(f"the time of seat {min(forgotten)} was over too")
        self._due.discard(seat)
        self._made = True

    def _resume(self, entry: dict[str, Any], at: datetime, exact: bool) -> dict[str, Any]:
        assert self._pace is not None
        named = entry.get("deadlines") or {}
        for number in range(len(self._seats)):
            if not exact and str(number) not in named:
                self._set(number, left=None)  # the game did not wait for this seat
        return resume(self._seats, self._pace, at, self._delay)

    def _return(self, entry: dict[str, Any], at: datetime, exact: bool) -> dict[str, Any]:
        assert self._pace is not None
        since, named = read_time(entry.get("since")), entry.get("deadlines") or {}
        if since is None or not self._latest <= since <= at:
            self._fail("returns time from before the entry before it")
            since = at
        for number in range(len(self._seats)):
            if not exact and str(number) not in named:
                self._set(number, deadline=None)  # the game did not wait for this seat
        due = outlast(self._seats, self._pace, since, at, self._delay)
        if not due:
            self._fail("returns time although no clock was running")
        return due

    def _add(self, added: object) -> dict[str, Any]:
        assert self._pace is not None
        seat = added.get("seat") if type(added) is dict else None
        if type(added) is not dict or type(seat) is not int or not 0 <= seat < len(self._seats):
            self._fail("adds time for no seat of the table")
            return {}
        due = add_time(self._seats, seat, self._pace, duration(added.get("time") or ""), self._delay)
        if not due:
            self._fail(f"adds time for seat {seat}, which has no deadline")
        return due

    def _change(self, pace: object) -> None:
        assert self._pace is not None
        change_pace(self._seats, self._pace)
        if type(pace) is not dict or pace.keys() <= EARLY:
            raise ValueError("no pace")
        self._pace = Pace.of(pace)

    def _leave(self, entry: dict[str, Any], seat: int, at: datetime, exact: bool) -> dict[str, Any]:
        before = self._seats[seat]
        due = end_turn(self._seats, seat, self._pace, at)
        if "reserve" not in entry and not (self._left_used and exact):
            self._set(seat, reserve=before.reserve)
            due = {}
        self._set(seat, bot=None)
        return due

    def _vacation(self, vacation: object, seat: int | None, at: datetime) -> dict[str, Any]:
        assert self._pace is not None
        days = vacation.get("days") if type(vacation) is dict else None
        if (
            seat is None
            or type(days) is not int
            or not 0 < days <= self._pace.vacation_left(self._seats[seat])
        ):
            return {}  # differs from the entry, so the check fails
        return go_away(self._seats, seat, self._pace, at, days, self._delay)

    def _take(self, kind: str, entry: dict[str, Any], mover: int | None, at: datetime) -> None:
        """Check only the deadlines that an entry names, because it is unknown whose turn it is."""
        assert self._pace is not None
        self._findings.skip("whose turn it was is not known without the deal", "clocks")
        named, spent = entry.get("deadlines") or {}, entry.get("reserve") or {}
        delays = self._delays
        if type(named) is not dict or type(spent) is not dict or not {*named, *spent} <= self._numbers():
            self._fail("names clocks of seats that the table does not have")
            return
        for text, left in spent.items():
            before = self._seats[int(text)]
            after = self._pace.end(before, at)
            if int(text) == mover and before.deadline is not None and not entry.get("random"):
                after = self._pace.earn(after)
            if int(text) in self._returned:
                after = self._pace.lose(after, self._returned[int(text)])
            self._seats[int(text)] = after
            if after is before or after.reserve is None or duration_text(after.reserve) != left:
                self._fail(f"the reserve of seat {text} is not the one that is left")
        if kind == "moved" and mover is not None:
            self._set(mover, deadline=None)
        for text, deadline in named.items():
            if self._early:
                named_time = read_time(deadline)
                if named_time is None:
                    self._fail("names a deadline that is no time")
                    continue
                self._set(int(text), deadline=named_time)
                continue
            due = self._pace.deadline(self._seats[int(text)], at) + delays.pop(text, NO_TIME)
            self._set(int(text), deadline=due)
            if timestamp(due) != deadline:
                self._fail(f"the deadline of seat {text} does not follow from the pace")
        if delays:
            self._fail("delays deadlines that it does not name")

    def _numbers(self) -> set[str]:
        return set(map(str, range(len(self._seats))))

    def _turn(self, seat: int) -> tuple[datetime, int]:
        """Return the sort key for late seats."""
        return self._seats[seat].deadline or datetime.max.replace(tzinfo=UTC), seat

    def _is_late(self, seat: int, at: datetime | None) -> bool:
        deadline = self._seats[seat].deadline
        return deadline is not None and at is not None and at >= deadline

    def _set(self, seat: int, **changes: Any) -> None:
        self._seats[seat] = replace(self._seats[seat], **changes)

    def _fail(self, detail: str) -> None:
        self._findings.fail("clocks", detail)
