"""schemathesis, every check on, as an app, as a player and as nobody, against a real server.

FUZZ_EXAMPLES makes it longer (`make fuzz`); from 20 on the phase that tries every edge of every schema
comes too.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.serving import PATIENCE, free_directory, serve

HERE = Path(__file__).parent
EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "2"))
THOROUGH = 20


def player_token(url: str, key: str) -> str:
    """A player who sits in a public game."""
    with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=PATIENCE) as http:
        player = http.post("/v1/players", json={"name": "Anna"}).json()["id"]
        seats = [{"player": player}, {"bot": "random"}]
        game = {"ruleset": "cats_and_dogs", "visibility": "public", "seats": seats}
        assert http.post("/v1/games", json=game).status_code == 201
        token: str = http.post(f"/v1/players/{player}/tokens", json={}).json()["token"]
        return token


def failures(output: str) -> str:
    """What it found, without its advice."""
    return output.partition("FAILURES")[2].partition("WARNINGS")[0] or output[-4000:]


@pytest.mark.parametrize("who", ["app", "player", "nobody"])
def test_schemathesis_finds_nothing(who: str, tmp_path: Path) -> None:
    with free_directory() as directory, serve(directory, RATE_LIMIT="none") as server:
        token = {"app": server.key, "nobody": ""}.get(who) or ""
        if who == "player":
            token = player_token(server.url, server.key)
        phases = "examples,fuzzing,stateful" + (",coverage" if EXAMPLES >= THOROUGH else "")
        command = [
            sys.executable,
            "-m",
            "schemathesis.cli",
            "--config-file",
            HERE / "schemathesis.toml",
            "run",
        ]
        flags = ["--checks", "all", "--phases", phases, "--max-examples", EXAMPLES, "--seed", 1, "--no-color"]
        auth = ["--header", f"Authorization: Bearer {token}"] if token else []
        done = subprocess.run(
            [str(part) for part in (*command, f"{server.url}/openapi.yaml", *flags, *auth)],
            capture_output=True,
            text=True,
            cwd=tmp_path,
        )
    assert done.returncode == 0, failures(done.stdout) + done.stderr[-2000:]
