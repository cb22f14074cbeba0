"""Strict fields: a value of the right JSON type or none; queries are text and read as such.

`json_schema` is what a field is published with.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import isodate
from marshmallow import RAISE, Schema, ValidationError, fields, validate

from api.core import names

CURSOR_PATTERN = "^[0-9a-f]{32}$"
TURN_CURSOR_PATTERN = "^[0-9a-f]{66}$"
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
MOST_UNKNOWN = 20  # members that are named where there are more


class Input(Schema):
    """What is accepted; anything beyond is refused."""

    class Meta:
        """Said here as well so that the specification says it."""

        unknown = RAISE

    def load(self, data: Any, **more: Any) -> Any:
        """Read a value. Raises ValidationError, which names a few unknown members, not any number of them."""
        if type(data) is dict and len(data) > len(self.fields) + MOST_UNKNOWN and self.unknown == RAISE:
            unknown = [name for name in data if name not in self.fields][:MOST_UNKNOWN]
            raise ValidationError({name: ["Unknown field."] for name in unknown})
        return super().load(data, **more)


class Items(fields.List[Any]):
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


class Text(fields.String):
    """A string of a length in code points, without NUL characters, also where it comes in a query."""

    def __init__(self, low: int, high: int, **more: Any) -> None:
        self.low, self.high = low, high
        super().__init__(validate=validate.Length(low, high), **more)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        if type(value) is str and "\0" in value:
            raise ValidationError("Must have no NUL character.")
        return super()._deserialize(value, attr, data, **kwargs)

    def json_schema(self) -> dict[str, Any]:
        """Describe as JSON Schema."""
        return {"type": "string", "minLength": self.low, "maxLength": self.high, "pattern": TEXT_PATTERN}


class Name(fields.String):
    """A name that people read."""

    def __init__(self, **more: Any) -> None:
        super().__init__(validate=self._check, **more)

    def _check(self, text: str) -> None:
        if not names.is_name(text):
            longest = f" At most {names.LONGEST} characters." if len(text) > names.LONGEST else ""
            raise ValidationError(names.REQUIREMENT + longest)

    def json_schema(self) -> dict[str, Any]:
        """Describe as JSON Schema."""
        return {"type": "string", "minLength": 1, "maxLength": names.LONGEST, "pattern": names.PATTERN}


class Message(Text):
    """A text of several lines; no other control characters."""

    def __init__(self, high: int, **more: Any) -> None:
        super().__init__(1, high, **more)
        error = "Must have no control characters but newlines."
        self.validators = [*self.validators, validate.Regexp(MESSAGE_PATTERN, error=error)]

    def json_schema(self) -> dict[str, Any]:
        """Describe as JSON Schema."""
        return {**super().json_schema(), "pattern": MESSAGE_PATTERN}


class Pattern(fields.Field[Any]):
    """A string that matches a pattern as a whole and is read by `read`."""

    pattern = ""
    format = ""
    what = ""

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

    def json_schema(self) -> dict[str, Any]:
        """Describe as JSON Schema."""
        form = {"format": self.format} if self.format else {}
        return {"type": "string", **form, "pattern": self.pattern}


class Id(Pattern):
    """A UUID."""

    pattern, format, what = UUID_PATTERN, "uuid", "an id (a UUID)"

    def read(self, text: str) -> UUID:
        """Read an id."""
        return UUID(text)


class Cursor(Pattern):
    """Where a page begins; opaque to whoever sends it."""

    pattern, what = CURSOR_PATTERN, "the `next` of a page of this list"

    def read(self, text: str) -> str:
        """Leave it to the list."""
        return text


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


class Whole(fields.Field[int]):
    """An integer as JSON Schema has it: 6.0 is one; true and "6" are none."""

    def __init__(self, low: int, high: int = MOST, **more: Any) -> None:
        self.low, self.high = low, high
        super().__init__(**more)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        whole = type(value) is int or (type(value) is float and value.is_integer())
        if not whole or not self.low <= value <= self.high:
            raise ValidationError(f"Must be an integer from {self.low} to {self.high}.")
        return int(value)

    def json_schema(self) -> dict[str, Any]:
        """Describe as JSON Schema."""
        return {"type": "integer", "minimum": self.low, "maximum": self.high}


class QueryWhole(Whole):
    """An integer in a query."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        written = type(value) is str and re.fullmatch("[0-9]{1,10}", value) is not None
        return super()._deserialize(int(value) if written else None, attr, data, **kwargs)


class Flag(fields.Field[bool]):
    """true or false, in JSON or in a query."""

    def __init__(self, *, query: bool = False, **more: Any) -> None:
        self.values = {"true": True, "false": False} if query else {True: True, False: False}
        super().__init__(**more)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> bool:
        if type(value) not in (bool, str) or value not in self.values:
            raise ValidationError("Must be true or false.")
        return self.values[value]

    def json_schema(self) -> dict[str, Any]:
        """Describe as JSON Schema."""
        return {"type": "boolean"}


class Choice(fields.String):
    """One of a few strings."""

    def __init__(self, *choices: str, **more: Any) -> None:
        super().__init__(validate=validate.OneOf(choices), **more)


class AnyObject(fields.Field[dict[str, Any]]):
    """A JSON object that somebody else looks into."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> dict[str, Any]:
        if type(value) is not dict:
            raise ValidationError("Must be an object.")
        return value

    def json_schema(self) -> dict[str, Any]:
        """Describe as JSON Schema."""
        return {"type": "object"}


class Anything(fields.Field[Any]):
    """Any JSON value."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        return value

    def json_schema(self) -> dict[str, Any]:
        """Describe as JSON Schema."""
        return {}
