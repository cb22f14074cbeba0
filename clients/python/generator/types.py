"""The types of requests and answers, and the exceptions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from generator.texts import HEADER, camel, docstring, is_name

BASIC = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}


def types(spec: dict[str, Any]) -> str:
    """Return the module of the types: a TypedDict for each kind of object, an alias for everything else."""
    parts = [HEADER, "from typing import Any, Literal, NotRequired, TypeAlias, TypedDict\n"]
    parts.append("from collections.abc import Mapping, Sequence\n")
    for name, schema in spec["components"]["schemas"].items():
        if not name.endswith("Problem"):
            parts += declared(name, schema)
    return "\n".join(parts)


def declared(name: str, schema: dict[str, Any]) -> Iterator[str]:
    """Yield the declarations of a schema; objects inside it get its name and the member's."""
    inner: list[str] = []
    if schema.get("type") == "object" and schema.get("properties"):
        yield from typed_dict(name, schema, inner)
    else:
        yield f"{name}: TypeAlias = {quoted(annotation(schema, name, inner))}\n{docstring(schema, '')}"
    yield from inner


def typed_dict(name: str, schema: dict[str, Any], inner: list[str]) -> Iterator[str]:
    """Yield the TypedDict of an object."""
    required = set(schema.get("required", ()))
    members = []
    for member, shape in schema["properties"].items():
        kind = annotation(shape, name + camel(member), inner)
        members.append((member, kind if member in required else f"NotRequired[{kind}]", shape))
    if all(is_name(member) for member, _, _ in members):
        lines = [f"class {name}(TypedDict):", docstring(schema, "    ")]
        for member, kind, shape in members:
            lines += [f"    {member}: {kind}", docstring(shape, "    ")]
        yield "\n".join(line for line in lines if line) + "\n"
    else:
        given = ", ".join(f'"{member}": "{kind}"' for member, kind, _ in members)
        yield f'{name} = TypedDict("{name}", {{{given}}})\n{docstring(schema, "")}'


def annotation(shape: dict[str, Any], name: str, inner: list[str] | None = None, where: str = "") -> str:
    """Return the type of a schema, as text. Objects in it are declared in `inner`, else they are mappings."""
    if "$ref" in shape:
        return where + str(shape["$ref"]).rsplit("/", 1)[1]
    if "const" in shape:
        return f"Literal[{shape['const']!r}]"
    if "enum" in shape:
        return literal(shape["enum"])
    kinds = shape.get("oneOf") or shape.get("anyOf")
    if kinds:
        single = len([kind for kind in kinds if kind.get("type") != "null"]) == 1
        found = [
            annotation(kind, name if single else f"{name}{number}", inner, where)
            for number, kind in enumerate(kinds, 1)
        ]
        return " | ".join(dict.fromkeys(found))
    allowed = shape.get("type")
    if isinstance(allowed, list):
        each = [annotation({**shape, "type": kind}, name, inner, where) for kind in allowed]
        return " | ".join(dict.fromkeys(each))
    if allowed == "array":
        return f"Sequence[{annotation(shape.get('items', {}), name, inner, where)}]"
    if allowed == "object":
        if shape.get("properties") and inner is not None:
            inner.extend(declared(name, shape))
            return name
        values = shape.get("additionalProperties")
        held = annotation(values, name, inner, where) if isinstance(values, dict) else "Any"
        return f"Mapping[str, {held}]"
    return BASIC.get(str(allowed), "Any")


def literal(values: list[Any]) -> str:
    """Return the type of one of these values."""
    shown = ", ".join(repr(value) for value in values if value is not None)
    return " | ".join([f"Literal[{shown}]"] * bool(shown) + ["None"] * (None in values))


def quoted(kind: str) -> str:
    """Return a type for an alias, which may name what is declared later."""
    return kind if re.fullmatch(r"[a-z]+", kind) else repr(kind)


def errors(spec: dict[str, Any]) -> str:
    """Return the module of the errors: one class for each type of problem."""
    parts = [HEADER, "from card_referee_client.api_error import ApiError\n"]
    known = {}
    for name, schema in spec["components"]["schemas"].items():
        kind = schema.get("properties", {}).get("type", {}).get("const")
        if name.endswith("Problem") and kind:
            known[kind] = name.removesuffix("Problem")
            about = schema.get("description") or f"The problem `{kind}`."
            parts.append(f"\nclass {known[kind]}(ApiError):\n{docstring({'description': about}, '    ')}\n")
    table = "".join(f"    {kind!r}: {name},\n" for kind, name in known.items())
    parts.append(f"\nBY_TYPE: dict[str, type[ApiError]] = {{\n{table}}}\n")
    return "\n".join(parts)
