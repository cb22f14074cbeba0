"""What a table would not have decided is found in a log, also where no forger of the campaign does it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import referee
from referee.log.members import ENDLESS
from referee.table import Event, commands
from tests.referee.logged import PACE, Log, game_seed


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
