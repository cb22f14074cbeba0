"""The operations of the specification as methods of resources."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from generator.texts import camel
from generator.types import annotation

STREAM, JSON = "text/event-stream", "application/json"


def dotted(operation: dict[str, Any], names: dict[str, dict[str, str]]) -> str:
    """Return the resource and the method of an operation, as clients/operations.yaml says."""
    id_, tag = operation["operationId"], operation["tags"][0]
    if id_ in names["operations"]:
        return names["operations"][id_]
    resource = names["tags"].get(tag, tag.replace(" ", "_"))
    noun = resource.rpartition(".")[2].removesuffix("s")
    return f"{resource}.{re.sub(f'_{noun}s?$', '', id_)}"


@dataclass
class Method:
    """One operation as a method."""

    name: str
    verb: str
    path: str
    operation: dict[str, Any]
    spec: dict[str, Any]

    def parameters(self, where: str) -> list[dict[str, Any]]:
        """Return the parameters in the path, query or headers."""
        named = self.spec["components"]["parameters"]
        every = [
            named[one["$ref"].rsplit("/", 1)[1]] if "$ref" in one else one
            for one in self.operation.get("parameters", ())
        ]
        return [one for one in every if one["in"] == where]

    def headers(self) -> set[str]:
        """Return the names of its headers."""
        return {one["name"] for one in self.parameters("header")}

    def answer(self) -> tuple[str, dict[str, Any]]:
        """Return the media type and the schema of a success; nothing for no content."""
        for status, answer in self.operation["responses"].items():
            for media, content in answer.get("content", {}).items() if status < "300" else ():
                return media, content["schema"]
        return "", {}

    def stream(self) -> dict[str, Any] | None:
        """Return the schema of the stream's items, if it can be followed."""
        content = self.operation["responses"].get("200", {}).get("content", {})
        return content[STREAM]["schema"] if STREAM in content else None

    def item(self) -> str | None:
        """Return the type of the items, if the answer is a page of a list."""
        _, schema = self.answer()
        page = self.resolved(schema).get("properties", {})
        if self.verb == "GET" and "items" in page and "next" in page:
            return annotation(page["items"]["items"], "", None, "types.")
        return None

    def query(self) -> list[dict[str, Any]]:
        """Return its query parameters."""
        return self.parameters("query")

    def body(self) -> dict[str, dict[str, Any]]:
        """Return the members of the body, each with its schema and whether it is `required`."""
        content = self.operation.get("requestBody", {}).get("content", {})
        return self.members(content[JSON]["schema"]) if JSON in content else {}

    def members(self, schema: dict[str, Any]) -> dict[str, dict[str, Any]]:
        """Return the members of an object; of a union, those of all kinds."""
        schema = self.resolved(schema)
        if "oneOf" not in schema:
            needed = schema.get("required", ())
            return {n: {**s, "required": n in needed} for n, s in schema.get("properties", {}).items()}
        kinds = [self.members(kind) for kind in schema["oneOf"]]
        found: dict[str, dict[str, Any]] = {}
        for name, shape in (each for kind in kinds for each in kind.items()):
            found[name] = shape if found.get(name, shape) == shape else loosened(found[name], shape)
        everywhere = set.intersection(*map(set, kinds))
        return {n: s if n in everywhere else {**s, "required": False} for n, s in found.items()}

    def resolved(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Return what a reference refers to."""
        if "$ref" in schema:
            found: dict[str, Any] = self.spec["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
            return found
        return schema


def loosened(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Return a schema for values of both."""
    required = bool(one.get("required") and other.get("required"))
    if all("const" in each or each.get("type") == "string" for each in (one, other)):
        return {"type": "string", "required": required}
    if one.get("type") == other.get("type") == "array" and one.get("items") == other.get("items"):
        return {"type": "array", "items": one["items"], "required": required}
    return {"type": "object" if one.get("type") == "object" else None, "required": required}


@dataclass
class Resource:
    """A resource: its methods, and the resources inside it."""

    name: str
    methods: list[Method] = field(default_factory=list[Method])
    inner: dict[str, Resource] = field(default_factory=dict[str, Any])

    @classmethod
    def tree(cls, spec: dict[str, Any], names: dict[str, dict[str, str]]) -> Resource:
        """Return the root of all resources."""
        root = cls("")
        for path, item in spec["paths"].items():
            for verb, operation in item.items():
                if not isinstance(operation, dict):
                    continue
                *place, last = dotted(operation, names).split(".")
                here = root
                for step in place:
                    here = here.inner.setdefault(step, cls(f"{here.name}{camel(step)}"))
                if any(known.name == last for known in here.methods):
                    raise ValueError(
                        f"clients/operations.yaml: two operations are {'.'.join([*place, last])}"
                    )
                here.methods.append(Method(last, verb.upper(), path, operation, spec))
        return root


def depth_first(resource: Resource) -> Iterator[Resource]:
    """Yield the resources, those inside another one before it."""
    for inner in resource.inner.values():
        yield from depth_first(inner)
    yield resource
