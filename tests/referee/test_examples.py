"""Examples run that stand in documents."""

import doctest
import re
from pathlib import Path
from typing import Any

import pytest

import referee
import referee.texts
from docs import games

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


def test_the_pages_of_games_are_those_that_the_games_declare() -> None:
    for path, text in games.files():
        assert path.read_text("utf-8") == text, "run `make generate`"
        assert text.count("\n") <= 250


@pytest.mark.parametrize("ruleset", sorted(rules.ID for rules in referee.newest()))
def test_the_page_of_a_game_names_each_rule_and_leads_to_its_files(ruleset: str) -> None:
    page = DOCS / f"games/{ruleset}.md"
    text = page.read_text("utf-8")
    assert all(f"\n- `{rule.id}` (" in text for rule in referee.texts.rules(ruleset))
    ways = re.findall(r"\]\(([^)#]+)[^)]*\)", text)
    assert f"../../referee/games/{ruleset}.py" in ways
    assert any("/scenarios/" in way for way in ways)
    assert all((page.parent / way).is_file() for way in ways)
