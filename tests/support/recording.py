"""Records the examples of the specification: a plugin for pytest, which `make examples` runs.

Of what the tests send and get, it keeps one exchange for each operation and status, with its path: those of
`tests/features/specification/test_story.py`, which belong together, before others, then the shortest
in which no list is empty. What is recorded already stays as it is, unless `ALL=yes` asks for all of it anew.
"""

from __future__ import annotations

import base64
import json
import os
import re
from typing import Any

import pytest

from api.features.specification.samples import RECORDED, STREAM
from tests.support import callers, contract

STORY = "test_story.py"
MOST_TEXT = 400  # characters of an answer that is no JSON
SECRET = re.compile(r"\b(cra_|crp_|whsec_)([A-Za-z0-9+/_-]{16,}=*)")
Score = tuple[bool, bool, int]  # the lowest is the best
found: dict[tuple[str, str], tuple[Score, Any]] = {}
current = [""]
call = callers.Caller.__call__


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Remember which test runs."""
    current[0] = item.path.name


def pytest_configure() -> None:
    """Follow what callers send and get."""
    if RECORDED.exists() and os.environ.get("ALL") != "yes":
        for name, exchanges in json.loads(RECORDED.read_text("utf-8")).items():
            for what, exchange in exchanges.items():
                found[name, what] = ((False, False, 0), exchange)
    callers.Caller.__call__ = _call  # type: ignore[method-assign]


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Send the examples to the process that started this one, if there is one."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["found"] = json.dumps([*found.items()])


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take the examples of a process that has ended."""
    for (name, what), (score, exchange) in json.loads(getattr(node, "workeroutput", {}).get("found", "[]")):
        _keep(name, what, tuple(score), exchange)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Write the examples."""
    if hasattr(config, "workerinput"):
        return
    kept: dict[str, dict[str, Any]] = {}
    for (name, what), (_, exchange) in found.items():
        kept.setdefault(name, {})[what] = exchange
    RECORDED.write_text(json.dumps(kept, indent=1, ensure_ascii=False, sort_keys=True) + "\n", "utf-8")


def _call(self: Any, method: str, path: str, json: Any = None, **more: Any) -> Any:
    response = call(self, method, path, json, **more)
    address = path.partition("?")[0]
    declared = contract.operation(method, address)
    if declared is None or response.mimetype == STREAM:  # whose items are examples
        return response
    described = declared["responses"].get(str(response.status_code), {"$ref": ""})
    if (
        "$ref" in described
        or {*contract.RULESET.findall(response.get_data().decode(errors="ignore"))} - contract.DESCRIBED
    ):
        return response  # as of every operation, or of a ruleset that only a test has
    exchange: dict[str, Any] = {"request": f"{method} {address}"}
    if response.status_code < 300:
        exchange |= {"body": json} if json is not None else {}
    if response.is_json:
        exchange["answer"] = response.json
    elif response.data:
        data = response.get_data()[:MOST_TEXT]
        binary = response.mimetype == "application/octet-stream"
        exchange["answer"] = base64.b64encode(data).decode() if binary else data.decode(errors="ignore")
    _offer(declared["operationId"], f"{response.status_code} {response.mimetype}".strip(), exchange)
    return response


def _offer(name: str, what: str, exchange: dict[str, Any]) -> None:
    text = SECRET.sub(lambda secret: secret[1] + "EXAMPLE".ljust(len(secret[2]), "0"), json.dumps(exchange))
    score = (current[0] != STORY, "[]" in text, len(text))
    _keep(name, what, score, json.loads(text))


def _keep(name: str, what: str, score: Score, exchange: dict[str, Any]) -> None:
    if (name, what) not in found or score < found[name, what][0]:
        found[name, what] = (score, exchange)
