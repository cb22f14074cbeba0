"""`referee audit`: a report of a folder, which can be continued."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from referee.audit import tally
from tests.commands import run
from tests.receiver import eventually

RECORDS = Path(__file__).parents[1] / "records"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with records of two rulesets, one of which does not hold."""
    made = tmp_path / "archive"
    made.mkdir()
    for ruleset in ("pies", "truco"):
        for file in sorted((RECORDS / ruleset).glob("*.json"))[:2]:
            shutil.copy(file, made / f"{ruleset}-{file.name}")
    broken = sorted(made.glob("truco-*"))[0]
    data = json.loads(broken.read_text())
    broken.write_text(json.dumps({**data, "seed": "00" * 32}))
    return made


def test_failures_are_named_by_game_ruleset_and_kind(folder: Path) -> None:
    done = run("audit", str(folder), "--jobs", "1")
    assert done.returncode == 1
    assert "ok    pies 1: 2 records, 0 do not hold" in done.stdout
    assert "FAIL  truco 1: 2 records, 1 do not hold" in done.stdout
    assert "4 records" in done.stdout
    broken = sorted(folder.glob("truco-*"))[0]
    assert f"FAIL  {broken.name}: " in done.stdout
    broken.unlink()
    assert run("audit", str(folder), "--jobs", "1").returncode == 0


def test_an_interrupted_audit_is_continued(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("referee.audit.archives.MOST_RECORDS", 1)
    journal = tmp_path / "journal"
    audit = ("audit", str(folder), "--jobs", "1", "--journal", str(journal))
    whole = run(*audit)
    lines = journal.read_bytes().splitlines(keepends=True)
    assert len(lines) == 4
    journal.write_bytes(b"".join(lines[:2]) + lines[2][:20])  # killed while it wrote the third
    verified = []
    verify = tally.verify

    def counted(*given: object, **more: object) -> object:
        verified.append(given)
        return verify(*given, **more)  # type: ignore[arg-type]

    monkeypatch.setattr("referee.audit.tally.verify", counted)
    again = run(*audit)
    assert (again.stdout, again.returncode) == (whole.stdout, 1)
    assert len(verified) == 2
    assert journal.read_bytes() == b"".join(lines)
    broken = sorted(folder.glob("truco-*"))[0]  # what was changed is verified again
    broken.write_text(broken.read_text() + " ")
    run(*audit)
    assert len(verified) == 3


@pytest.mark.long
def test_a_killed_audit_leaves_no_process_and_is_continued(folder: Path, tmp_path: Path) -> None:
    for number in range(5):
        for file in sorted(folder.glob("*-*.json")):
            if "copy" not in file.name:
                shutil.copy(file, folder / f"copy-{number}-{file.name}")
    journal = tmp_path / "journal"
    command = [str(Path(sys.executable).with_name("referee")), "audit", str(folder), "--jobs", "2"]
    with subprocess.Popen([*command, "--journal", str(journal)], stdout=subprocess.DEVNULL) as audit:
        children = Path(f"/proc/{audit.pid}/task/{audit.pid}/children")
        assert eventually(lambda: len(children.read_text().split()) == 2)
        workers = children.read_text().split()
        audit.kill()
    assert eventually(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers))
    continued = subprocess.run([*command, "--journal", str(journal)], capture_output=True, check=False)
    whole = subprocess.run(command, capture_output=True, check=False)
    assert (continued.stdout, continued.returncode) == (whole.stdout, 1)
