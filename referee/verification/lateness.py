"""Checks which seats are named as late, and that moves are made for exactly these."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from referee.log.pace import Clock

GRACE = timedelta(seconds=1)  # the longest time between reading the clock and writing an entry
NEVER = datetime.max.replace(tzinfo=UTC)


class Lateness:
    """The late seats of a game that continues: all are named, then a move is made for each."""

    def __init__(self, clocks: list[Clock], fail: Callable[[str], None]) -> None:
        """`clocks` are those of the seats, which others change."""
        self._clocks = clocks
        self._fail = fail
        self._due: set[int] = set()  # the late seats for which moves must be made now
        self._made = False  # such a move was made, and may have ended the turns of the others
        self._exact = False  # whether it is known whose turns it has ended

    def is_late(self, seat: int, at: datetime) -> bool:
        """Return whether a seat's time is over at this time."""
        deadline = self._clocks[seat].deadline
        return deadline is not None and at >= deadline

    def clearly(self, at: datetime) -> set[int]:
        """Return the seats whose time was over even before the clock was read for an entry of this time."""
        return {seat for seat in range(len(self._clocks)) if self.is_late(seat, at - GRACE)}

    def begin(self, kind: str, seat: int | None) -> None:
        """Check that the next entry continues with the late seats, if there are any."""
        if (kind == "moved" and seat in self._due) or (kind == "timed_out" and not self._made):
            return
        if self._due and (self._exact or not self._made):
            self._fail(f"no move was made for seat {min(self._due)}, whose time was over")
        self._due, self._made = set(), False

    def name(self, seat: int, at: datetime, resigns: bool) -> None:
        """Check a `timed_out`; without `resigns`, a move for the seat has to follow."""
        if not self.is_late(seat, at):
            self._fail(f"the time of seat {seat} was not over")
        elif seat in self._due:
            self._fail(f"seat {seat} is named twice")
        elif not resigns:
            self._due.add(seat)
            if seat != max(self._due, key=self._turn):
                self._fail(f"seat {seat} is named after others whose time was over later")

    def move(self, entry: Mapping[str, Any], seat: int, at: datetime, exact: bool) -> None:
        """Check a `moved` entry; `exact`: it is known for which seats the game waits."""
        self._exact = exact
        if not entry.get("random"):
            due = seat in self._due and (exact or not self._made)
            if due or (exact and self.is_late(seat, at - GRACE)):
                self._fail("who moves in time, and only they, move for themselves")
            self._due, self._made = set(), False
            return
        if seat not in self._due:
            self._fail("who moves in time, and only they, move for themselves")
        elif exact and seat != min(self._due, key=self._turn):
            self._fail(f"a move is made for seat {seat} before others whose time was over earlier")
        forgotten = self.clearly(at) - self._due
        if exact and not self._made and forgotten:
            self._fail(f"the time of seat {min(forgotten)} was over too")
        self._due.discard(seat)
        self._made = True

    def turns_changed(self, at: datetime) -> None:
        """Forget late seats whose turns have ended."""
        self._due = {seat for seat in self._due if self.is_late(seat, at)}

    def _turn(self, seat: int) -> tuple[datetime, int]:
        return self._clocks[seat].deadline or NEVER, seat
