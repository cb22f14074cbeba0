"""Time as a game counts it: its pace, quiet weekends, a seat's reserve and its vacation.

Nothing here asks what time it is. Every deadline follows from a game's pace and the times of its log, so
whoever has the log can compute each of them again. A seat's clock is a mapping with `since`, `deadline`,
`bot` and, where it has used them, `reserve`, `away_until` and `vacation_days`.
"""

import re
from collections.abc import Collection, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, NamedTuple, Self

import isodate

DAY = timedelta(days=1)
WORKDAYS = 5 * DAY
SATURDAY = 5  # as `weekday` counts
NO_TIME = timedelta()
LONGEST_DURATION = 40  # characters

Seat = dict[str, Any]

_time = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z").fullmatch


class Pace(NamedTuple):
    """A game's pace as it is counted with."""

    per_move: timedelta
    on_timeout: str
    warn_before: timedelta | None = None
    reserve: timedelta = NO_TIME
    quiet_weekends: bool = False
    vacation_days: int = 0

    @classmethod
    def of(cls, pace: dict[str, Any]) -> Self:
        """Read a pace from its JSON. Raises ValueError for what is none."""
        try:
            warn_before, reserve = pace.get("warn_before"), pace.get("reserve")
            found = cls(
                per_move=duration(pace["per_move"]),
                on_timeout=pace["on_timeout"],
                warn_before=duration(warn_before) if warn_before else None,
                reserve=duration(reserve) if reserve else NO_TIME,
                quiet_weekends=bool(pace.get("quiet_weekends")),
                vacation_days=pace.get("vacation_days") or 0,
            )
        except (AttributeError, KeyError, TypeError) as error:
            raise ValueError(f"no pace: {error}") from None
        if found.on_timeout not in ("resign", "random_move") or type(found.vacation_days) is not int:
            raise ValueError("no pace")
        return found

    def begin(self, seat: Seat, at: datetime) -> None:
        """Set the deadline of a seat whose turn begins: the time for a move, then its reserve."""
        length = self.per_move + self.reserve_left(seat)
        seat["deadline"] = timestamp(later(_present(seat, at), length, self.quiet_weekends))

    def end(self, seat: Seat, at: datetime) -> bool:
        """Take what a turn that ends has used from the seat's reserve; return whether it has used any."""
        if seat["deadline"] is None:
            return False
        before = self.reserve_left(seat)
        left = between(_present(seat, at), _read(seat["deadline"]), self.quiet_weekends)
        if left >= before:
            return False
        seat["reserve"] = duration_text(left)
        return True

    def go_away(self, seat: Seat, at: datetime, days: int) -> None:
        """Take days of vacation, from now or from the end of those under way; a deadline moves along."""
        begun = _present(seat, at)
        seat["away_until"] = timestamp(begun + days * DAY)
        seat["vacation_days"] = self.vacation_left(seat) - days
        if seat["deadline"] is not None:
            left = between(begun, _read(seat["deadline"]), self.quiet_weekends)
            seat["deadline"] = timestamp(later(begun + days * DAY, left, self.quiet_weekends))

    def reserve_left(self, seat: Seat) -> timedelta:
        """Return how much of its reserve a seat has."""
        return duration(seat["reserve"]) if seat.get("reserve") else self.reserve

    def vacation_left(self, seat: Seat) -> int:
        """Return how many days of vacation a seat has."""
        left: int = seat.get("vacation_days", self.vacation_days)
        return left

    def warning(self, seat: Seat) -> str | None:
        """Return when to warn a seat; None where its turn is too short to warn within it."""
        if seat["deadline"] is None or self.warn_before is None:
            return None
        at = timestamp(_read(seat["deadline"]) - self.warn_before)
        return at if at > seat["since"] else None


def turn_over(
    seats: Sequence[Seat],
    waiting: Collection[int],
    pace: Pace | None,
    at: datetime,
    moved: int | None = None,
    afresh: bool = False,
) -> dict[str, Any]:
    """Set all clocks: a turn begins when the game begins to wait for a seat, or when that seat has moved.

    `waiting` are the seats that the game now waits for; `afresh` begins every turn anew. Returns what the
    entry at this moment has to say of it: `deadlines` and `reserve`, by seat.
    """
    facts: dict[str, Any] = {}
    for number, seat in enumerate(seats):
        begins = number in waiting and (seat["since"] is None or number == moved or afresh)
        if number in waiting and not begins:
            continue
        if pace and pace.end(seat, at):
            facts.setdefault("reserve", {})[str(number)] = seat["reserve"]
        seat["since"], seat["deadline"] = timestamp(at) if begins else None, None
        if pace and begins and not seat["bot"]:  # bots move at once
            pace.begin(seat, at)
            facts.setdefault("deadlines", {})[str(number)] = seat["deadline"]
    return facts


# --- times and durations as text --------------------------------------------------------------------


def timestamp(at: datetime) -> str:
    """Write a time: RFC 3339, UTC, always with microseconds."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")[:26] + "Z"


def read_time(text: object) -> datetime | None:
    """Read a time in RFC 3339, UTC; return None for anything else."""
    try:
        return datetime.fromisoformat(text) if type(text) is str and _time(text) else None
    except ValueError:
        return None


@lru_cache(maxsize=1024)
def duration(text: str) -> timedelta:
    """Read an ISO 8601 duration of fixed length. Raises ValueError for anything else."""
    if type(text) is not str or len(text) > LONGEST_DURATION:
        raise ValueError("no duration")
    try:
        found = isodate.parse_duration(text)
    except (OverflowError, ArithmeticError) as error:
        raise ValueError(str(error)) from None
    if type(found) is not timedelta or found < NO_TIME:
        raise ValueError("no duration of fixed length")
    return found


def duration_text(length: timedelta) -> str:
    """Write a duration in seconds, such as PT5400S or PT0.25S."""
    seconds, rest = divmod(length // timedelta(microseconds=1), 1_000_000)
    return f"PT{seconds}.{rest:06}".rstrip("0") + "S" if rest else f"PT{seconds}S"


# --- counting ---------------------------------------------------------------------------------------


def later(start: datetime, length: timedelta, quiet_weekends: bool) -> datetime:
    """Return the moment by which `length` has been counted since `start`."""
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


def _present(seat: Seat, at: datetime) -> datetime:
    """Return from when on time is counted for a seat: not while it is away."""
    away = seat.get("away_until")
    return max(at, _read(away)) if away else at


def _read(text: str) -> datetime:
    return datetime.fromisoformat(text)
