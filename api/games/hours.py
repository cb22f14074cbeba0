"""A player's own hours: sleep and days off, in the player's time zone.

Time does not count then in games whose pace has `own_hours`. A game's log says only by how much a deadline
was delayed.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta
from heapq import merge
from itertools import count
from typing import NamedTuple
from zoneinfo import ZoneInfo

import referee.clocks
from api.feature import Hook

DAY = timedelta(days=1)
NO_TIME = timedelta()
WEEKEND = frozenset((5, 6))  # as `weekday` counts
LONGEST_TURN = timedelta(days=366)  # in longer turns, sleep does not matter
LATEST = datetime(9990, 1, 1, tzinfo=UTC)  # later, there may be no next day

Off = Iterator[tuple[datetime, datetime]]


class Hours(NamedTuple):
    """When time does not count for a player: days of the week, and sleep between two times of the day."""

    zone: ZoneInfo
    sleep: tuple[time, time] | None = None
    days_off: frozenset[int] = frozenset()

    def delay(self, pace: referee.clocks.Pace, begun: datetime, length: timedelta) -> timedelta:
        """Return the delay of a deadline because of these hours, if `length` is counted from `begun` on.

        It is never more than the pace allows.
        """
        if length > LONGEST_TURN or begun > LATEST:
            return NO_TIME
        end = referee.clocks.later(begun, length, pace.quiet_weekends) if length else begun
        at, left = begun, length
        for off, on in self._off(begun, pace):
            if at + left <= off or at + left >= end + pace.own_hours:
                break
            left -= max(off - at, NO_TIME)
            at = max(at, on)
        return min(max(at + left - end, NO_TIME), pace.own_hours)

    def _off(self, begun: datetime, pace: referee.clocks.Pace) -> Off:
        """Yield the periods that do not count, in order; overlapping or adjacent ones are merged."""
        zone, midnight = self.zone, time()
        spans = [_daily(begun, zone, midnight, midnight, self.days_off)] if self.days_off else []
        if self.sleep is not None:
            spans.append(_daily(begun, zone, *self.sleep))
        for weekends in ("UTC" if pace.quiet_weekends else None, pace.weekends):
            if weekends is not None:
                spans.append(_daily(begun, ZoneInfo(weekends), midnight, midnight, WEEKEND))
        return _joined(merge(*spans))


NO_HOURS = Hours(ZoneInfo("UTC"))  # of a player for whom all time counts


def _joined(times: Off) -> Off:
    """Merge periods that overlap or are adjacent; the sequence is endless, unless it is empty."""
    first = next(times, None)
    if first is None:
        return
    since, until = first
    for off, on in times:
        if off > until:
            yield since, until
            since = off
        until = max(until, on)


def _daily(
    begun: datetime, zone: ZoneInfo, since: time, until: time, weekdays: frozenset[int] = frozenset(range(7))
) -> Off:
    """Yield the periods that are off on these days of the week, from two days before `begun` on.

    Changes of clocks are applied for each day: a skipped time is as late as it would be without the change.
    """
    first = begun.astimezone(zone).date() - 2 * DAY
    for day in (first + number * DAY for number in count()):
        if day.weekday() in weekdays:
            off = datetime.combine(day, since, zone).astimezone(UTC)
            on = datetime.combine(day if since < until else day + DAY, until, zone).astimezone(UTC)
            if off < on:
                yield off, on


hours_of: Hook[[str], Hours | None] = Hook()
"""Returns the hours of a player; None if all time counts for it."""
