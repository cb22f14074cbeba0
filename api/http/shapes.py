"""Inputs: marshmallow schemas of what the API accepts, and what the specification says of them.

One is published under its class's name, with its docstring as the description.
"""

from __future__ import annotations

import json
from typing import Any

from marshmallow import Schema, ValidationError

from api.http.answers import Json, Ref

MOST_UNKNOWN = 20  # unknown members that an error names at most


class Input(Schema):
    """An object that is accepted, without any other members."""

    def published(self, schema: Json, ref: Ref) -> Json:
        """Return its JSON Schema, given that of its fields; `ref` publishes others."""
        return schema

    def load(self, data: Any, **more: Any) -> Any:
        """Read a value. Raises ValidationError, which names only some of many unknown members."""
        if type(data) is dict and len(data) > len(self.fields) + MOST_UNKNOWN:
            unknown = [name for name in data if name not in self.fields][:MOST_UNKNOWN]
            raise ValidationError({name: ["Unknown field."] for name in unknown})
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
