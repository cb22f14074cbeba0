"""The table in which the processes of a server count requests."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from limits.storage import MemoryStorage

from api.features.limits import counts
from api.features.limits.counts import SharedCounts
from api.features.limits.limits import Limit, RemoteCounts


def test_a_new_caller_in_a_full_table_has_no_more_than_its_limit() -> None:
    limit = Limit("token", 3, 86400, SharedCounts(None, buckets=1))
    for _ in range(2):
        taken = [limit.take(str(number)).left for number in range(counts.ROWS)]
        assert len(set(taken)) == 1
    again = [limit.take("newcomer") for _ in range(2)]  # takes the row of somebody who has taken two
    assert [(standing.left, standing.wait > 0) for standing in again] == [(0, False), (0, True)]
    assert [limit.take(str(number)).left for number in range(counts.ROWS)].count(0) == counts.ROWS


def test_a_full_table_has_room_for_others_when_callers_have_recovered() -> None:
    now = [600_000.0]
    limit = Limit("address", 1, 1, SharedCounts(None, buckets=1, clock=lambda: now[0]))
    for number in range(100):
        assert limit.take(str(number)).wait == 0
        now[0] += 2 / counts.ROWS


def test_the_table_counts_like_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [600_007.0]
    monkeypatch.setattr("time.time", lambda: now[0])  # of the library
    ours = Limit("token", 30, 60, SharedCounts(None, clock=lambda: now[0]))
    theirs = Limit("token", 30, 60, RemoteCounts(MemoryStorage()))
    chance = random.Random(1)
    for _ in range(500):
        now[0] += chance.choice((0, chance.uniform(0, 2), chance.uniform(0, 90)))
        caller, cost = chance.choice("ab"), chance.choice((1, 1, 2, 7))
        assert ours.take(caller, cost) == theirs.take(caller, cost)


def test_the_table_has_its_space_on_the_disk_from_the_beginning(tmp_path: Path) -> None:
    path = tmp_path / "counts"
    limit = Limit("token", 3, 86400, SharedCounts(str(path)))
    assert path.stat().st_blocks * 512 >= counts.SIZE
    assert limit.take("a").left == 2
    assert Limit("token", 3, 86400, SharedCounts(str(path))).take("a").left == 1  # as after a restart


def test_processes_count_together(tmp_path: Path) -> None:
    program = """if True:
        import sys
        from api.features.limits.counts import SharedCounts
        from api.features.limits.limits import Limit, RemoteCounts
        limit = Limit("token", 12_000, 86400, SharedCounts(sys.argv[1]))
        print("ready", flush=True)
        sys.stdin.readline()
        print(sum(limit.take("a").wait == 0 for _ in range(10_000)))
    """
    command = [sys.executable, "-c", program, str(tmp_path / "counts")]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    running = [subprocess.Popen(command, **pipes) for _ in range(2)]
    for process in running:
        assert process.stdout.readline() == "ready\n"
    for process in running:
        process.stdin.write("go\n")
        process.stdin.flush()
    assert sum(int(process.communicate()[0]) for process in running) == 12_000
