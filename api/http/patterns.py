"""Strings that match a pattern and are converted: ids, keys, cursors, times, durations."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from email.errors import HeaderParseError
from email.headerregistry import Address
from typing import Any
from uuid import UUID
from zoneinfo import available_timezones

from marshmallow import ValidationError, fields

import referee.clocks
import referee.records
from api.core.names import ascii_form
from api.http.fields import Described

CURSOR_PATTERN = "^[0-9a-f]{32}$"
TURN_CURSOR_PATTERN = "^[0-9a-f]{66}$"
FEED_CURSOR_PATTERN = "^([0-9a-f]{72}|now)$"
UUID_PATTERN = "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"
_CLOCK = "([0-9]{1,7}H([0-9]{1,7}M)?([0-9]{1,9}S)?|[0-9]{1,7}M([0-9]{1,9}S)?|[0-9]{1,9}S)"
DURATION_PATTERN = f"^P([0-9]{{1,5}}W|[0-9]{{1,5}}D(T{_CLOCK})?|T{_CLOCK})$"
TIME_PATTERN = (
    "^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?([Zz]|[+-][0-9]{2}:[0-9]{2})$"
)


class Pattern(Described, fields.Field[Any]):
    """A string that matches a whole pattern and is converted by `read`."""

    pattern = ""
    format = ""
    what = ""

    def __init__(self, **more: Any) -> None:
        form = {"format": self.format} if self.format else {}
        self.keywords = {"type": "string", **form, "pattern": self.pattern}
        super().__init__(**more)

    def read(self, text: str) -> Any:
        """Return the value of a match: the text, unless it is converted. Raises ValueError, OverflowError."""
        return text

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if type(value) is not str or not re.match(self.pattern, value) or value.endswith("\n"):
            raise ValidationError(f"Must be {self.what}.")
        try:
            return self.read(value)
        except (ValueError, OverflowError):
            raise ValidationError(f"Must be {self.what}.") from None


class Id(Pattern):
    """A UUID."""

    pattern, format, what = UUID_PATTERN, "uuid", "an id (a UUID)"

    def read(self, text: str) -> UUID:
        """Read an id."""
        return UUID(text)


class PublicKey(Pattern):
    """A player's own key."""

    pattern, what = "^[0-9a-f]{64}$", "an Ed25519 public key in hex, of no small order"

    def read(self, text: str) -> str:
        """Check the key."""
        if not referee.records.is_key(text):
            raise ValueError
        return text


class Hexadecimal(Pattern):
    """Some bytes in hex."""

    def __init__(self, size: int, **more: Any) -> None:
        self.pattern, self.what = f"^[0-9a-f]{{{2 * size}}}$", f"{size} bytes in hexadecimal digits"
        super().__init__(**more)


class Cursor(Pattern):
    """The beginning of a page; opaque to clients."""

    pattern, what = CURSOR_PATTERN, "the `next` of a page of this list"


class FeedCursor(Cursor):
    """Where reading a feed continues."""

    pattern, what = FEED_CURSOR_PATTERN, "`now`, or the `cursor` of an entry or a page of a feed"


class TurnCursor(Cursor):
    """Where a page of turns begins."""

    pattern = TURN_CURSOR_PATTERN


class Duration(Pattern):
    """A positive ISO 8601 duration of fixed length."""

    pattern, what = DURATION_PATTERN, "a duration such as PT72H or P90D, longer than nothing"

    def read(self, text: str) -> timedelta:
        """Read a duration."""
        length = referee.clocks.duration(text)
        if not length:
            raise ValueError
        return length


class DurationText(Duration):
    """A duration that is kept as the caller wrote it."""

    def read(self, text: str) -> Any:
        """Check the duration and keep the text."""
        super().read(text)
        return text


class Time(Pattern):
    """A time, RFC 3339."""

    pattern, format, what = TIME_PATTERN, "date-time", "a time such as 2026-01-31T12:00:00Z"

    def read(self, text: str) -> datetime:
        """Read a time."""
        return datetime.fromisoformat(text.upper()).astimezone(UTC)


NO_ZONES = ("localtime", "Factory")  # the zone of one machine, and a placeholder


class TimeZone(Pattern):
    """The name of a time zone."""

    pattern, what = "^[A-Za-z0-9_+/-]{1,64}$", "the IANA's name of a time zone, such as Europe/Berlin"

    def read(self, text: str) -> str:
        """Check that a time zone of this name exists."""
        if text in NO_ZONES or text not in available_timezones():
            raise ValueError
        return text


class Offset(Pattern):
    """How much later it is somewhere than in UTC."""

    pattern, what = "^[+-](0[0-9]|1[0-4]):[0-5][0-9]$", "an offset from UTC such as +01:00"


class EmailAddress(Pattern):
    """A mail address that HTML forms accept, with a domain of several parts in any script.

    Many mail servers refuse other letters than ASCII before the @ (RFC 6531): a mail would never arrive.
    """

    pattern = (
        "^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}"
        "@[A-Za-z0-9\u00b7-\ufffd-]{1,63}([.][A-Za-z0-9\u00b7-\ufffd-]{1,63}){1,8}$"
    )
    what = "a mail address such as anna@example.org, with only ASCII characters before the @"

    def read(self, text: str) -> str:
        """Return it unchanged. Refuses addresses that cannot be written in a mail header."""
        try:
            Address(addr_spec=ascii_form(text))
        except (HeaderParseError, IndexError):  # two dots in a row
            raise ValueError from None
        return text


TILE = "^(entries|[0-9]|[1-5][0-9]|6[0-3])/(x[0-9]{3}/){0,5}[0-9]{3}([.]p/[1-9][0-9]{0,2})?$"
PATHS: dict[str, Any] = {
    "tile": {
        "description": "The level and number of a tile, or `entries` and the number of a bundle, as C2SP's"
        " tlog-tiles writes them.",
        "schema": {"type": "string", "pattern": TILE},
        "example": "0/000.p/1",
    }
}
"""Parts of paths that may have slashes in them."""
