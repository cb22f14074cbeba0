"""Deadlines, reserves, days off and late seats, by the section on clocks of docs/reference/log-format.md."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tests.independent.game import Fault
from tests.independent.numbers import (
    DAY,
    SECOND,
    between,
    later,
    length,
    length_text,
    offset,
    time,
    time_text,
)

MEMBERS = ("deadlines", "reserve", "vacation")
TIMED = ("timed_out", "paused", "time_returned", "time_added", "timeout_undone")
Entry = dict[str, Any]


@dataclass
class Seat:
    """The clock of a seat."""

    reserve: int
    days: int
    running: bool = False
    deadline: int | None = None
    away: int = 0
    left: int | None = None
    is_bot: bool = False

    def present(self, now: int) -> int:
        return max(now, self.away)


@dataclass
class Due:
    """What an entry has to say of clocks."""

    deadlines: dict[str, str] = field(default_factory=dict)
    reserve: dict[str, str] = field(default_factory=dict)
    vacation: dict[str, Any] = field(default_factory=dict)


class Clocks:
    """The clocks of a game with a pace."""

    def __init__(self, created: Entry) -> None:
        self.pace = created["pace"]
        self._check(self.pace)
        seats = range(created["seats"])
        self.seats = [
            Seat(length(self.pace.get("reserve")), self.pace.get("vacation_days", 0)) for _ in seats
        ]
        self.before = 0
        # What moves gave to the reserves of their seats: entry, seat, time (used: less than 0).
        self.gave: list[tuple[int, int, int]] = []
        self.due: list[int] = []  # late seats for which moves must follow
        self.forced = False
        self.late_together: set[int] = set()

    @staticmethod
    def _check(pace: Entry) -> None:
        for name in ("per_move", "warn_before", "reserve", "increment", "reserve_cap"):
            length(pace.get(name))
        offset(pace.get("weekends", "+00:00"))
        if pace["on_timeout"] not in ("resign", "random_move", "bot"):
            raise Fault("another kind of pace")
        if not 0 <= pace.get("vacation_days", 0) <= 365:
            raise Fault("too many days of vacation")
        out_after = pace.get("out_after", 1)
        if not 1 <= out_after <= 10 or ("out_after" in pace and pace["on_timeout"] == "resign"):
            raise Fault("seats are out after another number of turns")

    @property
    def quiet(self) -> int | None:
        """How much later it is where weekends are quiet than in UTC."""
        ahead = offset(self.pace.get("weekends", "+00:00"))
        return ahead if self.pace.get("quiet_weekends", False) else None

    def read(self, entry: Entry, waiting: list[int], running: bool) -> None:
        """Check an entry; `waiting`: for whom the game waits after it."""
        kind, now, seat = entry["type"], time(entry["at"]), entry.get("seat")
        self._late(kind, entry, now, seat)
        if kind == "joined":
            self.seats[seat].is_bot = entry.get("bot") is not None
        due = Due()
        lost = self._go_back(entry) if kind in ("taken_back", "timeout_undone") else {}
        if running and kind in ("started", "moved", "joined", "taken_back", "timeout_undone"):
            self._turns(entry, waiting, now, due, lost)
            self.due = [each for each in self.due if self._is_late(each, now)]
        elif kind == "left":
            self._end(seat, now, due)
            self.seats[seat].away = 0
        elif kind == "paused":
            self._stop(now)
        elif kind in ("resumed", "time_returned"):
            self._resume(entry, now, due)
        elif kind == "time_added":
            self._add(entry, due)
        elif kind == "vacation_taken":
            self._go_away(entry, now, due)
        self.before = now
        if {name: entry.get(name, {}) for name in MEMBERS} != vars(due):
            raise Fault(f"the clocks are other ones: {vars(due)}")

    def _name(self, number: int, deadline: int, due: Due) -> None:
        """Give a seat a deadline."""
        self.seats[number].deadline = deadline
        due.deadlines[str(number)] = time_text(deadline)

    def _end(self, number: int, now: int, due: Due) -> None:
        """End a turn: step 1."""
        seat = self.seats[number]
        if seat.deadline is not None:
            left = between(seat.present(now), seat.deadline, self.quiet)
            if left < seat.reserve:
                seat.reserve = left
                due.reserve[str(number)] = length_text(left)
        seat.running, seat.deadline = False, None

    def _turns(self, entry: Entry, waiting: list[int], now: int, due: Due, lost: dict[int, int]) -> None:
        kind = entry["type"]
        afresh = kind in ("taken_back", "timeout_undone")
        for number, seat in enumerate(self.seats):
            moved = kind == "moved" and entry["seat"] == number
            begins = number in waiting and (not seat.running or moved or afresh)
            if not begins and (number in waiting or not seat.running) and number not in lost:
                continue
            before, had_deadline = seat.reserve, seat.deadline is not None
            self._end(number, now, due)
            increment = length(self.pace.get("increment"))
            if moved and had_deadline:
                if not entry.get("random") and increment:
                    gave = self._earn(seat, before, increment)
                    due.reserve[str(number)] = length_text(seat.reserve)
                    self.gave.append((entry["seq"], number, gave))
                elif entry.get("random") and seat.reserve != before:
                    self.gave.append((entry["seq"], number, seat.reserve - before))
            if number in lost:
                seat.reserve = max(0, seat.reserve - lost[number])
                due.reserve[str(number)] = length_text(seat.reserve)
            seat.running = begins
            if begins and not seat.is_bot:
                start = seat.present(now)
                self._name(
                    number, later(start, length(self.pace["per_move"]) + seat.reserve, self.quiet), due
                )

    def _earn(self, seat: Seat, before: int, increment: int) -> int:
        """Add an increment to a reserve; return what it loses if the move is taken back."""
        cap = self.pace.get("reserve_cap")
        if cap is None:
            seat.reserve += increment
            return increment
        seat.reserve = max(seat.reserve, min(seat.reserve + increment, length(cap)))
        return increment if seat.reserve < length(cap) else min(max(seat.reserve - before, 0), increment)

    def _go_back(self, entry: Entry) -> dict[int, int]:
        """Return what seats lose that they got by moves that do not count any more."""
        lost: dict[int, int] = {}
        for seq, number, got in self.gave:
            if seq >= entry["of"] and got:
                lost[number] = lost.get(number, 0) + got
        self.gave = [each for each in self.gave if each[0] < entry["of"]]
        return lost

    def _stop(self, now: int) -> None:
        for seat in self.seats:
            if seat.deadline is not None:
                seat.left, seat.deadline = between(seat.present(now), seat.deadline, self.quiet), None

    def _resume(self, entry: Entry, now: int, due: Due) -> None:
        if entry["type"] == "time_returned":
            since = time(entry["since"])
            if not self.before <= since <= now:
                raise Fault("the server was not down at that time")
            self._stop(since)
            if all(seat.left is None for seat in self.seats):
                raise Fault("no clock was running")
        for number, seat in enumerate(self.seats):
            if seat.left is not None:
                self._name(number, later(seat.present(now), seat.left, self.quiet), due)
                seat.left = None

    def _add(self, entry: Entry, due: Due) -> None:
        number = entry["added"]["seat"]
        deadline = self.seats[number].deadline if 0 <= number < len(self.seats) else None
        if deadline is None:
            raise Fault("adds time to no turn")
        self._name(number, later(deadline, length(entry["added"]["time"]), self.quiet), due)

    def _go_away(self, entry: Entry, now: int, due: Due) -> None:
        number, days = entry["seat"], entry["vacation"]["days"]
        seat = self.seats[number]
        if not 1 <= days <= seat.days:
            raise Fault("more days off than there are")
        begun = seat.present(now)
        seat.away, seat.days = begun + days * DAY, seat.days - days
        due.vacation = {"days": days, "until": time_text(seat.away), "left": seat.days}
        if seat.deadline is not None:
            rest = between(begun, seat.deadline, self.quiet)
            self._name(number, later(seat.away, rest, self.quiet), due)

    # --- late seats ---

    def _is_late(self, number: int, at: int) -> bool:
        deadline = self.seats[number].deadline
        return deadline is not None and deadline <= at

    def _late(self, kind: str, entry: Entry, now: int, seat: Any) -> None:
        forced = kind == "moved" and bool(entry.get("random"))
        if self.due and not forced and (kind != "timed_out" or self.forced):
            raise Fault("no move was made for a late seat")
        if kind == "timed_out":
            if not self._is_late(seat, now) or seat in self.due:
                raise Fault("a seat is named that is not late")
            if not self.late_together:
                self.late_together = {n for n in range(len(self.seats)) if self._is_late(n, now - SECOND)}
            self.late_together.discard(seat)
            if self.pace["on_timeout"] != "resign":
                self.due.append(seat)
                order = [(self.seats[each].deadline or 0, each) for each in self.due]
                if order != sorted(order):
                    raise Fault("late seats are named in another order")
            return
        if self.late_together:
            raise Fault("a late seat is not named")
        self.late_together = set()
        if forced:
            if seat not in self.due or seat != self.due[0]:
                raise Fault("a move is made for a seat whose turn it is not")
            self.due.remove(seat)
        elif kind == "moved" and self._is_late(seat, now - SECOND):
            raise Fault("a late seat moves for itself")
        self.forced = forced
