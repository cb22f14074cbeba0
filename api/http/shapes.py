"""Shapes: marshmallow schemas that the API accepts or answers, and what the specification says of them.

A shape is published under its class's name, with its docstring as the description.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from inspect import getdoc
from typing import Any

from marshmallow import EXCLUDE, INCLUDE, RAISE, Schema, ValidationError, fields

from api.http.members import List, Nested, String

MOST_UNKNOWN = 20  # unknown members that an error names at most
Json = dict[str, Any]
Ref = Callable[[type["Shape"]], Json]


class Shape(Schema):
    """An object of the API."""

    def published(self, described: Json, ref: Ref) -> Json:
        """Return its JSON Schema, given those of its fields; `ref` returns a reference to another shape."""
        return described


class Input(Shape):
    """An object that is accepted, without any other members."""

    class Meta:
        """The same declaration for the specification."""

        unknown = RAISE

    def load(self, data: Any, **more: Any) -> Any:
        """Read a value. Raises ValidationError, which names only some of many unknown members."""
        if type(data) is dict and len(data) > len(self.fields) + MOST_UNKNOWN and self.unknown == RAISE:
            unknown = [name for name in data if name not in self.fields][:MOST_UNKNOWN]
            raise ValidationError({name: ["Unknown field."] for name in unknown})
        return super().load(data, **more)


class Answer(Shape):
    """An object in answers. Only optional members may be missing; later versions may have more members."""

    class Meta:
        """Declared so that the specification does not exclude other members."""

        unknown = EXCLUDE

    def on_bind_field(self, field_name: str, field_obj: fields.Field[Any]) -> None:
        """Require every member that is not optional."""
        field_obj.required = not getattr(field_obj, "optional", False)


class OpenAnswer(Answer):
    """An object in answers that may have undeclared members."""

    class Meta:
        """The same declaration for the specification."""

        unknown = INCLUDE


class Part(Answer):
    """An object that is published inline, without a name of its own."""


def part(
    about: str, /, *, closed: bool = False, null: bool = False, optional: bool = False, **members: Any
) -> Nested:
    """Return a field whose value is an object with these members, and no others if it is closed."""
    meta = type("Meta", (), {"unknown": RAISE if closed else EXCLUDE})
    kind = type("Part", (Part,), {**members, "Meta": meta, "__doc__": about})
    return Nested(kind, null=null, optional=optional)


def page_of(item: type[Answer], name: str, about: str) -> type[Answer]:
    """Return the shape of a page of a list."""
    cursor = String(null=True, about="The cursor of the next page; null on the last one.")
    return type(name, (Answer,), {"items": List(Nested(item)), "next": cursor, "__doc__": about})


WHOLE = String(null=True, about="Null: the list has one page.")


class Opaque(Shape):
    """An object that the referee reads: fully described in the specification, and accepted unchecked."""

    def load(self, data: Any, **more: Any) -> Any:
        """Return the object. Raises ValidationError if the value is not an object."""
        if type(data) is not dict:
            raise ValidationError("Must be an object.")
        return data


def one_of(kinds: dict[str, type[Shape]], member: str, ref: Ref) -> Json:
    """Describe a value of several shapes, which one member tells apart."""
    refs = {value: ref(kind) for value, kind in kinds.items()}
    mapping = {value: schema["$ref"] for value, schema in refs.items()}
    told_apart = {"propertyName": member, "mapping": mapping}
    return {"type": "object", "oneOf": [*refs.values()], "discriminator": told_apart}


def words(shape: type[Schema]) -> str:
    """Return the description of a shape."""
    return " ".join((getdoc(shape) or "").split())


def camel(name: str) -> str:
    """Turn `cats_and_dogs` or `cats-and-dogs` into `CatsAndDogs`."""
    return "".join(part.capitalize() for part in re.split("[-_]", name))


def default_in_words(schema: Json) -> Json:
    """Write a default into the description: openapi-typescript requires a member that has one."""
    rest = {key: value for key, value in schema.items() if key != "default"}
    if schema.get("default") is not None:
        words = [schema.get("description", "").rstrip("."), f"Default: {json.dumps(schema['default'])}"]
        rest["description"] = "".join(f"{part}. " for part in words if part).rstrip()
    return rest
