"""Deals that nobody can choose: what verification finds if somebody has chosen nevertheless."""

from __future__ import annotations

from typing import Any

import referee
import referee.dispute
from tests.support.chosen_deals import WORDS, at, beginning, hashed, record
from tests.support.forging import failed
from tests.support.page_verifier import ask, failures


def test_valid_deals() -> None:
    kinds = {False: record(beginning(False)), True: record(beginning())}
    for commits, whole in kinds.items():
        report = referee.verify(whole)
        assert report.ok, report
        assert ("entropy" in {check.name for check in report.checks}) is commits
    assert [failures(answer) for answer in ask([*kinds.values()])] == [{}] * 2
    keys = [referee.read_record(whole).key for whole in kinds.values()]
    assert len({*keys}) == 1, "commitments change only the time"


def found(bent: Any, name: str) -> bool:
    """Return whether verification fails with this check."""
    return name in failed(bent)


def by_both(bent: Any, name: str) -> None:
    """Return whether the check fails here and in the page."""
    assert found(bent, name)
    assert name in failures(*ask([bent]))


def test_entropy_of_a_bot_is_found() -> None:
    """A bot belongs to the server, which would have chosen its entropy."""
    log = beginning()
    log[3]["entropy"] = "chosen"
    assert found(record(log, entropy=[*WORDS[:2], "chosen"]), "entropy")
    log[3] |= {"entropy": "", "commitment": hashed("chosen")}
    assert found(record(log), "entropy")


def test_a_deal_before_everybody_has_revealed_is_found() -> None:
    log = beginning()
    del log[5]
    by_both(record(log, entropy=[WORDS[0], "", ""]), "entropy")


def test_a_seat_that_was_left_when_all_were_taken_is_found() -> None:
    """Leaving and joining again would allow another deal."""
    log = beginning()
    again = {**log[2], "at": at(5)}
    left = {"type": "left", "at": at(4), **{key: log[2][key] for key in ("seat", "player", "bot")}}
    log[4:4] = [left, again]
    assert found(record(log), "entropy")


def test_the_dispute_report_says_how_the_deal_came_about() -> None:
    report = "".join(referee.dispute.dispute_report(record(beginning()), 0))
    assert "committed to their entropy" in report
    assert "<dt>Deal</dt>" not in "".join(referee.dispute.dispute_report(record(beginning(False)), 0))
