"""Checks of every answer that the tests get against the specification."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import jsonschema_rs
from werkzeug.test import TestResponse

import referee
from api.features.specification.specification import spec

DESCRIBED = {ruleset.ID for ruleset in referee.newest()}  # those whose types the specification declares
RULESET = re.compile(r'"ruleset":"([a-z_]+)","')
METHODS = ("get", "post", "put", "patch", "delete")


@cache
def strict() -> dict[str, Any]:
    """Return the specification with every object closed, so that undeclared members fail."""
    copy: dict[str, Any] = json.loads(json.dumps(spec()))
    _close(copy["components"]["schemas"])
    return copy


def _close(node: Any) -> None:
    if isinstance(node, dict):
        if "properties" in node and node.get("type") in ("object", ["object", "null"]):
            node.setdefault("additionalProperties", False)
        for inner in node.values():
            _close(inner)
    elif isinstance(node, list):
        for inner in node:
            _close(inner)


def patterns(part: Any) -> Iterator[str]:
    """Yield the patterns of all schemas."""
    if isinstance(part, dict):
        if isinstance(part.get("pattern"), str):
            yield part["pattern"]
        for inner in part.values():
            yield from patterns(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from patterns(inner)


@cache
def operations(method: str) -> list[tuple[re.Pattern[str], dict[str, Any]]]:
    """Return (pattern of the path, operation) for every operation of a method."""
    found = []
    for path, item in strict()["paths"].items():
        found += [(pattern(path), item[method])] if method in item else []
    return found


def pattern(path: str) -> re.Pattern[str]:
    """Return what addresses with this path of the specification look like."""
    return re.compile(re.sub(r"\\{[a-z_]+\\}", "[^/]+", re.escape(path).replace(r"\{tile\}", ".+")))


def operation(method: str, path: str) -> dict[str, Any] | None:
    return next((each for form, each in operations(method.lower()) if form.fullmatch(path)), None)


@cache
def registry() -> jsonschema_rs.Registry:
    """Return the components for all validators: with a copy in each, they would take a gigabyte."""
    return jsonschema_rs.Registry([("urn:api", {"components": strict()["components"]})])


@cache
def inline(schema: str) -> Any:
    """Return the validator of a schema of the specification, given as JSON."""
    absolute = json.loads(schema.replace('"#/components', '"urn:api#/components'))
    return jsonschema_rs.Draft202012Validator(absolute, registry=registry())


validators: dict[int, Any] = {}


def validator(part: dict[str, Any]) -> Any:
    """Return the validator of a schema that is a part of `strict()`, which lasts, so that its id does too."""
    if id(part) not in validators:
        validators[id(part)] = inline(json.dumps(part))
    return validators[id(part)]


def check_headers(declared: dict[str, Any], response: TestResponse, call: str) -> None:
    """Fail for a header of ours that is undeclared or missing, or has an undeclared form."""
    sent = {name.lower(): value for name, value in response.headers}
    for name, header in strict()["components"]["headers"].items():
        value = sent.get(name.lower())
        if name not in declared:
            assert value is None, (call, name)
        elif value is None:
            assert not header["required"], (call, name)
        else:
            assert validator(header["schema"]).is_valid(value), (call, name, value)


def check(method: str, path: str, response: TestResponse) -> None:
    """Fail for a status, content type, header or member that is not declared."""
    declared = operation(method, path)
    if declared is None:  # no operation: only the problems that every path can answer with
        assert response.status_code in (404, 405), (method, path, response.status_code)
        return
    assert response.status_code != 500, (method, path)  # documented, but does not occur in tests
    answers = declared["responses"]
    assert str(response.status_code) in answers, (method, path, response.status_code, response.text[:300])
    answer = answers[str(response.status_code)]
    if "$ref" in answer:
        answer = strict()["components"]["responses"][answer["$ref"].rsplit("/", 1)[1]]
    check_headers(answer.get("headers", {}), response, f"{method} {path} {response.status_code}")
    content = answer.get("content", {})
    if not content:
        assert not response.data
        return
    assert response.mimetype in content, (response.mimetype, list(content))
    if response.mimetype in ("application/json", "application/problem+json"):
        if set(RULESET.findall(response.text)) - DESCRIBED:
            return  # a ruleset that a test registered after the specification was built
        schema = validator(content[response.mimetype]["schema"])
        errors = [f"{list(e.instance_path)}: {e.message}"[:300] for e in schema.iter_errors(response.json)]
        assert not errors, (method, path, errors)


JSON = {"Content-Type": "application/json"}


def problem(response: Any, status: int, slug: str) -> dict[str, Any]:
    assert response.status_code == status, response.text
    assert response.mimetype == "application/problem+json"
    found: dict[str, Any] = response.json
    assert found["type"] == f"/problems/{slug}"
    assert found["status"] == status
    assert found["title"]
    assert found["detail"]
    return found
