"""Records the examples of the specification: a plugin for pytest, which `make examples` runs.

Of every body that the tests send or get, it keeps one for each schema: those of
`tests/features/specification/test_story.py`, which belong together, before others, then the one with the most
members, then the shortest. What is recorded already stays as it is, unless `ALL=yes` asks for all of it anew.
"""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Iterator
from typing import Any

import pytest

from api.features.specification.samples import LINES, RECORDED, STREAM
from tests.support import callers, contract

STORY = "test_story.py"
LONGEST = 12_000  # characters of an example
MOST_TEXT = 400  # characters of an answer that is no JSON
SECRET = re.compile(r"\b(cra_|crp_|whsec_)([A-Za-z0-9+/_-]{16,}=*)")
Score = tuple[bool, int, int]
found: dict[str, tuple[Score, Any]] = {}
stays: set[str] = set()
current = [""]
call = callers.Caller.__call__


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Remember which test runs."""
    current[0] = item.path.name


def pytest_configure() -> None:
    """Follow what callers send and get."""
    if RECORDED.exists():
        found.update(
            {name: ((False, -1, 0), value) for name, value in json.loads(RECORDED.read_text()).items()}
        )
    if os.environ.get("ALL") != "yes":
        stays.update(found)
    callers.Caller.__call__ = _call  # type: ignore[method-assign]


def pytest_unconfigure() -> None:
    """Write the examples."""
    kept = {name: value for name, (_, value) in sorted(found.items())}
    text = json.dumps(kept, indent=1, ensure_ascii=False, sort_keys=True)
    RECORDED.write_text(text + "\n", "utf-8")


def _call(self: Any, method: str, path: str, json: Any = None, **more: Any) -> Any:
    response = call(self, method, path, json, **more)
    declared = contract.operation(method, path.partition("?")[0])
    if declared is None:
        return response
    if json is not None and response.status_code < 300:
        _keep(declared.get("requestBody", {}), "application/json", json)
    answer = declared["responses"].get(str(response.status_code), {})
    if "$ref" in answer:
        answer = contract.strict()["components"]["responses"][answer["$ref"].rsplit("/", 1)[1]]
    if response.mimetype in (LINES, STREAM):  # their items are examples
        return response
    if response.is_json:
        _keep(answer, response.mimetype, response.json)
    elif response.status_code == 200 and response.data:
        data = response.get_data()[:MOST_TEXT]
        binary = response.mimetype == "application/octet-stream"
        text = base64.b64encode(data).decode() if binary else data.decode(errors="ignore")
        _offer(f"{declared['operationId']} {response.mimetype}", text)
    return response


def _keep(body: dict[str, Any], kind: str, value: Any) -> None:
    schema = body.get("content", {}).get(kind, {}).get("schema")
    if schema is None:
        return
    for name in _names(schema, value):
        _offer(name, value)


def _names(schema: dict[str, Any], value: Any) -> Iterator[str]:
    refs = {schema["$ref"]} if "$ref" in schema else set()
    if "discriminator" in schema:
        mapping = schema["discriminator"]
        refs = {mapping["mapping"][value[mapping["propertyName"]]]}
    for ref in refs:
        yield ref.rsplit("/", 1)[1]


def _offer(name: str, value: Any) -> None:
    if name in stays:
        return
    text = SECRET.sub(lambda secret: secret[1] + "EXAMPLE".ljust(len(secret[2]), "0"), json.dumps(value))
    if len(text) > LONGEST and name in found and current[0] != STORY:
        return
    score = (current[0] == STORY, len(set(re.findall(r'"(\w+)":', text))), -len(text))
    if name not in found or found[name][0] < score:
        found[name] = (score, json.loads(text))
