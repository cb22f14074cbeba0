"""Strict fields: a value of the right JSON type or none; queries are text and read as such."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.errors import HeaderParseError
from email.headerregistry import Address
from types import MappingProxyType
from typing import Any
from uuid import UUID
from zoneinfo import available_timezones

import isodate
from marshmallow import ValidationError, fields, validate

import referee
from api.core import names

CURSOR_PATTERN = "^[0-9a-f]{32}$"
TURN_CURSOR_PATTERN = "^[0-9a-f]{66}$"
FEED_CURSOR_PATTERN = "^([0-7][0-9a-f]{47}[0-7][0-9a-f]{7}|now)$"
UUID_PATTERN = "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"
DURATION_PATTERN = (
    "^P(?=.*[1-9])([0-9]{1,5}W|([0-9]{1,5}D)?(T(?=[0-9])([0-9]{1,7}H)?([0-9]{1,7}M)?([0-9]{1,9}S)?)?)$"
)
TIME_PATTERN = (
    "^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?([Zz]|[+-][0-9]{2}:[0-9]{2})$"
)
# No NUL: PostgreSQL's text cannot hold it, and the JSON reader refuses it.
TEXT_PATTERN = "^[^\\u0000]*$"
MESSAGE_PATTERN = "^[^\\u0000-\\u0009\\u000b-\\u001f\\u007f-\\u009f]*$"
MOST = 2**31 - 1


class Described:
    """What all our fields have beside marshmallow's.

    `keywords` of JSON Schema, beside those that follow from the validators, and words about them (`about`);
    whether they may be null, and whether in answers they are `optional`.
    """

    keywords: Mapping[str, Any] = MappingProxyType({})

    def __init__(
        self, *args: Any, about: str = "", null: bool = False, optional: bool = False, **more: Any
    ) -> None:
        self.optional = optional
        if null:
            more["allow_none"] = True
        if about:
            more["metadata"] = {"description": about, **more.get("metadata", {})}
        super().__init__(*args, **more)


class Items(Described, fields.List[Any]):
    """A list of a length; what is in one that is too long is not looked at."""

    def __init__(
        self, item: fields.Field[Any] | type[fields.Field[Any]], low: int, high: int, **more: Any
    ) -> None:
        self.length = validate.Length(low, high)
        super().__init__(item, validate=self.length, **more)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> list[Any]:
        if type(value) is list:
            self.length(value)
        return super()._deserialize(value, attr, data, **kwargs)


class Text(Described, fields.String):
    """A string of a length in code points, without NUL characters, also where it comes in a query."""

    keywords: Mapping[str, Any] = {"pattern": TEXT_PATTERN}

    def __init__(self, low: int, high: int, **more: Any) -> None:
        super().__init__(validate=validate.Length(low, high), **more)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        if type(value) is str and "\0" in value:
            raise ValidationError("Must have no NUL character.")
        return super()._deserialize(value, attr, data, **kwargs)


class Name(Described, fields.String):
    """A name that people read."""

    keywords: Mapping[str, Any] = {"minLength": 1, "maxLength": names.LONGEST, "pattern": names.PATTERN}

    def __init__(self, **more: Any) -> None:
        super().__init__(validate=self._check, **more)

    def _check(self, text: str) -> None:
        if not names.is_name(text):
            longest = f" At most {names.LONGEST} characters." if len(text) > names.LONGEST else ""
            raise ValidationError(names.REQUIREMENT + longest)


class Message(Text):
    """A text of several lines; no other control characters."""

    def __init__(self, high: int, **more: Any) -> None:
        super().__init__(1, high, **more)
        error = "Must have no control characters but newlines."
        self.validators = [*self.validators, validate.Regexp(MESSAGE_PATTERN, error=error)]


class Pattern(Described, fields.Field[Any]):
    """A string that matches a pattern as a whole and is read by `read`."""

    pattern = ""
    format = ""
    what = ""

    def __init__(self, **more: Any) -> None:
        form = {"format": self.format} if self.format else {}
        self.keywords = {"type": "string", **form, "pattern": self.pattern}
        super().__init__(**more)

    def read(self, text: str) -> Any:
        """Read what has matched. Raises ValueError, OverflowError."""
        raise NotImplementedError

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
        if not referee.is_key(text):
            raise ValueError
        return text


class Hexadecimal(Pattern):
    """Some bytes in hex."""

    def __init__(self, size: int, **more: Any) -> None:
        self.pattern, self.what = f"^[0-9a-f]{{{2 * size}}}$", f"{size} bytes in hexadecimal digits"
        super().__init__(**more)

    def read(self, text: str) -> str:
        """Leave it as text."""
        return text


class Cursor(Pattern):
    """Where a page begins; opaque to whoever sends it."""

    pattern, what = CURSOR_PATTERN, "the `next` of a page of this list"

    def read(self, text: str) -> str:
        """Leave it to the list."""
        return text


class FeedCursor(Cursor):
    """Where a feed is read on."""

    pattern, what = FEED_CURSOR_PATTERN, "`now`, or the `cursor` of an entry or a page of a feed"


class TurnCursor(Cursor):
    """Where a page of turns begins."""

    pattern = TURN_CURSOR_PATTERN


class Duration(Pattern):
    """A positive ISO 8601 duration of fixed length."""

    pattern, what = DURATION_PATTERN, "a duration such as PT72H or P90D, longer than nothing"

    def read(self, text: str) -> timedelta:
        """Read a duration."""
        found = isodate.parse_duration(text)
        if not isinstance(found, timedelta) or found <= timedelta(0):
            raise ValueError
        return found


class DurationText(Duration):
    """A duration that is kept as it was written."""

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


class TimeOfDay(Pattern):
    """A time of the day, hours and minutes."""

    pattern, what = "^([01][0-9]|2[0-3]):[0-5][0-9]$", "a time of the day such as 08:30"

    def read(self, text: str) -> str:
        """Leave it as it is."""
        return text


class TimeZone(Pattern):
    """The name of a time zone."""

    pattern, what = "^[A-Za-z0-9_+/-]{1,64}$", "the IANA's name of a time zone, such as Europe/Berlin"

    def read(self, text: str) -> str:
        """Check that there is one of this name."""
        if text not in available_timezones():
            raise ValueError
        return text


class EmailAddress(Pattern):
    """A mail address as HTML's forms take it, with a domain of several parts."""

    pattern = "^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]{1,63}([.][A-Za-z0-9-]{1,63}){1,8}$"
    what = "a mail address such as anna@example.org"

    def read(self, text: str) -> str:
        """Leave it as it is; not what no header can carry."""
        try:
            Address(addr_spec=text)
        except (HeaderParseError, IndexError):  # two dots in a row
            raise ValueError from None
        return text


class Whole(Described, fields.Field[int]):
    """An integer as JSON Schema has it: 6.0 is one; true and "6" are none."""

    def __init__(self, low: int, high: int = MOST, **more: Any) -> None:
        self.low, self.high = low, high
        self.keywords = {"type": "integer", "minimum": low, "maximum": high}
        super().__init__(**more)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        whole = type(value) is int or (type(value) is float and value.is_integer())
        if not whole or not self.low <= value <= self.high:
            raise ValidationError(f"Must be an integer from {self.low} to {self.high}.")
        return int(value)


class QueryWhole(Whole):
    """An integer in a query."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        written = type(value) is str and re.fullmatch("[0-9]{1,10}", value) is not None
        return super()._deserialize(int(value) if written else None, attr, data, **kwargs)


class Several(Described, fields.Field[list[Any]]):
    """One value or several in a query, with commas between them."""

    def __init__(self, item: fields.Field[Any], most: int = 20, **more: Any) -> None:
        self.item, self.most = item, most
        super().__init__(**more)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> list[Any]:
        values = value.split(",") if type(value) is str else []
        if not 1 <= len(values) <= self.most:
            raise ValidationError(f"Must be 1 to {self.most} values, with commas between them.")
        return [self.item.deserialize(each) for each in values]


class Flag(Described, fields.Field[bool]):
    """true or false, in JSON or in a query."""

    keywords: Mapping[str, Any] = {"type": "boolean"}

    def __init__(self, *, query: bool = False, **more: Any) -> None:
        self.values = {"true": True, "false": False} if query else {True: True, False: False}
        super().__init__(**more)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> bool:
        if type(value) not in (bool, str) or value not in self.values:
            raise ValidationError("Must be true or false.")
        return self.values[value]


class Choice(Described, fields.String):
    """One of a few strings."""

    def __init__(self, *choices: str, **more: Any) -> None:
        super().__init__(validate=validate.OneOf(choices), **more)


class AnyObject(Described, fields.Field[dict[str, Any]]):
    """A JSON object that somebody else looks into."""

    keywords: Mapping[str, Any] = {"type": "object"}

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> dict[str, Any]:
        if type(value) is not dict:
            raise ValidationError("Must be an object.")
        return value


class Anything(Described, fields.Field[Any]):
    """Any JSON value."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        return value


class Fixed(Described, fields.Field[Any]):
    """A member that always has the same value."""

    def __init__(self, value: str | int | bool, **more: Any) -> None:
        self.value = value
        kind = {str: "string", int: "integer", bool: "boolean"}[type(value)]
        self.keywords = {"type": kind, "const": value}
        super().__init__(**more)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if type(value) is not type(self.value) or value != self.value:
            raise ValidationError(f"Must be {json.dumps(self.value)}.")
        return value
