"""Examples run that stand in documents."""

import doctest
import re
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[2] / "docs"


def blocks(name: str) -> list[str]:
    """Return the Python of a document."""
    found = re.findall(r"```python\n(.*?)```", (DOCS / name).read_text("utf-8"), re.DOTALL)
    assert found, f"{name} has no Python"
    return found


def run_sessions(text: str, name: str, names: dict[str, Any]) -> int:
    """Run a text's examples with a prompt, and return how many there are."""
    test = doctest.DocTestParser().get_doctest(text, names, name, name, 0)
    said: list[str] = []
    outcome = doctest.DocTestRunner(verbose=False).run(test, out=said.append)
    assert not outcome.failed, "".join(said)
    return outcome.attempted


def test_the_concepts_are_short_and_their_examples_run() -> None:
    assert run_sessions("\n".join(blocks("concepts.md")), "concepts.md", {}) >= 10
    assert len((DOCS / "concepts.md").read_text("utf-8").split()) <= 500
