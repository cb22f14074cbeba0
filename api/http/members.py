"""Members of answers: fields that may be null only if `null`, and missing only if `optional`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from marshmallow import fields, validate

from api.http.fields import Described


class String(Described, fields.String):
    """A string."""


class Boolean(Described, fields.Boolean):
    """true or false."""


class Integer(Described, fields.Integer):
    """An integer."""


class Count(Integer):
    """An integer that is at least 0, or at least another bound."""

    def __init__(self, low: int = 0, high: int | None = None, **more: Any) -> None:
        super().__init__(validate=validate.Range(low, high), **more)


class UUID(Described, fields.UUID):
    """An id."""


class DateTime(Described, fields.DateTime):
    """A time, RFC 3339 in UTC."""


class EntryTime(String):
    """A time in an entry, without a format, because clients must keep the exact text that was hashed."""

    keywords: Mapping[str, Any] = {
        "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?Z$"
    }


class Period(String):
    """A duration, ISO 8601."""

    keywords: Mapping[str, Any] = {"format": "duration"}


class Hex(String):
    """Bytes in hexadecimal digits."""

    keywords: Mapping[str, Any] = {"pattern": "^[0-9a-f]*$"}


class Hash(String):
    """A SHA-256 hash."""

    keywords: Mapping[str, Any] = {"pattern": "^[0-9a-f]{64}$"}


class Either(Described, fields.Raw):
    """A value of one of several kinds."""

    def __init__(self, *kinds: fields.Field[Any], **more: Any) -> None:
        self.kinds = kinds
        super().__init__(**more)


class Object(Described, fields.Dict):
    """An object that is described elsewhere."""

    keywords: Mapping[str, Any] = {"additionalProperties": True}


class Map(Described, fields.Dict):
    """An object with any keys, whose values are of one kind."""

    def __init__(self, values: fields.Field[Any], **more: Any) -> None:
        super().__init__(values=values, **more)


class List(Described, fields.List[Any]):
    """A list."""


class Seats(List):
    """Numbers of seats."""

    def __init__(self, **more: Any) -> None:
        super().__init__(Count(), **more)


class Nested(Described, fields.Nested):
    """An answer within another."""
