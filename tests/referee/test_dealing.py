"""Deals that nobody can choose: what verification finds if somebody has chosen nevertheless."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

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


def test_a_reveal_of_something_else_is_found() -> None:
    """The operator chooses what a friend's seat reveals after learning all others."""
    log = beginning()
    log[4]["entropy"] = "some other words"
    by_both(record(log, entropy=["some other words", *WORDS[1:]]), "entropy")


def test_a_seat_without_a_commitment_is_found() -> None:
    for given in ("", "later words"):
        log = beginning()
        del log[2]["commitment"]
        log[2]["entropy"] = given
        del log[5]
        by_both(record(log, entropy=[WORDS[0], given, ""]), "entropy")


def test_entropy_of_a_bot_is_found() -> None:
    """A bot belongs to the server, which would have chosen its entropy."""
    log = beginning()
    log[3]["entropy"] = "chosen"
    assert found(record(log, entropy=[*WORDS[:2], "chosen"]), "entropy")
    log[3] |= {"entropy": "", "commitment": hashed("chosen")}
    assert found(record(log), "entropy")


def test_a_copied_commitment_is_found() -> None:
    log = beginning()
    log[2]["commitment"], log[5]["entropy"] = log[1]["commitment"], WORDS[0]
    assert found(record(log, entropy=[WORDS[0], WORDS[0], ""]), "entropy")


def test_a_deal_before_everybody_has_revealed_is_found() -> None:
    log = beginning()
    del log[5]
    by_both(record(log, entropy=[WORDS[0], "", ""]), "entropy")


def test_a_reveal_that_came_too_late_or_early_is_found() -> None:
    late = beginning()
    late[5]["at"] = at(91.5)
    assert found(record(late), "entropy")
    early = beginning()
    early.insert(3, {**early.pop(4), "at": at(0)})  # before the bot has joined
    assert found(record(early), "entropy")


def test_forfeits_are_checked() -> None:
    """All who have not revealed are named, none of them too early, and the game is cancelled."""

    def ended(*forfeits: tuple[int, float], revealed: bool = True) -> Any:
        log = beginning()[: 5 if revealed else 4]
        for seat, seconds in forfeits:
            log.append(
                {"type": "forfeited", "at": at(seconds), "seat": seat, "player": log[1 + seat]["player"]}
            )
        log.append({"type": "cancelled", "at": at(120)})
        whole = record(log)
        whole["entries"] = whole["entries"][:-3]
        return {
            **{name: value for name, value in whole.items() if name not in ("chance", "result")},
            "entropy": [WORDS[0] if revealed else "", "", ""],
            "ended": {"type": "cancelled"},
            "result": None,
        }

    whole = ended((1, 90))
    assert failed(whole) == {}
    assert failures(*ask([whole])) == {}
    assert found(ended((1, 89)), "entropy")
    assert found(ended((0, 90), (1, 90)), "entropy")
    assert found(ended((1, 90), revealed=False), "entropy")
    assert failed(ended((0, 90), (1, 90), revealed=False)) == {}


def test_a_seat_that_was_left_when_all_were_taken_is_found() -> None:
    """Leaving and joining again would allow another deal."""
    log = beginning()
    again = {**log[2], "at": at(5)}
    left = {"type": "left", "at": at(4), **{key: log[2][key] for key in ("seat", "player", "bot")}}
    log[4:4] = [left, again]
    assert found(record(log), "entropy")


BENDS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "no time": lambda terms: terms.pop("reveal_within"),
    "no duration": lambda terms: terms.update(reveal_within="soon"),
    "another kind": lambda terms: terms.update(entropy="told"),
}


@pytest.mark.parametrize("bend", BENDS)
def test_incomplete_terms_are_found(bend: str) -> None:
    log = beginning()
    BENDS[bend](log[0])
    assert failed(record(log))


def test_the_dispute_report_says_how_the_deal_came_about() -> None:
    report = "".join(referee.dispute.dispute_report(record(beginning()), 0))
    assert "committed to their entropy" in report
    assert "<dt>Deal</dt>" not in "".join(referee.dispute.dispute_report(record(beginning(False)), 0))


def test_a_cancellation_that_spares_a_late_seat_is_found() -> None:
    """When the time to reveal is over, the log has to name who did not, even if the game is cancelled."""
    for seconds, holds in ((80, True), (161.5, False)):
        log = beginning()[:5]
        log.append({"type": "cancelled", "at": at(seconds)})
        whole = record(log)
        whole["entries"] = whole["entries"][:-3]
        for name in ("chance", "result"):
            del whole[name]
        whole |= {"entropy": [WORDS[0], "", ""], "ended": {"type": "cancelled"}, "result": None}
        assert ("entropy" not in failed(whole)) is holds
