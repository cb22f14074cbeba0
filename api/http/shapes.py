"""Shapes: marshmallow schemas that the API accepts or answers, and how the specification shows them.

A shape is published under its class's name, with its docstring as the description.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from inspect import getdoc
from typing import Any

from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin
from apispec.ext.marshmallow.common import resolve_schema_cls
from apispec.ext.marshmallow.openapi import OpenAPIConverter
from marshmallow import EXCLUDE, INCLUDE, RAISE, Schema, ValidationError, fields

from api.http.fields import Several
from api.http.members import Either, List, Nested, String

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
    return {"oneOf": [*refs.values()], "discriminator": {"propertyName": member, "mapping": mapping}}


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


class Converter(OpenAPIConverter):
    """Shapes and their fields as JSON Schema."""

    def schema2jsonschema(self, schema: Shape) -> Json:
        """Describe a shape."""
        converted = super().schema2jsonschema(schema)  # type: ignore[no-untyped-call]
        converted["properties"] = {
            name: default_in_words(part) for name, part in converted["properties"].items()
        }
        if about := words(type(schema)):
            converted["description"] = about
        return schema.published(converted, self.resolve_nested_schema)

    def field2type_and_format(self, field: fields.Field[Any], **kwargs: Any) -> Json:
        """Describe our own fields by their own methods."""
        if isinstance(field, Several):
            item = self.field2property(field.item)
            several = {"type": "array", "items": item, "minItems": 1, "maxItems": field.most}
            return {"oneOf": [item, several]} if field.alone else several
        if isinstance(field, Either):
            return {"oneOf": [self.field2property(kind) for kind in field.kinds]}
        return {**super().field2type_and_format(field), **getattr(field, "keywords", {})}

    def field2nullable(self, field: fields.Field[Any], ret: Json) -> Json:
        """Describe "or null" as one of two alternatives."""
        if field.allow_none and "$ref" in ret:
            return {"oneOf": [{"$ref": ret.pop("$ref")}, {"type": "null"}]}
        return super().field2nullable(field, ret)


class Plugin(MarshmallowPlugin):
    """The components of a specification, created from shapes."""

    Converter = Converter

    def __init__(self) -> None:
        super().__init__(_name)


def _name(shape: type[Schema]) -> str:
    kind = resolve_schema_cls(shape)
    assert isinstance(kind, type)
    return "" if issubclass(kind, Part) else kind.__name__


class Components:
    """The references to shapes in a specification."""

    def __init__(self) -> None:
        plugin = Plugin()
        self._made = APISpec("", "", "3.1.0", plugins=[plugin])
        assert isinstance(plugin.converter, Converter)
        self._converter = plugin.converter

    def ref(self, shape: type[Schema]) -> Json:
        """Return a reference to a shape, and add the shape to the components."""
        schema: Json = self._converter.resolve_nested_schema(shape)  # type: ignore[no-untyped-call]
        return schema

    def field(self, field: fields.Field[Any]) -> Json:
        """Describe a field."""
        return self._converter.field2property(field)

    def query(self, shape: Schema) -> list[Json]:
        """Describe the parameters of a query."""
        parameters: list[Json] = self._converter.schema2parameters(shape, location="query")
        for parameter in parameters:
            field = shape.fields[parameter["name"]]
            if isinstance(field, Several):  # separated by commas, or in repeated parameters
                parameter |= {"style": "form", "explode": not field.commas}
        return parameters

    def schemas(self) -> Json:
        """Return the shapes that were referred to."""
        return self._made.components.schemas
