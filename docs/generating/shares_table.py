"""The table of SECURITY.md: what strangers share, how, and the test of the loudest beside an innocent one."""

from __future__ import annotations

import re
from pathlib import Path

from api.core.resources import RESOURCES as OF_CORE
from api.core.shares import Resource
from api.features import load_features

RESOURCES = (*load_features().resources, *OF_CORE)
ROOT = Path(__file__).parents[2]
PAGE = ROOT / "SECURITY.md"
TABLE = re.compile(r"(<!-- shares: make generate -->\n).*?(<!-- end -->)", re.DOTALL)
BESIDE = re.compile(r"^@pytest\.mark\.beside\((.+)\)\n(?:@.+\n)*def (test_\w+)", re.MULTILINE)


def page(text: str) -> str:
    """Return SECURITY.md with the table of all resources."""
    tests = beside()
    rows = ["| what | how much | parties | one alone has | a party without room | tested by |"]
    rows += ["| --- | --- | --- | --- | --- | --- |", *(_row(each, tests[each.name]) for each in RESOURCES)]
    return TABLE.sub(lambda found: found[1] + "\n".join([*rows, ""]) + found[2], text)


def beside() -> dict[str, list[str]]:
    """Return for each resource the tests that put its loudest party beside an innocent one."""
    found: dict[str, list[str]] = {each.name: [] for each in RESOURCES}
    for file in sorted((ROOT / "tests").rglob("test_*.py")):
        for names, test in BESIDE.findall(file.read_text()):
            for name in re.findall(r'"([^"]+)"', names):
                found[name].append(f"`{file.relative_to(ROOT)}::{test}`")
    return found


def _row(each: Resource, tests: list[str]) -> str:
    part = f"1/{1 + each.others}" if each.others else "all, until others come"
    return f"| {each.name} | {each.size} | {each.parties} | {part} | {each.full} | {', '.join(tests)} |"
