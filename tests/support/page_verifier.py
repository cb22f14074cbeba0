"""The verifier of the pages, run in Node."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from tests.support.node import NODE

RUNNER = Path(__file__).parents[1] / "audit" / "verify.mjs"


def ask(questions: list[Any]) -> list[Any]:
    lines = "\n".join(map(json.dumps, questions)) + "\n"
    done = subprocess.run([NODE, RUNNER], input=lines, capture_output=True, text=True, timeout=3000)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.split("\n")[:-1]]


def failures(answer: dict[str, Any]) -> dict[str, int | None]:
    assert answer["ok"] == all(check["ok"] for check in answer["checks"])
    return {check["name"]: check["seq"] for check in answer["checks"] if not check["ok"]}
