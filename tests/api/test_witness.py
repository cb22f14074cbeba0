"""`referee witness` against a real server: it cosigns a log that only grows, and no other."""

from __future__ import annotations

import base64
import json
import stat
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import httpx
import pytest

import referee
from referee.log.receipts import read_receipt
from tests.serving import TIMEOUT, Server
from witness.cosigning import cosigned_at
from witness.watching import _place


def witness(*words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "witness.cli", "witness", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT)


def size_of(server: Server) -> int:
    note = httpx.get(f"{server.url}/v1/log/checkpoint", trust_env=False, timeout=TIMEOUT).text
    return read_receipt(note).size


def make_games(server: Server, number: int) -> None:
    """Create games, cancel one of them, and wait until the worker has added them to the log."""
    size = size_of(server)
    with httpx.Client(
        base_url=server.url,
        headers={"Authorization": f"Bearer {server.key}"},
        trust_env=False,
        timeout=TIMEOUT,
    ) as client:
        for _ in range(number):
            made = client.post("/v1/games", json={"ruleset": "pies", "seats": [{"open": True}] * 4})
            assert made.status_code == 201, made.text
        assert client.post(f"/v1/games/{made.json()['id']}/cancellation").status_code == 201
    until = time.monotonic() + TIMEOUT
    while size_of(server) < size + number + 1:
        assert time.monotonic() < until
        time.sleep(0.1)


def test_a_log_that_grows_is_cosigned(server: Server, tmp_path: Path) -> None:
    state = tmp_path / "witness.json"
    sizes = []
    for _ in range(3):
        before = int(time.time())
        make_games(server, 3)
        done = witness(server.url, "--state", state, "--name", "example.org/witness")
        assert done.returncode == 0, done.stderr
        known = json.loads(state.read_text())
        assert done.stdout.startswith(known["checkpoint"])
        at = cosigned_at(done.stdout, known["vkey"])
        assert at is not None
        assert before <= at <= time.time()
        assert known["vkey"].startswith("example.org/witness+")
        sizes.append(read_receipt(done.stdout).size)
    assert sizes == sorted(set(sizes))
    assert stat.S_IMODE(state.stat().st_mode) == 0o600
    changed = done.stdout.replace(f"\n{sizes[-1]}\n", f"\n{sizes[-1] + 1}\n")
    assert cosigned_at(changed, known["vkey"]) is None


def test_everything_is_counted(server: Server, tmp_path: Path) -> None:
    make_games(server, 2)
    found = [json.loads(witness(server.url, "--state", tmp_path / "w", "--count").stderr)]
    make_games(server, 5)
    found.append(json.loads(witness(server.url, "--state", tmp_path / "w", "--count").stderr))
    grown = Counter(found[1])
    grown.subtract(found[0])
    assert grown == {"created": 5, "cancelled": 1, "finished": 0, "unfinished": 4}


@pytest.mark.parametrize("change", ["root", "size", "origin"])
def test_a_log_that_contradicts_the_known_one_is_not_cosigned(
    server: Server, tmp_path: Path, change: str
) -> None:
    make_games(server, 2)
    state = tmp_path / "witness.json"
    assert witness(server.url, "--state", state).returncode == 0
    known: dict[str, Any] = json.loads(state.read_text())
    lines = known["checkpoint"].split("\n")
    if change == "root":  # as if another tree of that size had been signed before
        lines[2] = base64.b64encode(referee.leaf_hash(b"other")).decode()
    elif change == "size":
        lines[1] = str(int(lines[1]) + 1_000_000)
    else:
        lines[0] = "elsewhere/games"
    state.write_text(json.dumps({**known, "checkpoint": "\n".join(lines)}))
    before = state.read_text()
    if change == "root":
        make_games(server, 1)
    done = witness(server.url, "--state", state)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("FAIL")
    assert "Traceback" not in done.stderr
    assert state.read_text() == before
    assert "\n".join(lines) in (tmp_path / "witness.json.conflict").read_text()


def test_an_invalid_log_is_reported_in_one_sentence(tmp_path: Path) -> None:
    done = witness("http://127.0.0.1:1", "--state", tmp_path / "w")
    assert done.returncode == 1
    assert "cannot be fetched" in done.stderr
    assert "Traceback" not in done.stderr
    (tmp_path / "w").write_text("[]")
    assert witness("http://127.0.0.1:1", "--state", tmp_path / "w").returncode == 2


def test_paths_of_tiles_with_large_numbers() -> None:
    assert [_place(n) for n in (0, 67, 999, 1000, 1234067)] == [
        "000",
        "067",
        "999",
        "x001/000",
        "x001/x234/067",
    ]
