"""A short form of the campaign of forgeries (`python -m tests.campaigns.forgeries`)."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.campaigns.forgeries import campaign
from tests.campaigns.forgers import KINDS, Forgery, forgeries, honest_games
from tests.campaigns.judging import found, judge, problem
from tests.campaigns.unfound import UNFOUND, is_beyond_page, reason
from tests.support.honest import honest
from tests.support.page_verifier import ask

TRUST = (Path(__file__).parents[2] / "docs/trust.md").read_text("utf-8")


@pytest.mark.parametrize("kind", KINDS)
def test_forgeries_are_found_or_listed(kind: str) -> None:
    forged = [*forgeries(30, honest_games(50, most=6), kinds=(kind,))]
    outcomes = judge(forged)
    assert [fault for each in outcomes if (fault := problem(each))] == []
    assert sum(bool(outcome.by_referee) for outcome in outcomes) >= 15
    assert sum(bool(outcome.by_page) for outcome in outcomes) >= 12


def test_a_run_that_is_killed_says_that_it_has_no_verdict(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def killed(*batch: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    monkeypatch.setattr("tests.campaigns.forgeries.run", killed)
    assert campaign(10, 1, 1, tmp_path) == 2
    assert capfd.readouterr().out.startswith("NO VERDICT: the run ended after 0 of 10 forgeries")


def test_a_run_ends_with_a_verdict(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr("tests.campaigns.forgeries.HONEST", 1)
    assert campaign(3, 1, 1, tmp_path) == 0
    assert "VERDICT seed 1: 3 forgeries, 1 honest" in capfd.readouterr().out.splitlines()[-1]


def test_honest_records_are_not_accused() -> None:
    records = [honest(number, most=8) for number in range(9)]
    assert [found(record) for record in records] == [{}] * 9
    assert [answer["ok"] for answer in ask(records)] == [True] * 9


def test_what_nobody_finds_is_listed() -> None:
    assert [name for name in (*UNFOUND, "parts beside the log") if f"| {name} |" not in TRUST] == []


@pytest.mark.parametrize(
    "done",
    [
        *("change cancelled.seats", "double resigned.", "drop take_back_requested.of", "drop moved.move"),
        *("change timed_out.seat", "double timed_out.", "change time_added.added"),
        "drop vacation_taken.vacation",
    ],
)
def test_nobody_may_be_deceived_by_more_than_what_is_listed(done: str) -> None:
    deed, what = done.split(" ")
    kind, member = what.split(".")
    assert reason(Forgery("rebuilt", deed, kind, member, {}, 0)) is None


def test_what_is_not_listed_is_a_problem() -> None:
    forgery: Any = Forgery("rebuilt", "change", "moved", "transfers", {}, 0)
    assert reason(forgery) is None
    missed = SimpleNamespace(forgery=forgery, by_referee={}, by_page=set(), by_independent="not asked")
    page = {**vars(missed), "by_referee": {"seats": "names another player"}}
    outcomes: Any = [tuple(vars(missed).values()), tuple(page.values())]
    assert [str(problem(each)).split(" rebuilt")[0] for each in outcomes] == [
        "the referee misses",
        "the page misses",
    ]
    assert is_beyond_page({"result": "the game came to None"})
    assert not is_beyond_page({"result": "the seed revealed here is not the record's"})
