"""Shapes as components of the specification: the schemas of what is accepted, and of what is answered."""

from __future__ import annotations

from typing import Any

from marshmallow import Schema, fields, missing

from api.http.answers import PUBLISHED, Component, Json, or_null, schema_of_class, words
from api.http.fields import Input, Several, default_in_words


class Components:
    """The components of a specification, which are made when something refers to them."""

    def __init__(self) -> None:
        self._shapes: dict[str, Any] = {}
        self.schemas: Json = {}

    def ref(self, shape: type[Any] | Component) -> Json:
        """Return a reference to a shape, and add the shape to the components."""
        name = shape.name if isinstance(shape, Component) else shape.__name__
        if name not in self._shapes:
            self._shapes[name] = shape
            self.schemas[name] = self._schema(shape)
        assert self._shapes[name] is shape, f"two shapes have the name {name}"
        return {"$ref": f"#/components/schemas/{name}"}

    def _schema(self, shape: type[Any] | Component) -> Json:
        if isinstance(shape, Component):
            return shape.schema(self.ref)
        if issubclass(shape, Input):
            return shape().published(self._input(shape()), self.ref)
        schema = PUBLISHED[shape].schema if shape in PUBLISHED else None
        return (schema or schema_of_class)(shape, self.ref)

    def _input(self, shape: Schema) -> Json:
        named = {field.data_key or name: field for name, field in shape.fields.items()}
        required = sorted(name for name, field in named.items() if field.required)
        return {
            "type": "object",
            "properties": {name: default_in_words(self.field(field)) for name, field in named.items()},
            **({"required": required} if required else {}),
            "additionalProperties": False,
            "description": words(type(shape)),
        }

    def field(self, field: fields.Field[Any]) -> Json:
        """Describe a field."""
        schema = or_null(self._kind(field)) if field.allow_none else self._kind(field)
        inside: Json = {name: schema.pop(name) for name in ("items", "oneOf") if name in schema}
        default = field.load_default
        usual = {} if default in (missing, None) or callable(default) else {"default": default}
        return {**schema, **field.metadata, **inside, **usual}

    def _kind(self, field: fields.Field[Any]) -> Json:
        keywords: Json = getattr(field, "keywords", {})
        if isinstance(field, fields.Nested):
            return self.ref(type(field.schema))
        if isinstance(field, fields.List):
            return {"type": "array", **keywords, "items": self.field(field.inner)}
        if isinstance(field, Several):
            item = self.field(field.item)
            several = {"type": "array", "items": item, "minItems": 1, "maxItems": field.most}
            return {"oneOf": [item, several]} if field.alone else several
        return {"type": "string"} if type(field) is fields.String else dict(keywords)

    def query(self, shape: Schema) -> list[Json]:
        """Describe the parameters of a query."""
        return [self._parameter(name, field) for name, field in shape.fields.items()]

    def _parameter(self, name: str, field: fields.Field[Any]) -> Json:
        schema = self.field(field)
        about = {"description": schema.pop("description")} if "description" in schema else {}
        parameter = {"in": "query", "name": name, **about, "schema": schema, "required": field.required}
        if isinstance(field, Several):  # separated by commas, or in repeated parameters
            parameter |= {"style": "form", "explode": False}
        return parameter
