"""The clocks of a game as docs/guides/play-by-post.md describes them, computed independently.

A turn has the time of a move and then the seat's reserve. A pause stops everything, and a time-out ends it.
Days of vacation do not count. All times are whole hours.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any

import referee.clocks

NO_TIME, HOUR, DAY = timedelta(), timedelta(hours=1), timedelta(days=1)


@dataclass
class Clock:
    """A seat's clock: the start and deadline of its turn, and what is left of its reserve, its days off, and
    of a turn that a pause has stopped.
    """

    reserve: timedelta
    days: int
    since: datetime | None = None
    deadline: datetime | None = None
    left: timedelta | None = None
    away_until: datetime | None = None

    def present(self, at: datetime) -> datetime:
        """Return from when on time counts."""
        return at if self.away_until is None else max(at, self.away_until)

    def stop(self, at: datetime) -> None:
        """End a turn; the time that it took beyond that of a move is taken from the reserve."""
        if self.deadline is not None:
            self.reserve = min(self.reserve, max(self.deadline - self.present(at), NO_TIME))
        self.since, self.deadline = None, None


@dataclass
class Clocks:
    """The clocks of all seats; without a `pace` there are no deadlines."""

    pace: dict[str, Any] | None
    seats: int
    all: list[Clock] = field(init=False)
    resumed: datetime = datetime.min.replace(tzinfo=UTC)

    def __post_init__(self) -> None:
        self.days = (self.pace or {}).get("vacation_days", 0)
        self.all = [Clock(self._length("reserve"), self.days) for _ in range(self.seats)]

    def _length(self, name: str) -> timedelta:
        return referee.clocks.duration((self.pace or {}).get(name, "PT0S"))

    def shown(self) -> list[dict[str, Any]]:
        """Return what answers show of the clocks."""
        found = []
        for clock in self.all:
            deadline = clock.deadline and referee.clocks.timestamp(clock.deadline)
            shown = {"deadline": deadline, "reserve": referee.clocks.duration_text(clock.reserve)}
            if self.days:
                away = clock.away_until and referee.clocks.timestamp(clock.away_until)
                shown |= {"vacation_days": clock.days, "away_until": away}
            found.append(shown)
        return found

    def turn_over(
        self,
        waiting: Collection[int],
        bots: Collection[int],
        at: datetime,
        moved: int | None = None,
        *,
        afresh: bool = False,
        forced: bool = False,
        returned: Mapping[int, timedelta] = MappingProxyType({}),
    ) -> None:
        """Set the seats whose turn it is: stop the clocks of others, and start those of new turns."""
        for seat, clock in enumerate(self.all):
            goes_on = clock.since is not None and seat in waiting and seat != moved and not afresh
            if goes_on:
                continue
            earned = self.earned(seat, forced) if seat == moved else NO_TIME
            clock.stop(at)
            clock.reserve = max(clock.reserve + earned - returned.get(seat, NO_TIME), NO_TIME)
            if seat in waiting:
                clock.since = at
                if self.pace and seat not in bots:
                    length = self._length("per_move") + clock.reserve
                    clock.deadline = clock.present(at) + length

    def earned(self, seat: int, forced: bool) -> timedelta:
        """Return the increment that a seat gets for the move that it makes now."""
        in_turn = self.all[seat].deadline is not None and not forced
        return self._length("increment") if in_turn else NO_TIME

    def pause(self, at: datetime) -> None:
        for clock in self.all:
            clock.left = clock.deadline and max(clock.deadline - clock.present(at), NO_TIME)
            clock.deadline = None

    def waited_since(self, seat: int) -> datetime | None:
        """Return since when the seat's player could have moved, without days off and paused time."""
        clock = self.all[seat]
        return None if clock.since is None else max(clock.present(clock.since), self.resumed)

    def resume(self, at: datetime) -> None:
        self.resumed = at
        for clock in self.all:
            if clock.left is not None:
                clock.deadline = clock.present(at) + clock.left
            clock.left = None

    def go_away(self, seat: int, days: int, at: datetime) -> bool:
        """Take days off, from now or after earlier ones; return whether enough were left."""
        clock = self.all[seat]
        if days > clock.days:
            return False
        begun = clock.present(at)
        clock.days, clock.away_until = clock.days - days, begun + days * DAY
        if clock.deadline is not None:
            left = max(clock.deadline - begun, NO_TIME)
            clock.deadline = clock.away_until + left
        return True

    def hand_over(self, seat: int, at: datetime) -> None:
        """Change the player of a seat: its turn and its days off end."""
        self.all[seat].stop(at)
        self.all[seat].away_until = None

    def late(self, at: datetime) -> list[int]:
        """Return the seats whose time is over, the first late one first."""
        found = [(clock.deadline, seat) for seat, clock in enumerate(self.all) if clock.deadline]
        return [seat for deadline, seat in sorted(found) if deadline <= at]
