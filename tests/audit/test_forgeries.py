"""A short form of the campaign of forgeries (`python -m tests.campaigns.forgeries`)."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.campaigns.forgeries import KINDS, Forgery, forgeries, found, honest_games, judge, problems
from tests.campaigns.unfound import UNFOUND, is_beyond_page, reason
from tests.support.honest import honest
from tests.support.page_verifier import ask

TRUST = (Path(__file__).parents[2] / "docs/trust.md").read_text("utf-8")


@pytest.mark.parametrize("kind", KINDS)
def test_forgeries_are_found_or_listed(kind: str) -> None:
    forged = [*forgeries(30, honest_games(50, most=6), kinds=(kind,))]
    outcomes = judge(forged)
    assert problems(outcomes) == []
    assert sum(bool(outcome.by_referee) for outcome in outcomes) >= 15
    assert sum(bool(outcome.by_page) for outcome in outcomes) >= 12


def test_honest_records_are_not_accused() -> None:
    records = [honest(number, most=8) for number in range(9)]
    assert [found(record) for record in records] == [{}] * 9
    assert [answer["ok"] for answer in ask(records)] == [True] * 9


def test_what_nobody_finds_is_listed() -> None:
    assert [name for name in (*UNFOUND, "parts beside the log") if f"| {name} |" not in TRUST] == []


def test_what_is_not_listed_is_a_problem() -> None:
    forgery: Any = Forgery("rebuilt", "change", "moved", "transfers", {}, 0)
    assert reason(forgery) is None
    missed = SimpleNamespace(forgery=forgery, by_referee={}, by_page=set(), by_independent="not asked")
    page = {**vars(missed), "by_referee": {"seats": "names another player"}}
    outcomes: Any = [tuple(vars(missed).values()), tuple(page.values())]
    assert [line.split(" rebuilt")[0] for line in problems(outcomes)] == [
        "the referee misses",
        "the page misses",
    ]
    assert is_beyond_page({"result": "the game came to None"})
    assert not is_beyond_page({"result": "the seed revealed here is not the record's"})
