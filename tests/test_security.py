"""For each promise, SECURITY.md names tests that exist and are run by the suite."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")


def promises(text: str) -> list[list[str]]:
    """Return the rows of the table: promise, to whom, against whom, tested by."""
    table = text.split("| --- | --- | --- | --- |\n")[1].split("\n\n")[0]
    return [[cell.strip() for cell in row.strip("|").split(" | ")] for row in table.splitlines()]


def faults(text: str) -> list[str]:
    """Return the faults of the promises: without a test, with a test that does not exist or never runs."""
    found = []
    for row in promises(text):
        if len(row) != 4 or not all(row):
            found.append(f"{row[0]}: says not to whom, against whom or how")
            continue
        named = NAMED.findall(row[3])
        if not named or NAMED.sub("", row[3]).strip(", "):
            found.append(f"{row[0]}: held by something that is no test")
        for path, name in named:
            file = ROOT / path
            tree = ast.parse(file.read_text()) if file.exists() else ast.Module([], [])
            here = [one for one in tree.body if isinstance(one, ast.FunctionDef) and one.name == name]
            if not here:
                found.append(f"{path}::{name} is not there")
            for decorator in here[0].decorator_list if here else []:
                if re.search(r"\bskip\b|xfail", ast.unparse(decorator)):
                    found.append(f"{path}::{name} is not run")
    return found


def test_every_promise_has_tests_that_exist() -> None:
    text = (ROOT / "SECURITY.md").read_text()
    assert len(promises(text)) > 15
    assert faults(text) == []
    assert "## Reporting" in text


PUSH = "tests/features/push/test_push.py"


@pytest.mark.parametrize(
    ("there", "instead"),
    [
        ("::test_every_answer_of_a_game`", "::test_that_was_renamed`"),
        ("`tests/core/games/test_privacy.py::", "`tests/core/games/test_gone.py::"),
        ("| players | push services | ", "| players |  | "),
        (
            "`tests/features/push/test_push.py::test_a_browser_decrypts_the_notices_of_its_player`",
            "a promise",
        ),
    ],
)
def test_a_promise_without_a_test_is_found(there: str, instead: str) -> None:
    text = (ROOT / "SECURITY.md").read_text()
    assert there in text
    assert faults(text.replace(there, instead))


HASHES = r"((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)"
LOCKED = re.compile(r"^([a-z0-9-]+)==(\S+)(?: ; .+)? \\\n" + HASHES, re.MULTILINE)


def test_the_lock_has_every_dependency_with_hashes_and_no_address() -> None:
    text = (ROOT / "requirements.lock").read_text()
    locked = {name: version for name, version, _ in LOCKED.findall(text)}
    assert len(LOCKED.findall(text)) == len(re.findall("^[a-z]", text, re.MULTILINE)), "something has no hash"
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    every = [*needed["dependencies"], *needed["optional-dependencies"]["server"]]
    for requirement in map(Requirement, every):
        if requirement.name == "card-referee":
            continue
        name = re.sub("[-_.]+", "-", requirement.name).lower()
        assert requirement.specifier.contains(locked[name]), f"{name}: make lock"
    assert not re.search(r"://|--index|--find-links|--trusted-host|(^|\s)/", text)
