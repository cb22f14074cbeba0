"""Examples of requests and answers: a short value of each schema, always the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from api.core.json import dumps
from api.schemas.members import EntryTime
from api.schemas.shapes import Json

FORMATS = {
    "uuid": "019ca94f-4d80-7000-8000-000000000000",
    "date-time": "2026-03-01T12:00:00.000000Z",
    "date": "2026-03-01",
    "time": "12:00:00Z",
    "duration": "PT72H",
    "uri": "https://example.org/hook",
    "uri-reference": "/v1/games",
    "email": "anna@example.org",
}
MEMBERS: dict[str, Any] = {
    "name": "Anna",
    "ruleset": "cats_and_dogs",
    "title": "Final",
    "text": "Good luck!",
    "address": "anna@example.org",
    "time_zone": "Europe/Lisbon",
    "digest_at": "08:00",
    "external_id": "table-7",
    "token": "crp_example",
    "key": "cra_example",
    "secret": "whsec_example",
}
"""Example values by name, for members whose schema says only that they are strings."""
PATTERNS = {
    "^[0-9a-f]{64}$": "0" * 64,
    "^[0-9a-f]{128}$": "0" * 128,
    "^[0-9a-f]*$": "00",
    "^https?://": "https://example.org/hook",
    "^([0-9a-fA-F]{2})*$": "00",
    EntryTime.keywords["pattern"]: FORMATS["date-time"],
}
SCHEMAS: dict[str, Json] = {
    "Replacement": {"player": FORMATS["uuid"]},
    "AddedTime": {"seat": 0, "length": "P1D"},
    "NewPace": {"per_move": "PT72H", "on_timeout": "resign"},
}
"""Of schemas whose members depend on each other, or that are durations."""
LINES, STREAM = "application/x-ndjson", "text/event-stream"
MOST_DEPTH = 12


class Sampler:
    """Creates a value of a schema: required members, lists of one item, the first of several kinds."""

    def __init__(self, schemas: Mapping[str, Json]) -> None:
        self._schemas = schemas

    def resolved(self, schema: Json) -> Json:
        """Return the schema that a reference names."""
        return self._schemas[schema["$ref"].rsplit("/", 1)[1]] if "$ref" in schema else schema

    def of(self, schema: Json, name: str = "", depth: int = 0) -> Any:
        """Return a value; `name` is the name of its member."""
        while "$ref" in schema:
            named = schema["$ref"].rsplit("/", 1)[1]
            if named in SCHEMAS:
                return SCHEMAS[named]
            schema = self._schemas[named]
        for keyword in ("example", "const", "default"):
            if keyword in schema:
                return schema[keyword]
        for several in ("examples", "enum"):
            if schema.get(several):
                return schema[several][0]
        kinds = schema.get("oneOf") or schema.get("anyOf")
        if kinds:
            return self.of(kinds[0], name, depth + 1)
        types = schema.get("type", "object" if "properties" in schema else "string")
        kind = types[0] if isinstance(types, list) else types
        return getattr(self, f"_{kind}")(schema, name, depth)

    def _object(self, schema: Json, name: str, depth: int) -> Any:
        properties = schema.get("properties", {})
        names = [*schema.get("required", [])] or [*properties][: schema.get("minProperties", 0)]
        return {member: self.of(properties.get(member, {}), member, depth + 1) for member in names}

    def _array(self, schema: Json, name: str, depth: int) -> Any:
        few = schema.get("minItems", 0) or (depth < MOST_DEPTH and schema.get("maxItems", 1) > 0)
        return [self.of(schema.get("items", {}), name, depth + 1)] * int(few)

    def _string(self, schema: Json, name: str, depth: int) -> Any:
        if schema.get("pattern") in PATTERNS:
            return PATTERNS[schema["pattern"]]
        if schema.get("format") in FORMATS:
            return FORMATS[schema["format"]]
        text = MEMBERS.get(name, name or "text")
        return text.ljust(schema.get("minLength", 0), ".")

    def _integer(self, schema: Json, name: str, depth: int) -> Any:
        return schema.get("minimum", 1)

    _number = _integer

    def _boolean(self, schema: Json, name: str, depth: int) -> Any:
        return False

    def _null(self, schema: Json, name: str, depth: int) -> Any:
        return None


def add_examples(api: Json) -> None:
    """Add an example of every body to a specification: one for each schema, to which all uses refer."""
    sampler, known = Sampler(api["components"]["schemas"]), api["components"].setdefault("examples", {})
    operations = [each for path in api["paths"].values() for each in path.values()]
    for operation in operations:
        bodies = [operation.get("requestBody", {}), *operation["responses"].values()]
        for body in bodies:
            _describe_streams(body.get("content", {}), sampler)
            _add(body.get("content", {}), sampler, known)
    for refusal in api["components"]["responses"].values():
        _add(refusal["content"], sampler, known)
    api["components"]["examples"] = dict(sorted(known.items()))


def _add(content: Json, sampler: Sampler, known: Json) -> None:
    for kind in content.values():
        if "example" in kind or "examples" in kind:
            continue
        refs = [part["$ref"] for part in kind["schema"].get("oneOf", [kind["schema"]]) if "$ref" in part]
        if not refs:
            kind["example"] = sampler.of(kind["schema"])
            continue
        kind["examples"] = {}
        for ref in refs:
            name = ref.rsplit("/", 1)[1]
            known.setdefault(name, {"value": sampler.of({"$ref": ref})})
            kind["examples"][name] = {"$ref": f"#/components/examples/{name}"}


def _describe_streams(content: Json, sampler: Sampler) -> None:
    """Describe each line or event: an item of the page, or the whole page if it is not a log."""
    for kind in {LINES, STREAM} & content.keys():
        page = content["application/json"]["schema"]
        whole = sampler.resolved(page)
        entries = sampler.resolved(whole["properties"]["items"]["items"])
        is_log = "oneOf" in entries or "entry" in entries.get("properties", {})
        item = whole["properties"]["items"]["items"] if is_log else page
        data = dumps(sampler.of(item)).decode()
        words = "One JSON value per line" if kind == LINES else "Events, whose `data` is JSON"
        others = content[kind]["schema"].get("x-events", {})
        items = ", ".join(
            [f"`{_named(item)}`", *(f"of `{name}` `{_named(others[name])}`" for name in others)]
        )
        content[kind]["schema"] |= {
            "description": f"{words}: {items}.",
            "x-itemSchema": item,  # `itemSchema` in OpenAPI 3.2
        }
        content[kind]["example"] = data + "\n" if kind == LINES else f"data: {data}\n\n"


def _named(reference: Json) -> str:
    return str(reference["$ref"]).rsplit("/", 1)[1]
