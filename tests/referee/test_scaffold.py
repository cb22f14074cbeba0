"""`referee new`: a package with a ruleset to start from."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.servers.commands import run, run_apart


@pytest.mark.parametrize("name", ["pies", "High", "1card", "a-b", "", "../x"])
def test_an_invalid_name_is_a_usage_error(tmp_path: Path, name: str):
    done = run("new", name, "--into", str(tmp_path))
    assert done.returncode == 2
    assert not list(tmp_path.iterdir())


def test_a_name_may_have_digits(tmp_path: Path):
    done = run_apart("new", "crazy8s", "--into", str(tmp_path))
    assert done.returncode == 0, done.stderr


def test_nothing_is_overwritten(tmp_path: Path):
    assert run_apart("new", "low_card", "--into", str(tmp_path)).returncode == 0
    again = run_apart("new", "low_card", "--into", str(tmp_path))
    assert again.returncode == 2
    assert "exists already" in again.stderr


def test_equal_ranks_tie_in_a_new_ruleset(tmp_path: Path):
    assert run_apart("new", "low_card", "--into", str(tmp_path)).returncode == 0
    code = """
from low_card import IN_HAND, STRENGTH as strength
print(strength["9C"] == strength["9D"] < strength["TC"], len({*IN_HAND.values()}))
"""
    folder = tmp_path / "low-card"
    shown = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True)
    assert shown.stdout == "True 52\n", shown.stderr
