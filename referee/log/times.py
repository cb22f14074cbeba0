"""Times and durations as a log writes them (RFC 3339 in UTC, ISO 8601), and time without weekends."""

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache

NO_TIME = timedelta()
DAY = timedelta(days=1)
WORKDAYS = 5 * DAY
SATURDAY = 5  # as `weekday` counts
LATEST = datetime(9999, 12, 30, tzinfo=UTC)  # no deadline is later: room for time zones in the calendar
BEYOND = LATEST + DAY
LONGEST_DURATION = 40  # characters

_time = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z").fullmatch
_offset = re.compile(r"([+-])(0\d|1[0-4]):([0-5]\d)", re.ASCII).fullmatch

# Only seconds may have a fraction.
_length = re.compile(
    r"P(?:(\d+)W)?(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.(\d+))?S)?)?", re.ASCII
).fullmatch


def timestamp(at: datetime) -> str:
    """Write a time: RFC 3339, UTC, always with microseconds."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")[:26] + "Z"


def read_time(text: object) -> datetime | None:
    """Read a time in RFC 3339, UTC; return None for anything else."""
    try:
        return datetime.fromisoformat(text) if type(text) is str and _time(text) else None
    except ValueError:
        return None


def duration(text: object) -> timedelta:
    """Read an ISO 8601 duration of fixed length. Raises ValueError for anything else."""
    if type(text) is not str or len(text) > LONGEST_DURATION:
        raise ValueError("no duration")
    return _duration(text)


@lru_cache(maxsize=1024)
def _duration(text: str) -> timedelta:
    length = _length(text)
    if length is None or not any(length.groups()):
        raise ValueError("no duration of fixed length")
    *whole, fraction = length.groups("0")
    weeks, days, hours, minutes, seconds = map(int, whole)
    try:
        return timedelta(
            weeks=weeks,
            days=days,
            hours=hours,
            minutes=minutes,
            seconds=seconds,
            microseconds=int(fraction[:6].ljust(6, "0")),
        )
    except OverflowError as error:
        raise ValueError(str(error)) from None


def duration_text(length: timedelta) -> str:
    """Write a duration in seconds, such as PT5400S or PT0.25S."""
    seconds, rest = divmod(length // timedelta(microseconds=1), 1_000_000)
    return f"PT{seconds}.{rest:06}".rstrip("0") + "S" if rest else f"PT{seconds}S"


def offset(text: object) -> timedelta:
    """Read how much later it is somewhere than in UTC, such as `+01:00`. Raises ValueError."""
    read = _offset(text) if type(text) is str else None
    if read is None:
        raise ValueError("no offset")
    sign, hours, minutes = read.groups()
    return int(f"{sign}1") * timedelta(hours=int(hours), minutes=int(minutes))


def later(start: datetime, length: timedelta, quiet_weekends: bool, ahead: timedelta = NO_TIME) -> datetime:
    """Return the moment when `length` has been counted since `start`, at most `LATEST`.

    Quiet weekends are those of places that are `ahead` of UTC.
    """
    if length > LATEST - start:
        return LATEST
    return min(_later(start + ahead, length) - ahead, LATEST) if quiet_weekends else start + length


def _later(start: datetime, length: timedelta) -> datetime:
    start = _after_weekend(start)
    weeks, length = divmod(length, WORKDAYS)
    if weeks and not length:  # the last moment of Friday, not the first of Monday
        weeks, length = weeks - 1, WORKDAYS
    weekend = 2 * DAY if length > _until_saturday(start) else NO_TIME
    whole = weeks * 7 * DAY + length + weekend
    return BEYOND if whole > BEYOND - start else start + whole


def between(start: datetime, end: datetime, quiet_weekends: bool, ahead: timedelta = NO_TIME) -> timedelta:
    """Return the time counted from `start` to `end`; none if `end` is not later."""
    if not quiet_weekends:
        return max(end - start, NO_TIME)
    start, end = _after_weekend(start + ahead), end + ahead
    if end <= start:
        return NO_TIME
    weeks, rest = divmod(end - start, 7 * DAY)
    saturday = _until_saturday(start)
    return weeks * WORKDAYS + rest - min(max(rest - saturday, NO_TIME), 2 * DAY)


def _after_weekend(at: datetime) -> datetime:
    at = at.astimezone(UTC)
    if at.weekday() < SATURDAY:
        return at
    return _midnight(at) + (7 - at.weekday()) * DAY


def _until_saturday(at: datetime) -> timedelta:
    return (SATURDAY - at.weekday()) * DAY - (at - _midnight(at))


def _midnight(at: datetime) -> datetime:
    return at.replace(hour=0, minute=0, second=0, microsecond=0)
