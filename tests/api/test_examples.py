"""Every body in the specification has an example, which is valid against its schema."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from api.openapi import spec
from tests.api.contract import inline


def bodies() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the place and the description of each body."""
    api = spec()
    for area in ("paths", "webhooks"):
        for path, item in api[area].items():
            for method, operation in item.items():
                found = {"body": operation.get("requestBody", {}), **operation["responses"]}
                for what, body in found.items():
                    for kind, content in body.get("content", {}).items():
                        yield f"{method} {path} {what} {kind}", content
    for name, response in api["components"]["responses"].items():
        for kind, content in response["content"].items():
            yield f"{name} {kind}", content


def test_every_body_has_examples_and_each_is_one() -> None:
    api = spec()
    wanted: dict[tuple[str, str], str] = {}  # the place of a schema that has an example
    for where, content in bodies():
        assert "example" in content or content.get("examples"), where
        given = content.get("examples", {"example": {"value": content.get("example")}})
        for example in given.values():
            if "$ref" in example:
                example = api["components"]["examples"][example["$ref"].rsplit("/", 1)[1]]
            wanted.setdefault((json.dumps(content["schema"]), json.dumps(example["value"])), where)
    assert len(wanted) > 100
    for (schema, example), where in wanted.items():
        faults = inline(schema).iter_errors(json.loads(example))
        assert [fault.message[:300] for fault in faults] == [], where


def test_lines_and_events_describe_their_content() -> None:
    held = {
        where: content["schema"]["x-itemSchema"]["$ref"].rsplit("/", 1)[1]
        for where, content in bodies()
        if where.endswith(("ndjson", "event-stream"))
    }
    assert {*held.values()} == {"Entry", "FeedEntry", "TurnList"}
    others = [content["schema"]["x-events"] for _, content in bodies() if "x-events" in content["schema"]]
    assert others == [{"view": {"$ref": "#/components/schemas/Game"}}]
    for name in ("Entry", "Notice"):
        schema = spec()["components"]["schemas"][name]
        assert len(schema["discriminator"]["mapping"]) == len(schema["oneOf"])
