"""`referee new`: a ruleset to start from, in the repository or as a package."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.servers.commands import run, run_apart

ROOT = Path(__file__).parents[2]


def referee(where: Path, *words: str) -> subprocess.CompletedProcess[str]:
    code = "import sys; sys.path.insert(0, '.'); from referee.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-P", "-c", code, *words], cwd=where, capture_output=True, text=True, timeout=120
    )


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "referee", tmp_path / "referee", ignore=ignored)
    return tmp_path


def test_a_ruleset_in_the_repository_is_available_and_verifies(tree: Path):
    for name in ("first_card", "low_card"):  # so that the import takes several lines
        done = referee(tree, "new", name, "--here")
        assert done.returncode == 0, done.stderr
    offered = referee(tree, "rulesets").stdout.splitlines()
    assert offered[-2:] == ["first_card\t1\t2,3,4\tFirst Card", "low_card\t1\t2,3,4\tLow Card"]
    assert "`low_card.follow` (refuses, source)" in referee(tree, "rules", "low_card").stdout
    assert referee(tree, "check", "tests/scenarios").stdout == "4 passed, 0 failed\n"
    records = sorted((tree / "tests/records/low_card").iterdir())
    assert [record.stem for record in records] == ["most-tricks", "tie"]
    for record in records:
        assert referee(tree, "verify", str(record)).returncode == 0
    config = ("--config", str(ROOT / "pyproject.toml"))
    ruff = Path(sys.executable).with_name("ruff")
    linted = subprocess.run([ruff, "check", "referee", *config], cwd=tree, capture_output=True, text=True)
    assert linted.returncode == 0, linted.stdout
    formatted = subprocess.run([ruff, "format", "--check", "referee", *config], cwd=tree, check=False)
    assert formatted.returncode == 0


@pytest.mark.parametrize("name", ["pies", "High", "1card", "a-b", "", "../x"])
def test_an_invalid_name_is_a_usage_error(tmp_path: Path, name: str):
    done = run("new", name, "--into", str(tmp_path))
    assert done.returncode == 2
    assert not list(tmp_path.iterdir())


def test_a_name_may_have_digits(tmp_path: Path):
    done = referee(tmp_path, "new", "crazy8s")
    assert done.returncode == 0, done.stderr


def test_nothing_is_overwritten(tree: Path):
    assert referee(tree, "new", "low_card").returncode == 0
    again = referee(tree, "new", "low_card")
    assert again.returncode == 2
    assert "exists already" in again.stderr
    assert referee(tree, "new", "third", "--here", "--into", "/tmp").returncode == 2


def test_equal_ranks_tie_in_a_new_ruleset(tmp_path: Path):
    assert run_apart("new", "low_card", "--into", str(tmp_path)).returncode == 0
    code = """
from low_card import IN_HAND, STRENGTH as strength
print(strength["9C"] == strength["9D"] < strength["TC"], len({*IN_HAND.values()}))
"""
    folder = tmp_path / "low-card"
    shown = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True)
    assert shown.stdout == "True 52\n", shown.stderr
