"""What a table would not have decided is found in a log, and so are deals that somebody has chosen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import referee
import referee.dispute
from referee.log.members import ENDLESS
from referee.table import Event, commands
from tests.referee.logged import PACE, Log, game_seed
from tests.support.chosen_deals import WORDS, at, beginning, hashed, record
from tests.support.forging import failed
from tests.support.node import ask, failures


def begun(**pace: Any) -> Log:
    """Return a game of two seats in which every play shows a card."""
    log = Log("cats_and_dogs", game_seed(1), {}, 2, {**PACE, **pace} if pace else None)
    log.begin(["", ""])
    return log


def write(log: Log, kind: str, seat: int | None = None, **members: Any) -> int:
    """Write an entry, whatever the table says of it; return its number."""
    who = {} if seat is None else log.table.who(seat)
    log.enter(Event(kind, log.at, {**who, **members}))
    return len(log.entries)


def play(log: Log) -> tuple[int, int]:
    """Make a move; return its seat and its entry."""
    seat = log.table.to_act[0]
    log.do(commands.play.Move(seat, {**referee.legal_moves(log.table.position, seat)[0]}))
    return seat, len(log.entries)


def run_out(log: Log) -> int:
    """Let time run out, and a move be made; return its entry."""
    log.at = log.table.seats[log.table.to_act[0]].deadline or log.at
    seat = log.table.to_act[0]
    for event in commands.pass_time(log.table, log.at, lambda: log.fold.recent):
        log.enter(event)
    assert log.entries[-1]["seat"] == seat
    return len(log.entries)


def taken_back(log: Log, seat: int, of: int) -> None:
    write(log, "take_back_requested", seat, of=of)
    write(log, "take_back_agreed", 1 - seat, of=of)
    write(log, "taken_back", seat, of=of)


def a_shown_card() -> Log:
    log = begun()
    taken_back(log, *play(log))
    return log


def before_a_time_out() -> Log:
    log = begun(on_timeout="random_move")
    seat, of = play(log)
    run_out(log)
    taken_back(log, seat, of)
    return log


def an_undone_time_out_that_showed_a_card() -> Log:
    log = begun(on_timeout="random_move")
    seat, of = log.table.to_act[0], run_out(log)
    write(log, "timeout_undone", of=of, undone={"seat": seat, "timed_out": of - 1})
    return log


def a_seat_that_nobody_takes() -> Log:
    log = begun()
    write(log, "left", 0, bot=None, replaced=True, by="app")
    return log


def a_seat_that_is_not_out() -> Log:
    log = begun(on_timeout="random_move", out_after=1)
    log.at = log.table.seats[log.table.to_act[0]].deadline or log.at
    for event in commands.pass_time(log.table, log.at, lambda: log.fold.recent):
        if event.kind == "dropped":
            break
        log.enter(event)
    return log


def endless_and_by_somebody() -> Log:
    log = begun()
    write(log, "cancelled", reason=ENDLESS, by="app")
    return log


@pytest.mark.parametrize(
    ("make", "check", "words"),
    [
        (a_shown_card, "order", "takes back a move although"),
        (before_a_time_out, "consent", "although a seat has run out of time since"),
        (an_undone_time_out_that_showed_a_card, "order", "takes back a move although"),
        (a_seat_that_nobody_takes, "consent", "was left, and nobody has taken it"),
        (a_seat_that_is_not_out, "consent", "has missed too many turns, and is not out"),
        (endless_and_by_somebody, "seats", "called off as endless"),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_what_no_table_decides_is_found(make: Callable[[], Log], check: str, words: str) -> None:
    record = make().record()
    found = {each.name: each.detail for each in referee.verify(record).checks if not each.ok}
    assert words in found.get(check, ""), found


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
