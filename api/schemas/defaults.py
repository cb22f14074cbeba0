"""Defaults of what we accept, told in words."""

from __future__ import annotations

import json
from typing import Any


def in_words(schema: dict[str, Any]) -> dict[str, Any]:
    """Write a schema's defaults into its descriptions: openapi-typescript requires a member with one."""
    found = {key: value for key, value in schema.items() if key != "default"}
    if schema.get("default") is not None:
        words = [schema.get("description", "").rstrip("."), f"Default: {json.dumps(schema['default'])}"]
        found["description"] = "".join(f"{part}. " for part in words if part).rstrip()
    if "properties" in schema:
        found["properties"] = {name: in_words(member) for name, member in schema["properties"].items()}
    if isinstance(schema.get("items"), dict):
        found["items"] = in_words(schema["items"])
    return found
