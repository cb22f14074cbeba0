"""Shapes of JSON values: what a move's field, an option or a fact may be.

One description serves twice: to check a value and to publish its JSON Schema.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

Move = Mapping[str, Any]  # a move as it is judged: its `type`, and that type's fields


class Kind(Protocol):
    """The shape of one JSON value."""

    @property
    def what(self) -> str:
        """Return a description of what is accepted, to follow "must be"."""

    def accepts(self, value: object) -> bool:
        """Return whether the value has this shape."""

    def schema(self) -> dict[str, Any]:
        """Describe the shape as JSON Schema (2020-12)."""


@dataclass(frozen=True, slots=True)
class Int:
    """An integer, written without fraction or exponent, within inclusive bounds."""

    low: int | None = None
    high: int | None = None

    @property
    def what(self) -> str:
        """Return what is accepted."""
        if self.low is None and self.high is None:
            return "an integer"
        if self.high is None:
            return f"an integer of at least {self.low}"
        return f"an integer from {self.low} to {self.high}"

    def accepts(self, value: object) -> bool:
        """Return whether the value is such an integer."""
        if type(value) is not int:
            return False
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)

    def schema(self) -> dict[str, Any]:
        """Describe as JSON Schema."""
        bounds = {"minimum": self.low, "maximum": self.high}
        return {"type": "integer", **{k: v for k, v in bounds.items() if v is not None}}


@dataclass(frozen=True, slots=True)
class Bool:
    """true or false."""

    @property
    def what(self) -> str:
        """Return what is accepted."""
        return "true or false"

    def accepts(self, value: object) -> bool:
        """Return whether the value is a boolean."""
        return type(value) is bool

    def schema(self) -> dict[str, Any]:
        """Describe as JSON Schema."""
        return {"type": "boolean"}


@dataclass(frozen=True, slots=True)
class Text:
    """A string with a length in code points within inclusive bounds."""

    low: int = 0
    high: int | None = None

    @property
    def what(self) -> str:
        """Return what is accepted."""
        return "a string" if self.high is None else f"a string of {self.low} to {self.high} characters"

    def accepts(self, value: object) -> bool:
        """Return whether the value is such a string."""
        return (
            type(value) is str and self.low <= len(value) and (self.high is None or len(value) <= self.high)
        )

    def schema(self) -> dict[str, Any]:
        """Describe as JSON Schema."""
        bounds = {"minLength": self.low or None, "maxLength": self.high}
        return {"type": "string", **{k: v for k, v in bounds.items() if v is not None}}


INTEGER = Int()
BOOLEAN = Bool()
STRING = Text()


def _any_of(kind: Kind) -> type | None:
    """Return the type all of whose values have this shape, or None."""
    return next((of for known, of in ((INTEGER, int), (BOOLEAN, bool), (STRING, str)) if known == kind), None)


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of a few scalar values; a boolean never equals a number here."""

    values: tuple[str | int | bool, ...]

    @property
    def what(self) -> str:
        """Return what is accepted."""
        return "one of " + ", ".join(repr(value) for value in self.values)

    def accepts(self, value: object) -> bool:
        """Return whether the value is one of them, of the same type."""
        return value in [known for known in self.values if type(known) is type(value)]

    def schema(self) -> dict[str, Any]:
        """Describe as JSON Schema."""
        return {"enum": list(self.values)}


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list whose items share a shape and whose length has inclusive bounds."""

    item: Kind
    low: int = 0
    high: int | None = None
    any_of: frozenset[type] = field(init=False, compare=False)  # types all of whose values are such items

    def __post_init__(self) -> None:
        known = _any_of(self.item)
        object.__setattr__(self, "any_of", frozenset([known] if known else []))

    @property
    def what(self) -> str:
        """Return what is accepted."""
        size = f" with at least {self.low}" if self.low else ""
        if self.high is not None:
            size = f" of {self.low}" if self.low == self.high else f" of {self.low} to {self.high}"
        return f"a list{size}, each {self.item.what}"

    def accepts(self, value: object) -> bool:
        """Return whether the value is such a list."""
        if not isinstance(value, list) or len(value) < self.low:
            return False
        if self.high is not None and len(value) > self.high:
            return False
        return self.any_of.issuperset(map(type, value)) or all(map(self.item.accepts, value))

    def schema(self) -> dict[str, Any]:
        """Describe as JSON Schema."""
        bounds = {"minItems": self.low or None, "maxItems": self.high}
        return {
            "type": "array",
            "items": self.item.schema(),
            **{k: v for k, v in bounds.items() if v is not None},
        }


@dataclass(frozen=True, slots=True)
class Maybe:
    """null, or a value of the shape inside."""

    inner: Kind

    @property
    def what(self) -> str:
        """Return what is accepted."""
        return f"null or {self.inner.what}"

    def accepts(self, value: object) -> bool:
        """Return whether the value is null or fits."""
        return value is None or self.inner.accepts(value)

    def schema(self) -> dict[str, Any]:
        """Describe as JSON Schema."""
        return {"oneOf": [{"type": "null"}, self.inner.schema()]}


@dataclass(frozen=True)
class Object:
    """An object with exactly these keys, of which `optional` ones may be missing."""

    fields: Mapping[str, Kind]
    optional: tuple[str, ...] = ()

    @property
    def what(self) -> str:
        """Return what is accepted."""
        return "an object with " + ", ".join(f"{key} ({kind.what})" for key, kind in self.fields.items())

    def accepts(self, value: object) -> bool:
        """Return whether the value is such an object."""
        if type(value) is not dict or not value.keys() <= self.fields.keys():
            return False
        return all(
            kind.accepts(value[key]) if key in value else key in self.optional
            for key, kind in self.fields.items()
        )

    def schema(self) -> dict[str, Any]:
        """Describe as JSON Schema."""
        return {
            "type": "object",
            "properties": {key: kind.schema() for key, kind in self.fields.items()},
            "required": [key for key in self.fields if key not in self.optional],
            "additionalProperties": False,
        }


COUNT = Int(0)
# In a move, any string may name a card; an unknown card is simply not held.
CARD = STRING
CARDS = ListOf(CARD, 1)


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a move: its shape, whether it is optional, and whether only the mover sees it.

    A list with a `sort` key is published sorted, so that its order cannot carry a message. Hints for
    programs that draw a table: `zones`, separated by blanks, are the zones that the card comes from (the
    mover's own if they belong to seats; `row{row}.{owner}` refers to other fields of the move); `role` is
    the meaning of the value: `seat`, `team`, `suit`, or the `position` of a card, counted from `base`.
    `within` has all integers with which a move can be legal, where the shape allows more; without it such
    moves have no actions (`referee/computer/actions.py`).
    """

    kind: Kind
    doc: str = ""
    optional: bool = False
    secret: bool = False
    sort: Callable[[str], Any] | None = None
    zones: str = ""
    role: str = ""
    base: int = 1
    within: range | None = None
    # Moves are judged often: the check is bound once, and omitted for a type all of whose values fit.
    accepts: Callable[[object], bool] = field(init=False)
    any_of: type | None = field(init=False)
    spoken: bool = field(init=False)  # a text in somebody's own words

    def __post_init__(self) -> None:
        object.__setattr__(self, "accepts", self.kind.accepts)
        object.__setattr__(self, "any_of", _any_of(self.kind))
        object.__setattr__(self, "spoken", isinstance(self.kind, Text) and self.kind.high is not None)


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a ruleset: its shape, its default and its purpose."""

    kind: Kind
    default: Any
    doc: str


def move_schema(
    name: str, fields: Mapping[str, Field], card: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Describe a move type as JSON Schema: `type` is constant, and only its fields are allowed.

    `card` is the schema of a card; without it, a card is any string.
    """
    properties: dict[str, Any] = {"type": {"type": "string", "const": name}}
    for key, declared in fields.items():
        described = {"description": declared.doc} if declared.doc else {}
        properties[key] = {**_field_schema(declared.kind, card), **described, **_hints(declared)}
    return {
        "type": "object",
        "properties": properties,
        "required": ["type", *(key for key, declared in fields.items() if not declared.optional)],
        "additionalProperties": False,
    }


def _field_schema(kind: Kind, card: Mapping[str, Any] | None) -> dict[str, Any]:
    if card is None:
        return kind.schema()
    if isinstance(kind, ListOf) and kind.item == CARD:
        return {**kind.schema(), "items": dict(card)}
    return dict(card) if kind == CARD else kind.schema()


def _hints(declared: Field) -> dict[str, Any]:
    hints: dict[str, Any] = {}
    if declared.zones:
        hints["x-zone"] = declared.zones.split()
    if declared.role:
        hints["x-role"] = declared.role
    if declared.role == "position":
        hints["x-base"] = declared.base
    return hints


def options_schema(options: Mapping[str, Option]) -> dict[str, Any]:
    """Describe a ruleset's options as JSON Schema, with their defaults."""
    return {
        "type": "object",
        "properties": {
            key: {**option.kind.schema(), "default": option.default, "description": option.doc}
            for key, option in options.items()
        },
        "additionalProperties": False,
    }
