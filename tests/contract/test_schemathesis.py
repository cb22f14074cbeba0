"""Run schemathesis with every check against a real server: as an app, as a player and without a token.

FUZZ_EXAMPLES makes it longer (`make contract`); from 20 on, it includes the phase that tries every edge of
every schema.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.servers.serving import TIMEOUT, Server, constants, free_directory, serve

pytestmark = pytest.mark.long

CONFIGURATION = Path(__file__).with_name("schemathesis.toml")
EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "2"))
THOROUGH = 20
# Limits in case something hangs, enough for a slow machine.
HANG = 10 * TIMEOUT
SLOW = {"COMPUTE_TIMEOUT": str(HANG), **constants(body_timeout=HANG)}


def world(server: Server) -> dict[str, str]:
    """Create a player with a token, who plays at a public table; return all ids."""
    headers = {"Authorization": f"Bearer {server.key}"}
    with httpx.Client(base_url=server.url, headers=headers, timeout=TIMEOUT) as http:

        def make(path: str, **body: Any) -> Any:
            answer = http.post(path, json=body)
            assert answer.status_code == 201, answer.text
            return answer.json()

        player, other = (make("/v1/players", name=name)["id"] for name in ("Anna", "Ben"))
        token = make(f"/v1/players/{player}/tokens")
        seats = [{"player": player}, {"player": other}]
        game = make("/v1/games", ruleset="palace", visibility="public", seats=seats)["id"]
    return {"player": player, "token": token["id"], "game": game, "secret": token["token"]}


def failures(output: str) -> str:
    """Return its failures, without its advice."""
    parts = [output.partition(f" {name} ")[2].partition("WARNINGS")[0] for name in ("ERRORS", "FAILURES")]
    return "".join(parts) or output[-4000:]


def fuzz(server: Server, directory: Path, token: str, named: dict[str, str]) -> None:
    """Run schemathesis; the path parameters in `named` always have this value."""
    configuration = directory / "schemathesis.toml"
    fixed = [f'"path.{name}" = "{value}"' for name, value in named.items()]
    configuration.write_text("\n".join(["[parameters]", *fixed, "", CONFIGURATION.read_text()]))
    # Callers that create nothing need no chains of requests.
    phases = "examples,fuzzing" + (",stateful" if not named or EXAMPLES >= THOROUGH else "")
    phases += ",coverage" if EXAMPLES >= THOROUGH else ""
    command = [sys.executable, "-m", "schemathesis.cli", "--config-file", configuration, "run"]
    command += [f"{server.url}/openapi.yaml", "--checks", "all", "--phases", phases, "--no-color"]
    command += ["--max-examples", EXAMPLES, *(["--seed", 1] if EXAMPLES < THOROUGH else [])]
    command += ["--request-timeout", HANG, "--max-response-time", HANG, "--suppress-health-check", "too_slow"]
    command += ["--header", f"Authorization: Bearer {token}"] if token else []
    done = subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        text=True,
        cwd=directory,
        env={**os.environ, "SCHEMATHESIS_HOOKS": str(CONFIGURATION.with_name("reasons.py"))},
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, failures(done.stdout) + done.stderr[-2000:]


@pytest.mark.parametrize("who", ["app", "player", "nobody"])
def test_schemathesis_finds_nothing(who: str, tmp_path: Path) -> None:
    # In a game that nobody plays, a request that waits for an entry would wait in vain. Metrics are for
    # callers with their token.
    settings = {"RATE_LIMIT": "none", "METRICS_TOKEN": "a-token-of-operators", **SLOW}
    with free_directory() as directory, serve(directory, timeout=HANG, **settings) as server:
        there = world(server)
        token = {"app": server.key, "player": there["secret"], "nobody": ""}[who]
        # An app creates the objects that it names; the others find a started game.
        fuzz(server, tmp_path, token, {} if who == "app" else {"game": there["game"]})
