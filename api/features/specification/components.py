"""Shapes as components of the specification, by apispec."""

from __future__ import annotations

from typing import Any

from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin
from apispec.ext.marshmallow.common import resolve_schema_cls
from apispec.ext.marshmallow.openapi import OpenAPIConverter
from marshmallow import Schema, fields

from api.http.fields import Several
from api.http.members import Either
from api.http.shapes import Json, Part, Shape, default_in_words, words


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
