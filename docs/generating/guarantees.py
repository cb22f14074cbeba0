"""Lists of docs/explanation/trust.md and docs/guides/audit.md: who guarantees what, and what tests it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from referee.texts.fairness import UNKNOWABLE
from referee.verification.findings import PROMISES

ROOT = Path(__file__).parents[2]
PAGE, AUDIT = ROOT / "docs/explanation/trust.md", ROOT / "docs/guides/audit.md"
CHECKS = ROOT / "tests/audit/checks.toml"
ATTACKS, TESTS = ROOT / "docs/reference/attacks.md", ROOT / "tests/audit/attacks.toml"
ATTACK = re.compile(r"^\| ([A-Z]\d+) \| (.*?) \| ", re.MULTILINE)
HEAD = """# Attacks and their tests

*For auditors: the tests that make each attack of [trust](../explanation/trust.md), and see who detects it.*

<!-- attacks: make generate -->
| no. | attack | tests |
| --- | --- | --- |
"""
END = "<!-- end -->"
LIST = "(<!-- {}: make generate -->\n).*?(<!-- end -->)"


def attacks() -> dict[str, str]:
    """Return the attacks of the page, by their numbers."""
    return dict(ATTACK.findall(PAGE.read_text("utf-8")))


def tests() -> dict[str, list[str]]:
    """Return the tests of each attack, by its number."""
    return tomllib.loads(TESTS.read_text("utf-8"))


def _appendix() -> str:
    of = tests()
    rows = [
        f"| {no} | {attack} | {', '.join(f'`{test}`' for test in of[no])} |"
        for no, attack in attacks().items()
    ]
    return HEAD + "\n".join([*rows, END, ""])


def checks() -> dict[str, list[str]]:
    """Return the function and the test of each check, by its name."""
    return tomllib.loads(CHECKS.read_text("utf-8"))


def _filled(text: str, **lists: list[str]) -> str:
    """Return a page with these lists."""
    for name, lines in lists.items():
        place = re.compile(LIST.format(name), re.DOTALL)
        text = place.sub(lambda found, lines=lines: found[1] + "\n".join([*lines, ""]) + found[2], text)
    return text


def files() -> Iterator[tuple[Path, str]]:
    """Yield the pages with their lists, and the page of the tests of attacks."""
    promises = ["| check | what it proves | who guarantees it |", "| --- | --- | --- |"]
    promises += [f"| `{name}` | {each.proves} | {each.by} |" for name, each in PROMISES.items()]
    unknowable = [f"- {text}" for text in UNKNOWABLE.values()]
    yield PAGE, _filled(PAGE.read_text("utf-8"), guarantees=promises, unknowable=unknowable)
    code = ["| check | function | test that forges it |", "| --- | --- | --- |"]
    code += [f"| `{name}` | `{function}` | `{test}` |" for name, (function, test) in checks().items()]
    yield AUDIT, _filled(AUDIT.read_text("utf-8"), checks=code)
    yield ATTACKS, _appendix()
