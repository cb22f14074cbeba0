"""The guide `docs/guides/library.md`: its examples run, and what it states as numbers is so."""

import re
from pathlib import Path
from typing import Any

import pytest

import referee
import referee.bots
from docs.generating import library_reference

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
