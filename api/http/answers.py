"""What the service answers: typed dictionaries, from which their schemas follow.

A dictionary is sent as it is. A class's docstring is its description; a member may be missing if it is
`NotRequired`. In `Annotated`, a string describes a member, `Keywords` are more of its JSON Schema, and a
class or a component describes a dictionary that is made elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from inspect import getdoc
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    NotRequired,
    TypeVar,
    cast,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)
from uuid import UUID

from referee.clocks import timestamp

Json = dict[str, Any]
Kind = TypeVar("Kind")


class Keywords:
    """Keywords of JSON Schema that a type cannot say."""

    def __init__(self, **keywords: Any) -> None:
        self.keywords = keywords


@dataclass(frozen=True, eq=False)
class Component:
    """A schema that is published under a name, without a class."""

    name: str
    schema: Callable[[Ref], Json]


Ref = Callable[[Any], Json]
"""Publishes a class or a component, and returns a reference to it."""


def choice(*values: str) -> Keywords:
    """Return the keyword of a string that is one of these."""
    return Keywords(enum=[*values])


Uuid = Annotated[str, Keywords(format="uuid")]
Timestamp = Annotated[str, Keywords(format="date-time")]
Period = Annotated[str, Keywords(format="duration")]
Hex = Annotated[str, Keywords(pattern="^[0-9a-f]*$")]
Hash = Annotated[str, Keywords(pattern="^[0-9a-f]{64}$")]
Count = Annotated[int, Keywords(minimum=0)]
Positive = Annotated[int, Keywords(minimum=1)]
Seats = list[Count]
EntryTime = Annotated[
    str, Keywords(pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?Z$")
]
"""A time in an entry, without a format, because clients must keep the exact text that was hashed."""


OnePage = Annotated[str | None, "Null: the list has one page."]


class Publishing(NamedTuple):
    """How a class is published, if not usually."""

    inline: bool = False
    """Where it is used, without a name of its own."""
    extensible: bool = False
    """Objects may have undeclared members."""
    schema: Callable[[Any, Ref], Json] | None = None
    """Another schema than that of its members."""


PUBLISHED: dict[object, Publishing] = {}


def published(**how: Any) -> Callable[[Kind], Kind]:
    """Say how a class is published, by the members of `Publishing`."""

    def mark(kind: Kind) -> Kind:
        PUBLISHED[kind] = Publishing(**how)
        return kind

    return mark


def words(kind: type[Any]) -> str:
    """Return the description of a class."""
    return " ".join((getdoc(kind) or "").split())


def _members(kind: Any) -> dict[str, Any]:
    """Return the types of a class's members, with those that its generic base is given."""
    hints = get_type_hints(kind, include_extras=True)
    given = [arg for base in getattr(kind, "__orig_bases__", ()) for arg in get_args(base)]
    return {
        name: hint[tuple(given)] if getattr(hint, "__parameters__", ()) else hint
        for name, hint in hints.items()
    }


members: Callable[[Any], dict[str, Any]] = cache(_members)


WRITE: dict[type, Callable[[Any], str]] = {UUID: str, datetime: timestamp}


def shown(kind: type[Kind], row: object, **other: object) -> Kind:
    """Return an answer whose members are attributes of a row, or given; ids and times become text.

    A member that may be missing is, if there is no such attribute.
    """
    answer: Json = {}
    for name, hint in members(kind).items():
        if name in other or hasattr(row, name) or get_origin(hint) is not NotRequired:
            value = other[name] if name in other else getattr(row, name)
            write = WRITE.get(type(value))
            answer[name] = value if write is None else write(value)
    return cast(Kind, answer)


def schema_of_class(kind: type[Any], ref: Ref, about: str = "", **instead: Json) -> Json:
    """Describe the objects of a class; some members `instead` as given."""
    schema = schema_of_members(members(kind), ref, **instead)
    more = {"additionalProperties": True} if kind in PUBLISHED and PUBLISHED[kind].extensible else {}
    return {**schema, **more, "description": about or words(kind)}


def schema_of_members(hints: Mapping[str, Any], ref: Ref, **instead: Json) -> Json:
    """Describe objects with members of these types; some members `instead` as given."""
    required = sorted(name for name, hint in hints.items() if get_origin(hint) is not NotRequired)
    return {
        "type": "object",
        "properties": {name: instead.get(name) or schema_of(hint, ref) for name, hint in hints.items()},
        **({"required": required} if required else {}),
    }


TYPES = {str: "string", int: "integer", float: "number", bool: "boolean"}
ANYTHING = (object, Any)
INSIDE = ("items", "additionalProperties", "oneOf", "$ref")  # stand after the description


def schema_of(hint: Any, ref: Ref) -> Json:
    """Describe the values of a type as JSON Schema. Raises KeyError for a type that no answer has."""
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _annotated(args[0], args[1:], ref)
    if origin is NotRequired:
        return schema_of(args[0], ref)
    if origin is list:
        return {"type": "array", "items": schema_of(args[0], ref)}
    if origin in (dict, Mapping):
        return {"type": "object", "additionalProperties": schema_of(args[1], ref) or True}
    if origin is Literal and len(args) == 1:
        return {"type": TYPES[type(args[0])], "const": args[0]}
    if args[1:] == (type(None),):
        return or_null(schema_of(args[0], ref))
    if hint in PUBLISHED and PUBLISHED[hint].inline:
        return schema_of_class(hint, ref)
    if isinstance(hint, Component) or is_typeddict(hint):
        return ref(hint)
    if hint in ANYTHING:
        return {}
    return {"type": TYPES[hint]}


def _annotated(inner: Any, marks: tuple[Any, ...], ref: Ref) -> Json:
    schema = schema_of(next((mark for mark in marks if isinstance(mark, Component | type)), inner), ref)
    for mark in marks:
        if isinstance(mark, Keywords):
            schema = schema | mark.keywords
        elif isinstance(mark, str):
            later = {name: schema.pop(name) for name in INSIDE if name in schema and schema[name] is not True}
            schema = {**schema, "description": mark, **later}
    return schema


def or_null(schema: Json) -> Json:
    """Describe a value that may also be null."""
    if "$ref" in schema:
        return {"oneOf": [schema, {"type": "null"}]}
    types = {"type": [schema["type"], "null"]} if "type" in schema else {}
    values = {"enum": [*schema["enum"], None]} if "enum" in schema else {}
    return {**schema, **types, **values}


def one_of(kinds: Mapping[str, Any], member: str, ref: Ref) -> Json:
    """Describe a value of several shapes, which one member tells apart."""
    refs = {value: ref(kind) for value, kind in kinds.items()}
    mapping = {value: schema["$ref"] for value, schema in refs.items()}
    told_apart = {"propertyName": member, "mapping": mapping}
    return {"type": "object", "oneOf": [*refs.values()], "discriminator": told_apart}


def camel(name: str) -> str:
    """Turn `cats_and_dogs` or `cats-and-dogs` into `CatsAndDogs`."""
    return "".join(part.capitalize() for part in re.split("[-_]", name))
