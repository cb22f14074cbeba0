"""Lists in docs/explanation/trust.md: who guarantees what, what nobody can know, and the tests of attacks."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from referee.texts.fairness import UNKNOWABLE
from referee.verification.findings import PROMISES

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/explanation/trust.md"
ATTACKS, TESTS = ROOT / "docs/reference/attacks.md", ROOT / "tests/audit/attacks.toml"
ATTACK = re.compile(r"^\| ([A-Z]\d+) \| (.*?) \| ", re.MULTILINE)
HEAD = """# Attacks and their tests

*For auditors: the tests that make each attack of [trust](../explanation/trust.md), and see who detects it.*

| no. | attack | tests |
| --- | --- | --- |
"""
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
    return HEAD + "\n".join([*rows, ""])


def files() -> Iterator[tuple[Path, str]]:
    """Yield the page with both lists, and the page of the tests."""
    rows = ["| check | what it proves | who guarantees it |", "| --- | --- | --- |"]
    rows += [f"| `{name}` | {each.proves} | {each.by} |" for name, each in PROMISES.items()]
    text = PAGE.read_text("utf-8")
    for name, lines in (("guarantees", rows), ("unknowable", [f"- {text}" for text in UNKNOWABLE.values()])):
        place = re.compile(LIST.format(name), re.DOTALL)
        text = place.sub(lambda found, lines=lines: found[1] + "\n".join([*lines, ""]) + found[2], text)
    yield PAGE, text
    yield ATTACKS, _appendix()
