"""Lists in docs/explanation/trust.md: who guarantees what, and what nobody can know."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from referee.texts.fairness import UNKNOWABLE
from referee.verification.findings import PROMISES

PAGE = Path(__file__).parents[2] / "docs/explanation/trust.md"
LIST = "(<!-- {}: make generate -->\n).*?(<!-- end -->)"


def files() -> Iterator[tuple[Path, str]]:
    """Yield the page with both lists."""
    rows = ["| check | what it proves | who guarantees it |", "| --- | --- | --- |"]
    rows += [f"| `{name}` | {each.proves} | {each.by} |" for name, each in PROMISES.items()]
    text = PAGE.read_text("utf-8")
    for name, lines in (("guarantees", rows), ("unknowable", [f"- {text}" for text in UNKNOWABLE.values()])):
        place = re.compile(LIST.format(name), re.DOTALL)
        text = place.sub(lambda found, lines=lines: found[1] + "\n".join([*lines, ""]) + found[2], text)
    yield PAGE, text
