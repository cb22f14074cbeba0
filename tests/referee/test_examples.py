"""Examples run that stand in documents, and what the guide to the library states as numbers is so."""

import doctest
import json
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import referee
import referee.bots
import referee.texts
from docs.generating import games, library_reference

DOCS = Path(__file__).parents[2] / "docs"
MODULES = ("bots", "clocks", "positions", "proofs", "records", "table", "texts")


def file_of(name: str) -> Path:
    return next(DOCS.glob(f"*/{name}"))


def blocks(name: str) -> list[str]:
    """Return the Python of a document."""
    found = re.findall(r"```python\n(.*?)```", file_of(name).read_text("utf-8"), re.DOTALL)
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
    assert len(file_of("concepts.md").read_text("utf-8").split()) <= 500


def test_the_pages_of_games_are_those_that_the_games_declare() -> None:
    for path, text in games.files():
        assert path.read_text("utf-8") == text, "run `make generate`"
        assert text.count("\n") <= 250


@pytest.mark.parametrize("ruleset", sorted(rules.ID for rules in referee.newest()))
def test_the_page_of_a_game_names_each_rule_and_leads_to_its_files(ruleset: str) -> None:
    page = DOCS / f"reference/games/{ruleset}.md"
    text = page.read_text("utf-8")
    assert all(f"\n- `{rule.id}` (" in text for rule in referee.texts.rules(ruleset))
    ways = re.findall(r"\]\(([^)#]+)[^)]*\)", text)
    assert f"../../../referee/games/{ruleset}.py" in ways
    assert any("/scenarios/" in way for way in ways)
    assert all((page.parent / way).is_file() for way in ways)


def run(codes: list[str], name: str) -> dict[str, Any]:
    """Run a document's code, and return its names."""
    names: dict[str, Any] = {}
    for code in codes:
        exec(compile(code, name, "exec"), names)
    return names


@pytest.mark.parametrize("name", ["train-a-bot.md", "analyse-records.md"])
def test_tutorials_are_short(name: str) -> None:
    assert len(file_of(name).read_text("utf-8").splitlines()) <= 120


def test_a_bot_is_trained() -> None:
    names = run(blocks("train-a-bot.md"), "train-a-bot.md")
    assert names["lead"] > 0.2
    match = referee.Match("bisca", 2, seed=3)
    legal = match.legal_moves(match.to_act[0])
    assert names["choose"](match.view(match.to_act[0]), legal, None, 0) in legal


def test_the_trained_bot_is_installed_and_plays(tmp_path: Path) -> None:
    """It runs the commands of the page as written, on the files that it describes."""
    text = file_of("train-a-bot.md").read_text("utf-8")
    (project,), (lines,) = (re.findall(rf"```{kind}\n(.*?)```", text, re.DOTALL) for kind in ("toml", "sh"))
    code = [block for block in blocks("train-a-bot.md") if "games = 200" not in block]
    (tmp_path / "learnt").mkdir()
    (tmp_path / "learnt/learnt.py").write_text("".join(code))
    (tmp_path / "learnt/pyproject.toml").write_text(project)
    folder = Path(sys.executable).parent
    script = lines.replace("--no-deps", "--no-deps --no-index --no-build-isolation")
    environment = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-e", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert "learnt-1 over random: +" in done.stdout, done.stderr


def test_many_records_are_analysed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = run(blocks("analyse-records.md"), "analyse-records.md")["rows"]
    assert len(rows) == 100
    assert {row["reason"] for row in rows} == {"target"}
    assert 0 < sum(row["first_won"] for row in rows) < 100
    assert sum(row["calls"] for row in rows) > 0


def test_the_notebook_replays_a_record() -> None:
    path = DOCS.parent / "examples/research/replay.ipynb"
    codes = [cell for cell in json.loads(path.read_text("utf-8"))["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in codes)
    names = run(["".join(cell["source"]) for cell in codes], path.name)
    match = names["after"](6)
    assert match.view(None)["zones"]["hand.0"].keys() == {"count"}
    assert names["after"](len(names["record"].moves)).payoffs() == names["made"].payoffs()
    assert names["scores"][-1] == names["made"].state.scores
    assert len(names["turns"]) > 1


@pytest.mark.parametrize("name", ["referee", *(f"referee.{module}" for module in MODULES)])
def test_each_public_module_has_an_example_that_runs(name: str) -> None:
    module = import_module(name)
    assert run_sessions(module.__doc__ or "", name, {**vars(module)}) > 0


GUIDE = (Path(__file__).parents[2] / "docs/guides/library.md").read_text("utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)


def test_the_examples_run_one_after_the_other() -> None:
    if any("pettingzoo" in example for example in EXAMPLES):
        pytest.importorskip("pettingzoo", reason="PettingZoo is not installed")
    names: dict[str, Any] = {}
    for example in EXAMPLES:
        exec(compile(example, "docs/guides/library.md", "exec"), names)
    assert names["match"].chance.likely == 0.5
    assert names["NAME"] == "greedy"


def test_the_bot_of_the_guide_plays() -> None:
    names: dict[str, Any] = {"referee": referee}
    exec(next(example for example in EXAMPLES if "def choose" in example), names)
    match = referee.Match("cats_and_dogs", 2, seed=b"g")
    seat = match.to_act[0]
    view = {**match.view(seat), "seat": seat}
    chosen = names["choose"](view, match.legal_moves(seat), referee.bots.bot_numbers(b"k", 1), 100)
    assert chosen in match.legal_moves(seat)


def test_the_reference_has_every_public_name() -> None:
    text = library_reference.PAGE.read_text("utf-8")
    assert text == library_reference.page(text), "run `make generate`"
    assert "- `Match(" in text
    assert "- `deal_round(" in text


def test_the_reference_explains_every_optional_declaration() -> None:
    text = library_reference.PAGE.read_text("utf-8")
    described = referee.Ruleset.__doc__ or ""
    optional = set(
        re.findall(r"`(\w+)", described.partition("Optional are")[2] + described.split("Optional")[0])
    )
    assert optional, "the Protocol names what is optional"
    assert [name for name in sorted(optional) if f"`{name}" not in text] == []
