"""The clocks of a game as docs/play-by-post.md describes them, counted anew.

A turn has the time of a move and then the seat's reserve; a pause stops everything, and a time-out ends it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import referee

NO_TIME = timedelta()


@dataclass
class Clock:
    """Of a seat: whether it is its turn, until when, what is left of its reserve, and of a stopped turn."""

    reserve: timedelta
    running: bool = False
    deadline: datetime | None = None
    left: timedelta | None = None

    def shown(self) -> dict[str, Any]:
        """What answers show of it."""
        deadline = self.deadline and referee.timestamp(self.deadline)
        return {"deadline": deadline, "reserve": referee.duration_text(self.reserve)}

    def stop(self, at: datetime) -> None:
        """A turn ends; what it took beyond the time of a move is gone from the reserve."""
        if self.deadline is not None:
            self.reserve = min(self.reserve, max(self.deadline - at, NO_TIME))
        self.running, self.deadline = False, None


@dataclass
class Clocks:
    """Of all seats; without a `pace` nobody has a deadline."""

    pace: dict[str, str] | None
    seats: int
    all: list[Clock] = field(init=False)

    def __post_init__(self) -> None:
        self.all = [Clock(self._length("reserve")) for _ in range(self.seats)]

    def _length(self, name: str) -> timedelta:
        return referee.duration((self.pace or {}).get(name, "PT0S"))

    def turn_over(
        self,
        waiting: Collection[int],
        bots: Collection[int],
        at: datetime,
        moved: int | None = None,
        *,
        afresh: bool = False,
        forced: bool = False,
    ) -> None:
        """The game waits for these seats now: others stop, and whose turn is new begins."""
        for seat, clock in enumerate(self.all):
            goes_on = clock.running and seat in waiting and seat != moved and not afresh
            if goes_on:
                continue
            earned = seat == moved and clock.deadline is not None and not forced
            clock.stop(at)
            clock.reserve += self._length("increment") if earned else NO_TIME
            if seat in waiting:
                clock.running = True
                if self.pace and seat not in bots:
                    clock.deadline = at + self._length("per_move") + clock.reserve

    def pause(self, at: datetime) -> None:
        for clock in self.all:
            clock.left = clock.deadline and clock.deadline - at
            clock.deadline = None

    def resume(self, at: datetime) -> None:
        for clock in self.all:
            clock.deadline = None if clock.left is None else at + clock.left
            clock.left = None

    def late(self, at: datetime) -> list[int]:
        """The seats whose time is over, the one that was late first before others."""
        found = [(clock.deadline, seat) for seat, clock in enumerate(self.all) if clock.deadline]
        return [seat for deadline, seat in sorted(found) if deadline <= at]
