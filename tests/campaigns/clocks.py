"""The clocks of a game as docs/play-by-post.md describes them, counted anew.

A turn has the time of a move and then the seat's reserve; a pause stops everything, and a time-out ends it.
Days of vacation do not count, nor does a player's sleep, as far as the pace allows. All is in whole hours.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import referee

NO_TIME, HOUR, DAY = timedelta(), timedelta(hours=1), timedelta(days=1)
WEEK = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
ZONES = {"UTC": NO_TIME, "Asia/Tokyo": 9 * HOUR}  # clocks change in neither


@dataclass(frozen=True)
class Hours:
    """When a player is not there: from one hour of the day until another, and on days of the week."""

    zone: str = "UTC"
    sleep: tuple[int, int] | None = None
    days_off: frozenset[str] = frozenset()

    def to_json(self) -> dict[str, Any]:
        """The preferences that say so."""
        sleep = self.sleep and {"from": f"{self.sleep[0]:02}:00", "until": f"{self.sleep[1]:02}:00"}
        return {"time_zone": self.zone, "sleep": sleep, "days_off": sorted(self.days_off)}

    def awake(self, at: datetime) -> bool:
        """Whether the hour that begins then counts."""
        there = at + ZONES[self.zone]
        since, until = self.sleep or (0, 0)
        asleep = since <= there.hour < until if since <= until else not until <= there.hour < since
        return not asleep and WEEK[there.weekday()] not in self.days_off

    def delay(self, begun: datetime, length: timedelta, most: timedelta) -> timedelta:
        """How much later `length` is over if no other hours count; nothing ends amid hours that do not."""
        at, left = begun, length
        amid = not length and not self.awake(at - HOUR)
        while left or (amid and not self.awake(at)):
            left -= HOUR if self.awake(at) else NO_TIME
            at += HOUR
        return min(at - begun - length, most)


@dataclass
class Clock:
    """Of a seat: since when it is its turn, until when, what is left of its reserve, of its days off, and of
    a turn that a pause has stopped.
    """

    reserve: timedelta
    days: int
    since: datetime | None = None
    deadline: datetime | None = None
    left: timedelta | None = None
    away_until: datetime | None = None

    def present(self, at: datetime) -> datetime:
        """From when on time counts."""
        return at if self.away_until is None else max(at, self.away_until)

    def stop(self, at: datetime) -> None:
        """A turn ends; what it took beyond the time of a move is gone from the reserve."""
        if self.deadline is not None:
            self.reserve = min(self.reserve, max(self.deadline - self.present(at), NO_TIME))
        self.since, self.deadline = None, None


@dataclass
class Clocks:
    """Of all seats; without a `pace` nobody has a deadline."""

    pace: dict[str, Any] | None
    seats: int
    hours: Callable[[int], Hours] = lambda seat: Hours()
    all: list[Clock] = field(init=False)
    resumed: datetime = datetime.min.replace(tzinfo=UTC)

    def __post_init__(self) -> None:
        self.days = (self.pace or {}).get("vacation_days", 0)
        self.all = [Clock(self._length("reserve"), self.days) for _ in range(self.seats)]

    def _length(self, name: str) -> timedelta:
        return referee.duration((self.pace or {}).get(name, "PT0S"))

    def shown(self) -> list[dict[str, Any]]:
        """What answers show of them."""
        found = []
        for clock in self.all:
            deadline = clock.deadline and referee.timestamp(clock.deadline)
            shown = {"deadline": deadline, "reserve": referee.duration_text(clock.reserve)}
            if self.days:
                away = clock.away_until and referee.timestamp(clock.away_until)
                shown |= {"vacation_days": clock.days, "away_until": away}
            found.append(shown)
        return found

    def _ends(self, seat: int, begun: datetime, length: timedelta) -> datetime:
        """When the time of whoever sits there is over."""
        return begun + length + self.hours(seat).delay(begun, length, self._length("own_hours"))

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
            goes_on = clock.since is not None and seat in waiting and seat != moved and not afresh
            if goes_on:
                continue
            earned = seat == moved and clock.deadline is not None and not forced
            clock.stop(at)
            clock.reserve += self._length("increment") if earned else NO_TIME
            if seat in waiting:
                clock.since = at
                if self.pace and seat not in bots:
                    length = self._length("per_move") + clock.reserve
                    clock.deadline = self._ends(seat, clock.present(at), length)

    def pause(self, at: datetime) -> None:
        for clock in self.all:
            clock.left = clock.deadline and max(clock.deadline - clock.present(at), NO_TIME)
            clock.deadline = None

    def waited_since(self, seat: int) -> datetime | None:
        """Since when the seat's player could have moved: neither days off nor what a pause stopped counts."""
        clock = self.all[seat]
        return None if clock.since is None else max(clock.present(clock.since), self.resumed)

    def resume(self, at: datetime) -> None:
        self.resumed = at
        for seat, clock in enumerate(self.all):
            if clock.left is not None:
                clock.deadline = self._ends(seat, clock.present(at) + clock.left, NO_TIME)
            clock.left = None

    def go_away(self, seat: int, days: int, at: datetime) -> bool:
        """Days off, from now on or after those before; whether there were as many left."""
        clock = self.all[seat]
        if days > clock.days:
            return False
        begun = clock.present(at)
        clock.days, clock.away_until = clock.days - days, begun + days * DAY
        if clock.deadline is not None:
            left = max(clock.deadline - begun, NO_TIME)
            clock.deadline = self._ends(seat, clock.away_until + left, NO_TIME)
        return True

    def hand_over(self, seat: int, at: datetime) -> None:
        """Somebody gets up: the turn ends, and the days off that were taken."""
        self.all[seat].stop(at)
        self.all[seat].away_until = None

    def late(self, at: datetime) -> list[int]:
        """The seats whose time is over, the one that was late first before others."""
        found = [(clock.deadline, seat) for seat, clock in enumerate(self.all) if clock.deadline]
        return [seat for deadline, seat in sorted(found) if deadline <= at]
