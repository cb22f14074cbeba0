"""`referee verify` on folders and archives: every record once, failures by kind, on any number of cores."""

from __future__ import annotations

import copy
import gzip
import json
import os
import pty
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import referee
import referee.records
from referee.engine.jsontext import line
from tests.referee.logged import logged
from tests.servers.commands import CODE, run, run_apart


def verify(*words: object) -> subprocess.CompletedProcess[str]:
    """Run `referee verify` in this process alone."""
    return run("verify", *map(str, words), "--jobs", "1")


@cache
def games() -> list[dict[str, Any]]:
    """Return two valid records, one whose chain and times are wrong, and one with another result."""
    whole = logged("truco", 4, most=6, end="resigned")
    late, other = copy.deepcopy(whole), copy.deepcopy(whole)
    late["entries"][8]["at"] = "2025-01-01T00:00:00.000000Z"
    other["result"]["reason"] = "target"
    return [whole, late, logged("bisca", 2, most=5, end="cancelled"), other]


def as_lines(records: list[dict[str, Any]]) -> list[bytes]:
    return [line({"game": f"game-{n}", "record": record}) for n, record in enumerate(records)]


def archive(folder: Path, kind: str, records: list[dict[str, Any]]) -> Path:
    """Return the records as an archive of one kind; `folder` has a file of two and an archive of the rest."""
    path = folder / f"games.{kind}"
    if kind == "ndjson":
        path.write_bytes(b"".join(as_lines(records)))
    elif kind == "ndjson.gz":
        frames = [gzip.compress(text) for text in as_lines(records)]
        path.write_bytes(b"".join(frames))
    else:
        path = folder / "games"
        path.mkdir()
        for n, record in enumerate(records[:2]):
            (path / f"game-{n}.json").write_text(json.dumps(record))
        (path / "rest.ndjson").write_bytes(b"".join(map(line, records[2:])))
    return path


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("kind", ["folder", "ndjson", "ndjson.gz"])
def test_failures_are_named_and_counted_by_kind(tmp_path: Path, kind: str, jobs: str):
    path = archive(tmp_path, kind, games())
    done = verify(path) if jobs == "1" else run_apart("verify", str(path), "--jobs", jobs)
    assert done.returncode == 1, done.stderr
    names = ["game-1.json", "rest.ndjson line 2"] if kind == "folder" else ["game-1", "game-3"]
    lines = done.stdout.splitlines()
    summary = lines.index(next(text for text in lines if text.startswith("4 records")))
    assert lines[summary].endswith("2 hold, 2 do not")
    failures = {tuple(text.removeprefix("FAIL  ").split(": ")[:3]) for text in lines[:summary]}
    assert {(names[0], "chain", "entry 9"), (names[0], "times", "entry 9")} <= failures
    assert any(failure[:2] == (names[1], "result") for failure in failures)
    kinds = dict(text.removeprefix("FAIL  ").split(": ") for text in lines[summary + 1 :] if "FAIL" in text)
    assert (kinds["chain"], kinds["times"], kinds["result"]) == ("1 record", "1 record", "1 record")


@pytest.mark.parametrize("kind", ["folder", "ndjson", "ndjson.gz"])
def test_an_archive_that_verifies(tmp_path: Path, kind: str):
    path = archive(tmp_path, kind, [games()[0], games()[2]] * 2)
    done = verify(path)
    assert done.returncode == 0, done.stdout
    assert "4 records, " in done.stdout
    assert "4 hold, 0 do not" in done.stdout
    assert done.stderr == ""


def test_records_without_a_log_count_as_failures_where_one_is_required(tmp_path: Path):
    by_hand = {name: value for name, value in games()[0].items() if name != "entries"}
    path = archive(tmp_path, "ndjson", [by_hand, games()[0]])
    assert "2 hold, 0 do not" in verify(path).stdout
    done = verify(path, "--require-log")
    assert done.returncode == 1
    assert "FAIL  game-0: log: there is no log" in done.stdout


@pytest.mark.parametrize("kind", ["ndjson", "ndjson.gz"])
def test_a_truncated_archive_does_not_pass(tmp_path: Path, kind: str):
    path = archive(tmp_path, kind, [games()[0], games()[2]] * 8)
    path.write_bytes(path.read_bytes()[:-100])
    done = verify(path)
    assert done.returncode == 1
    assert "hold, 1 do not" in done.stdout
    inside = verify(tmp_path)
    assert inside.returncode == 1
    assert path.name in inside.stdout


BOUNDED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
from referee.cli import main
main()
"""


@pytest.mark.parametrize("kind", ["ndjson", "ndjson.gz", "folder"])
def test_a_very_long_line_is_refused_within_bounded_memory(tmp_path: Path, kind: str):
    path = tmp_path / f"games.{kind.replace('folder', 'ndjson.gz')}"
    first, long = as_lines([games()[0]])[0], 1_500_000_000
    with path.open("wb") as file:
        if kind == "ndjson":
            file.write(first)
            file.truncate(len(first) + long)
        else:
            file.write(gzip.compress(first))
            with gzip.GzipFile(fileobj=file, mode="wb", compresslevel=1) as writer:
                for _ in range(long // 1_000_000):
                    writer.write(b"x" * 1_000_000)
    where = tmp_path if kind == "folder" else path
    words = [sys.executable, "-c", BOUNDED, "verify", "--jobs", "1", str(where)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=180)
    assert done.returncode == 1
    assert "MemoryError" not in done.stderr
    assert "line 2 is longer than 67108864 bytes" in done.stdout, done.stdout + done.stderr
    assert "2 records" in done.stdout


def test_an_invalid_record_is_a_failure_and_the_rest_is_verified(tmp_path: Path):
    path = tmp_path / "games.ndjson"
    lines = [
        b"nonsense\n",
        b"\n",
        b"[]\n",
        b'{"game": 7, "record": null}\n',
        b"\xff\n",
        *as_lines(games()[:1]),
    ]
    path.write_bytes(b"".join(lines))
    done = verify(path)
    assert done.returncode == 1
    assert "FAIL  line 1: record: " in done.stdout
    assert "FAIL  record: 4 records\n" in done.stdout
    assert "1 hold, 4 do not" in done.stdout


@pytest.mark.parametrize("content", [b"", b"\n\n"])
def test_no_records_do_not_pass(tmp_path: Path, content: bytes):
    (tmp_path / "games.ndjson").write_bytes(content)
    assert verify(tmp_path / "games.ndjson").returncode == 2
    assert verify(tmp_path).returncode == 2
    assert verify(tmp_path / "missing.ndjson").returncode == 2


def test_progress_is_shown_only_on_a_terminal(tmp_path: Path):
    path = archive(tmp_path, "ndjson", [games()[0]] * 300)
    reader, terminal = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-c", CODE, "verify", str(path)],
        stdout=subprocess.PIPE,
        stderr=terminal,
        timeout=180,
    )
    os.close(terminal)
    shown = b""
    while b"100%" not in shown:
        shown += os.read(reader, 1 << 16)  # raises OSError at the end of the terminal's output
    os.close(reader)
    assert done.returncode == 0
    assert b"%" not in done.stdout
    assert verify(path).stderr == ""


@pytest.mark.long
def test_memory_does_not_grow_with_the_archive(tmp_path: Path):
    peaks = []
    for number in (100, 1500):
        path = archive(tmp_path, "ndjson.gz", [games()[0]] * number)
        code = f"{CODE.removesuffix('; main()')}\ntry: main(['verify', {str(path)!r}, '--jobs', '1'])\n"
        code += (
            "except SystemExit: pass\nprint(open('/proc/self/status').read().split('VmHWM:')[1].split()[0])"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
        assert f"{number} hold" in done.stdout, done.stderr
        peaks.append(int(done.stdout.splitlines()[-1]))
    assert peaks[1] - peaks[0] < 6_000, peaks  # KiB; the longer archive has 20,000


@pytest.mark.parametrize("kind", ["ndjson", "ndjson.gz"])
def test_an_archive_that_was_cut_between_two_games_is_noticed(tmp_path: Path, kind: str):
    records = [games()[0], games()[2]]
    path = archive(tmp_path, kind, records)
    pieces = as_lines(records)
    mark = referee.records.EndMark()
    for piece in pieces:
        mark.add(piece.removesuffix(b"\n"))

    def written(*lines: bytes) -> Any:
        path.write_bytes(b"".join(gzip.compress(one) if kind.endswith("gz") else one for one in lines))
        return verify(path)

    whole = written(*pieces, mark.line)
    assert (whole.returncode, "archive:" in whole.stdout) == (0, False)
    assert "2 records" in whole.stdout
    assert written(*pieces, mark.line, *pieces, mark.line).returncode == 0, (
        "two archives, one after the other"
    )
    for lines in ([pieces[0], mark.line], [*pieces[::-1], mark.line], [*pieces, pieces[0], mark.line]):
        done = written(*lines)
        assert done.returncode == 1
        assert "is not whole" in done.stdout
    assert "has no end mark" in written(*pieces[:1]).stdout
    assert verify("--require-end", path).returncode == 1
