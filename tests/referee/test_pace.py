"""Clocks, turn by turn: increments, weekends, and games without a pace."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

import referee.clocks
from referee.log import times

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
PACE = referee.clocks.Pace.of(
    {"per_move": "PT10H", "on_timeout": "resign", "reserve": "PT3H", "increment": "PT2H"}
)


def test_a_move_earns_the_increment_and_uses_its_time() -> None:
    seats = [referee.clocks.Clock(), referee.clocks.Clock()]
    referee.clocks.turn_over(seats, [0], PACE, NOON)
    assert seats[0].deadline == NOON + 13 * HOUR
    assert referee.clocks.turn_over(seats, [1], PACE, NOON + 12 * HOUR, 0)["reserve"] == {
        "0": "PT10800S"
    }  # 1 + 2
    assert (seats[0].deadline, seats[1].deadline) == (None, NOON + 25 * HOUR)
    referee.clocks.turn_over(seats, [0], PACE, NOON + 12 * HOUR, 1, forced=True)
    assert PACE.reserve_left(seats[1]) == 3 * HOUR, "a seat that did not move itself earns nothing"


def test_without_a_pace_turns_begin_and_end_without_deadlines() -> None:
    seats = [referee.clocks.Clock(), referee.clocks.Clock()]
    assert referee.clocks.turn_over(seats, [0], None, NOON) == {}
    assert referee.clocks.turn_over(seats, [1], None, NOON + HOUR, 0) == {}
    assert seats == [referee.clocks.Clock(), referee.clocks.Clock(since=NOON + HOUR)]


def test_a_warning_comes_within_the_turn_or_not_at_all() -> None:
    pace = PACE._replace(warn_before=4 * HOUR)
    turn = referee.clocks.Clock(since=NOON, deadline=NOON + 10 * HOUR)
    assert pace.warning(turn) == NOON + 6 * HOUR
    assert pace.warning(referee.clocks.Clock(since=NOON, deadline=NOON + 4 * HOUR)) is None
    assert pace.warning(referee.clocks.Clock()) is None
    assert PACE.warning(turn) is None


def test_what_a_seat_has_beyond_the_cap_is_not_taken_by_an_increment() -> None:
    capped = PACE._replace(reserve_cap=4 * HOUR)
    for had, has in ((HOUR, 3 * HOUR), (3 * HOUR, 4 * HOUR), (6 * HOUR, 6 * HOUR)):
        assert capped.reserve_left(capped.earn(referee.clocks.Clock(reserve=had))) == has


def test_a_reserve_never_falls_below_nothing() -> None:
    seat = PACE.lose(referee.clocks.Clock(reserve=HOUR), 2 * HOUR)
    assert PACE.reserve_left(seat) == timedelta(0)


def test_weekends_are_those_of_an_offset() -> None:
    friday = datetime(2026, 3, 6, 20, tzinfo=UTC)
    for weekends, hours in ((None, 6 + 48), ("+01:00", 6 + 48), ("+05:00", 53), ("-03:30", 6)):
        terms = {"per_move": "PT6H", "on_timeout": "resign", "quiet_weekends": True}
        pace = referee.clocks.Pace.of(terms | ({"weekends": weekends} if weekends else {}))
        assert pace.later(friday, 6 * HOUR) == friday + hours * HOUR, weekends
        assert pace.between(friday, friday + hours * HOUR) == 6 * HOUR, weekends
    for wrong in ("Europe/Berlin", "+15:00", "1:00", None, 60):
        with pytest.raises(ValueError, match="no offset"):
            referee.clocks.Pace.of({**terms, "weekends": wrong})


def test_no_weekend_is_beyond_the_calendar() -> None:
    """Of a length that ends in the last days of the year 9999."""
    for ahead in (timedelta(hours=-14, minutes=-59), timedelta(0), timedelta(hours=14, minutes=59)):
        for hours in range(0, 24 * 30, 5):
            start = times.LATEST - timedelta(hours=hours)
            for length in range(0, hours + 1, 5):
                end = times.later(start, timedelta(hours=length), True, ahead)
                counted = times.between(start, end, True, ahead)
                assert counted == timedelta(hours=length) or end == times.LATEST
