"""Times and durations as a log writes them: RFC 3339 in UTC, ISO 8601 durations of fixed length."""

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache

NO_TIME = timedelta()
LONGEST_DURATION = 40  # characters

_time = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z").fullmatch

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
