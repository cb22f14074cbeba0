"""Inputs and their fields, which are strict: only in queries are values read from text.

An input is published under the name of its class, with its docstring as the description.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from marshmallow import Schema, ValidationError, fields, validate

from api.core import names
from api.core.errors import Slip
from api.http.answers import Json, Ref

CONTROLS = r"\x00-\x1f\x7f-\x9f"
MESSAGE_PATTERN = r"^[^\x00-\x09\x0b-\x1f\x7f-\x9f]*$"
MOST = 2**31 - 1
UNKNOWN = Slip("Unknown field.")
MOST_UNKNOWN = 20  # unknown members that an error names at most


class Input(Schema):
    """An object that is accepted, without any other members."""

    error_messages = {"unknown": UNKNOWN}  # noqa: RUF012  (as marshmallow declares it)

    def published(self, schema: Json, ref: Ref) -> Json:
        """Return its JSON Schema, given that of its fields; `ref` publishes others."""
        return schema

    def load(self, data: Any, **more: Any) -> Any:
        """Read a value. Raises ValidationError, which names only some of many unknown members."""
        if type(data) is dict and len(data) > len(self.fields) + MOST_UNKNOWN:
            unknown = [name for name in data if name not in self.fields][:MOST_UNKNOWN]
            raise ValidationError({name: [UNKNOWN] for name in unknown})
        return super().load(data, **more)


class Opaque(Input):
    """An object that the referee reads: fully described in the specification, and accepted unchecked."""

    def load(self, data: Any, **more: Any) -> Any:
        """Return the object. Raises ValidationError if the value is not an object."""
        if type(data) is not dict:
            raise ValidationError("Must be an object.")
        return data


def default_in_words(schema: Json) -> Json:
    """Write a default into the description: openapi-typescript requires a member that has one."""
    rest = {key: value for key, value in schema.items() if key != "default"}
    if schema.get("default") is not None:
        words = [schema.get("description", "").rstrip("."), f"Default: {json.dumps(schema['default'])}"]
        rest["description"] = "".join(f"{part}. " for part in words if part).rstrip()
    return rest


class Described:
    """What all our fields have in addition to marshmallow's.

    These are `keywords` of JSON Schema, a description (`about`), and whether the value may be null.
    """

    keywords: Mapping[str, Any] = MappingProxyType({})

    def __init__(self, *args: Any, about: str = "", null: bool = False, **more: Any) -> None:
        if null:
            more["allow_none"] = True
        if about:
            more["metadata"] = {"description": about, **more.get("metadata", {})}
        super().__init__(*args, **more)


class Items(Described, fields.List[Any]):
    """A list of limited length; the items of one that is too long are not read."""

    def __init__(
        self, item: fields.Field[Any] | type[fields.Field[Any]], low: int, high: int, **more: Any
    ) -> None:
        self.length = validate.Length(low, high)
        self.keywords = {"minItems": low, "maxItems": high}
        super().__init__(item, validate=self.length, **more)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> list[Any]:
        if type(value) is list:
            self.length(value)
        return super()._deserialize(value, attr, data, **kwargs)


class Text(Described, fields.String):
    """A string of limited length in code points, without NUL characters, in a body or a query."""

    pattern = names.TEXT_PATTERN
    format: str | None = None

    def __init__(self, low: int, high: int, **more: Any) -> None:
        form = {"format": self.format} if self.format else {}
        length = {"minLength": low, "maxLength": high}
        self.keywords = {"type": "string", **form, "pattern": self.pattern, **length}
        super().__init__(validate=validate.Length(low, high), **more)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        if type(value) is str and "\0" in value:
            raise ValidationError("Must have no NUL character.")
        return super()._deserialize(value, attr, data, **kwargs)


class Name(Described, fields.String):
    """A name for people to read."""

    keywords: Mapping[str, Any] = {
        "type": "string",
        "minLength": 1,
        "maxLength": names.LONGEST,
        "pattern": names.PATTERN,
    }

    def __init__(self, **more: Any) -> None:
        super().__init__(validate=self._check, about=names.REQUIREMENT, **more)

    def _check(self, text: str) -> None:
        if not names.is_name(text):
            longest = f" At most {names.LONGEST} characters." if len(text) > names.LONGEST else ""
            raise ValidationError(names.REQUIREMENT + longest)


class Message(Text):
    """A text of several lines; no other control characters."""

    pattern = MESSAGE_PATTERN

    def __init__(self, high: int, low: int = 1, **more: Any) -> None:
        super().__init__(low, high, **more)
        error = "Must have no control characters but newlines."
        self.validators = [*self.validators, validate.Regexp(MESSAGE_PATTERN, error=error)]


class Whole(Described, fields.Field[int]):
    """An integer as JSON Schema defines it: 6.0 is one; true and "6" are not."""

    def __init__(self, low: int, high: int = MOST, **more: Any) -> None:
        self.low, self.high = low, high
        self.keywords = {"type": "integer", "minimum": low, "maximum": high}
        super().__init__(**more)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        whole = type(value) is int or (type(value) is float and value.is_integer())
        if not whole or not self.low <= value <= self.high:
            raise ValidationError(f"Must be an integer from {self.low} to {self.high}.")
        return int(value)


class SeatNumber(Whole):
    """A seat, written without fraction or exponent, as the referee's contract demands."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        return super()._deserialize(None if type(value) is float else value, attr, data, **kwargs)


class QueryWhole(Whole):
    """An integer in a query."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        written = type(value) is str and re.fullmatch("[0-9]{1,10}", value) is not None
        return super()._deserialize(int(value) if written else None, attr, data, **kwargs)


class Several(Described, fields.Field[list[Any]]):
    """One or several values in a query, separated by commas or in repeated parameters.

    `alone`: the specification also allows a single value that is not a list.
    """

    repeats = True
    """A query may give it more than once: its value is the list of what was given."""

    def __init__(
        self,
        item: fields.Field[Any],
        most: int = 20,
        *,
        alone: bool = False,
        **more: Any,
    ) -> None:
        self.item, self.most, self.alone = item, most, alone
        super().__init__(**more)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> list[Any]:
        values = [part for each in value for part in each.split(",")]
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
        self.keywords = {"type": "string", "enum": [*choices]}
        super().__init__(validate=validate.OneOf(choices), **more)


class AnyObject(Described, fields.Field[dict[str, Any]]):
    """A JSON object that is checked elsewhere."""

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
