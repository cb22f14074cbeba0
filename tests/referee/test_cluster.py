"""`referee verify --scheduler`: an archive on several workers, one of which is killed halfway."""

from __future__ import annotations

import contextlib
import copy
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from distributed import Client

from referee.engine.jsontext import line
from tests.referee.logged import logged
from tests.servers.commands import CODE
from tests.servers.commands import run_apart as run

pytestmark = pytest.mark.long

TIMEOUT = 120  # seconds
GAMES, TAMPERED = 1500, 7  # one game in seven is broken


@contextlib.contextmanager
def started(*words: str) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [sys.executable, "-m", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait(TIMEOUT)


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[str]:
    """Run a scheduler on the loopback interface; yield its address."""
    file = tmp_path / "scheduler.json"
    words = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file))
    with started("distributed.cli.dask_scheduler", *words):
        until = time.monotonic() + TIMEOUT
        while not file.exists() or not file.read_text():
            assert time.monotonic() < until
            time.sleep(0.05)
        yield json.loads(file.read_text())["address"]


def worker(scheduler: str, folder: Path) -> contextlib.AbstractContextManager[subprocess.Popen[bytes]]:
    words = ("--no-nanny", "--nthreads", "1", "--no-dashboard", "--local-directory", str(folder))
    return started("distributed.cli.dask_worker", scheduler, *words)


def archive(path: Path) -> list[str]:
    """Write an archive in which every seventh game's chain is broken; return the lines to be printed."""
    whole: dict[str, Any] = logged("truco", 4, most=6, end="resigned")
    broken = copy.deepcopy(whole)
    broken["entries"][8]["hash"] = "00" * 32
    lines = [line(whole)[:-1], line(broken)[:-1]]
    failures = []
    with path.open("wb") as file:
        for n in range(GAMES):
            bad = n % TAMPERED == 0 and n > 0
            file.write(b'{"game": "game-%d", "record": %s}\n' % (n, lines[bad]))
            if bad:
                failures.append(f"FAIL  game-{n}: chain: entry 9: ")
    return failures


def test_nothing_is_missing_or_duplicated_when_a_worker_is_killed(tmp_path: Path, scheduler: str):
    path = tmp_path / "games.ndjson"
    expected = archive(path)
    with worker(scheduler, tmp_path / "a") as first, worker(scheduler, tmp_path / "b"):
        with Client(scheduler, timeout=TIMEOUT, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=TIMEOUT)
        verify = [sys.executable, "-c", CODE, "verify", str(path), "--scheduler", scheduler]
        with subprocess.Popen(verify, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as auditor:
            assert auditor.stdout is not None
            printed = []
            for text in auditor.stdout:
                printed.append(text)
                if text.startswith(expected[len(expected) // 3]):
                    first.kill()
            assert auditor.stderr is not None
            errors = auditor.stderr.read()
        assert auditor.returncode == 1, errors
        assert printed, errors
        assert first.wait(TIMEOUT) != 0
    failures, rest = printed[: len(expected)], printed[len(expected) :]
    assert all(text.startswith(due) for text, due in zip(failures, expected, strict=True))
    assert rest[0] == "-     archive: games.ndjson has no end mark: games may be missing\n"
    assert rest[1].startswith(f"{GAMES} records, ")
    assert rest[2:] == [f"FAIL  chain: {len(expected)} records\n", "NOTE  verdict: contradicted\n"]


def test_an_unreachable_cluster_is_reported_in_one_sentence(tmp_path: Path):
    path = tmp_path / "games.ndjson"
    path.write_bytes(line(logged("truco", 4, most=6, end="resigned")))
    done = run("verify", str(path), "--scheduler", "tcp://127.0.0.1:1")
    assert done.returncode == 1
    assert "no scheduler answers" in done.stderr
    assert "Traceback" not in done.stderr
    for address in ("nonsense", "http://127.0.0.1:1", "tcp://127.0.0.1"):
        assert run("verify", str(path), "--scheduler", address).returncode == 2
