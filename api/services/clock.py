"""Time as a game counts it: its pace, quiet weekends, a seat's reserve and its vacation.

Nothing here asks what time it is. Every result follows from a game's pace and the times of its log, so
whoever has the log can compute each deadline again.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, NamedTuple

import isodate

from api.services.context import timestamp

DAY = timedelta(days=1)
WORKDAYS = 5 * DAY
SATURDAY = 5  # as `weekday` counts
NO_TIME = timedelta()

Seat = dict[str, Any]


class Pace(NamedTuple):
    """A game's pace as it is counted with."""

    per_move: timedelta
    on_timeout: str
    warn_before: timedelta | None
    reserve: timedelta
    quiet_weekends: bool
    vacation_days: int


@lru_cache(maxsize=1024)
def duration(text: str) -> timedelta:
    """Read an ISO 8601 duration of fixed length, as `requests` has let it in."""
    found = isodate.parse_duration(text)
    assert isinstance(found, timedelta)
    return found


def duration_text(length: timedelta) -> str:
    """Write a duration in seconds, such as PT5400S or PT0.25S."""
    seconds, rest = divmod(length // timedelta(microseconds=1), 1_000_000)
    return f"PT{seconds}.{rest:06}".rstrip("0") + "S" if rest else f"PT{seconds}S"


def read(pace: dict[str, Any]) -> Pace:
    """Take a pace from its JSON."""
    warn_before, reserve = pace.get("warn_before"), pace.get("reserve")
    return Pace(
        per_move=duration(pace["per_move"]),
        on_timeout=pace["on_timeout"],
        warn_before=duration(warn_before) if warn_before else None,
        reserve=duration(reserve) if reserve else NO_TIME,
        quiet_weekends=bool(pace.get("quiet_weekends")),
        vacation_days=pace.get("vacation_days") or 0,
    )


# --- counting ---------------------------------------------------------------------------------------


def later(start: datetime, length: timedelta, quiet_weekends: bool) -> datetime:
    """Give the moment by which `length` has been counted since `start`."""
    if not quiet_weekends:
        return start + length
    start = _after_weekend(start)
    weeks, length = divmod(length, WORKDAYS)
    if weeks and not length:  # the last moment of Friday, not the first of Monday
        weeks, length = weeks - 1, WORKDAYS
    start += weeks * 7 * DAY
    left = _next_saturday(start) - start
    return start + length if length <= left else start + length + 2 * DAY


def between(start: datetime, end: datetime, quiet_weekends: bool) -> timedelta:
    """Count the time from `start` to `end`; none where `end` is not later."""
    if not quiet_weekends:
        return max(end - start, NO_TIME)
    start = _after_weekend(start)
    if end <= start:
        return NO_TIME
    weeks, rest = divmod(end - start, 7 * DAY)
    saturday = _next_saturday(start) - start
    return weeks * WORKDAYS + rest - min(max(rest - saturday, NO_TIME), 2 * DAY)


def _after_weekend(at: datetime) -> datetime:
    at = at.astimezone(UTC)
    if at.weekday() < SATURDAY:
        return at
    return _midnight(at) + (7 - at.weekday()) * DAY


def _next_saturday(at: datetime) -> datetime:
    return _midnight(at) + (SATURDAY - at.weekday()) * DAY


def _midnight(at: datetime) -> datetime:
    return at.replace(hour=0, minute=0, second=0, microsecond=0)


# --- a seat's clock: `since`, `deadline`, `reserve`, `away_until`, `vacation_days` -------------------


def begin(seat: Seat, pace: Pace, at: datetime) -> None:
    """Give a seat whose turn begins its deadline: the time for a move, then what is left of the reserve."""
    length = pace.per_move + reserve_left(seat, pace)
    seat["deadline"] = timestamp(later(_present(seat, at), length, pace.quiet_weekends))


def end(seat: Seat, pace: Pace, at: datetime) -> bool:
    """Take from the reserve of a seat whose turn ends what it has used; tells whether it has used any."""
    if seat["deadline"] is None:
        return False
    before = reserve_left(seat, pace)
    left = between(_present(seat, at), _time(seat["deadline"]), pace.quiet_weekends)
    if left >= before:
        return False
    seat["reserve"] = duration_text(left)
    return True


def go_away(seat: Seat, pace: Pace, at: datetime, days: int) -> None:
    """Take days of vacation, from now or from the end of those under way; a deadline moves along."""
    begun = _present(seat, at)
    seat["away_until"] = timestamp(begun + days * DAY)
    seat["vacation_days"] = vacation_left(seat, pace) - days
    if seat["deadline"] is not None:
        left = between(begun, _time(seat["deadline"]), pace.quiet_weekends)
        seat["deadline"] = timestamp(later(begun + days * DAY, left, pace.quiet_weekends))


def reserve_left(seat: Seat, pace: Pace) -> timedelta:
    """Tell how much of its reserve a seat has."""
    return duration(seat["reserve"]) if seat.get("reserve") else pace.reserve


def vacation_left(seat: Seat, pace: Pace) -> int:
    """Tell how many days of vacation a seat has."""
    left: int = seat.get("vacation_days", pace.vacation_days)
    return left


def show(seat: Seat, pace: Pace) -> dict[str, Any]:
    """Show what a seat has beside its deadline, in games that know such things."""
    shown: dict[str, Any] = {}
    if pace.reserve:
        shown["reserve"] = duration_text(reserve_left(seat, pace))
    if pace.vacation_days:
        shown["vacation_days"] = vacation_left(seat, pace)
        shown["away_until"] = seat.get("away_until")
    return shown


def warning(seat: Seat, pace: Pace) -> str | None:
    """Tell when to warn a seat; None where its turn is too short to warn within it."""
    if seat["deadline"] is None or pace.warn_before is None:
        return None
    at = timestamp(_time(seat["deadline"]) - pace.warn_before)
    return at if at > seat["since"] else None


def _present(seat: Seat, at: datetime) -> datetime:
    """From when on time is counted for a seat: not while it is away."""
    away = seat.get("away_until")
    return max(at, _time(away)) if away else at


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)
