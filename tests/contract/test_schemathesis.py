"""schemathesis, every check on, as an app, as a player and as nobody, against a real server.

FUZZ_EXAMPLES makes it longer (`make contract`); from 20 on the phase that tries every edge of every schema
comes too.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.serving import TIMEOUT, Server, free_directory, serve

pytestmark = pytest.mark.long

CONFIGURATION = Path(__file__).with_name("schemathesis.toml")
EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "2"))
THOROUGH = 20
# However slow the machine is: bounds against hanging, nothing that is measured.
HANG = 10 * TIMEOUT
SLOW = {"COMPUTE_TIMEOUT": str(HANG), "BODY_TIMEOUT": str(HANG)}


def world(server: Server) -> dict[str, str]:
    """A player with a token, at a public table with another; everything there that has an id."""
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
    """What it found, without its advice."""
    parts = [output.partition(f" {name} ")[2].partition("WARNINGS")[0] for name in ("ERRORS", "FAILURES")]
    return "".join(parts) or output[-4000:]


def fuzz(server: Server, directory: Path, token: str, named: dict[str, str]) -> None:
    """Run schemathesis; `named` are the path parameters that always have this value."""
    configuration = directory / "schemathesis.toml"
    # What is deprecated works as it did, and is documented only in words.
    fixed = ['"query.dry_run" = "false"']
    fixed += [f'"path.{name}" = "{value}"' for name, value in named.items()]
    configuration.write_text("\n".join(["[parameters]", *fixed, "", CONFIGURATION.read_text()]))
    # Whoever makes nothing has nothing to follow up on.
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
    # Nothing happens in a game that nobody plays: whoever waits for an entry waits. Figures are there, for
    # those who have the token.
    settings = {"RATE_LIMIT": "none", "MAX_WAIT": "1", "METRICS_TOKEN": "a-token-of-operators", **SLOW}
    with free_directory() as directory, serve(directory, timeout=HANG, **settings) as server:
        there = world(server)
        token = {"app": server.key, "player": there["secret"], "nobody": ""}[who]
        # An app makes what it names; the others find a game that has begun.
        fuzz(server, tmp_path, token, {} if who == "app" else {"game": there["game"]})
