"""Planned vacations, which cover every game that waits for the player, and quiet hours of push messages."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from api.features.mail.preferences import Preferences
from tests.support.callers import Caller, Clock, log, new_game
from tests.support.clocks import in_hours, path, verified

PACE = {"per_move": "PT24H", "on_timeout": "resign", "vacation_days": 5}


def plan(player: Caller, since: str, until: str) -> None:
    """Plan a vacation from one day to another."""
    wanted = {"vacation": {"from": since, "until": until}}
    done = player("PATCH", "/v1/me/preferences", wanted)
    assert done.status_code == 200, done.text
    assert done.json["vacation"] == wanted["vacation"]


def begin(host: Caller, four: list[Caller]) -> tuple[dict[str, Any], int, Caller]:
    game = new_game(host, four[:2], pace=PACE)
    seat = game["to_act"][0]
    return game, seat, four[seat]


def test_days_off_are_taken_on_the_days_of_a_plan(
    host: Caller, four: list[Caller], clock: Clock, worker: Callable[[], None]
) -> None:
    """The plan covers 2 and 3 March; the clock starts on 1 March at 12:00."""
    game, seat, player = begin(host, four)
    plan(player, "2026-03-02", "2026-03-03")
    for _ in range(36):
        worker()
        clock.move(hours=2)
    taken = [entry for entry in log(host, game) if entry["type"] == "vacation_taken"]
    assert [entry["at"] for entry in taken] == [in_hours(12), in_hours(36)]
    assert {(entry["by"], entry["vacation"]["days"]) for entry in taken} == {("player", 1)}
    assert host.get(path(game)).json["seats"][seat]["deadline"] == in_hours(72)
    clock.move(hours=1)
    worker()
    assert host.get(path(game)).json["status"] == "finished", "after the days off, time runs again"
    verified(host, game)


def test_a_plan_covers_games_that_begin_later_and_ends_early(
    host: Caller, four: list[Caller], clock: Clock, worker: Callable[[], None]
) -> None:
    plan(four[0], "2026-03-01", "2026-03-20")
    plan(four[1], "2026-03-01", "2026-03-20")
    game, seat, player = begin(host, four)
    worker()
    assert host.get(path(game)).json["seats"][seat]["vacation_days"] == 4
    ended = player("PATCH", "/v1/me/preferences", {"vacation": None})
    assert ended.json["vacation"] is None
    clock.move(hours=30)
    worker()
    assert host.get(path(game)).json["seats"][seat]["vacation_days"] == 4


def test_no_more_days_are_taken_than_the_pace_gives(
    host: Caller, four: list[Caller], clock: Clock, worker: Callable[[], None]
) -> None:
    game, _, player = begin(host, four)
    plan(player, "2026-03-01", "2026-03-31")
    for _ in range(24 * 8):
        worker()
        clock.move(hours=1)
    assert host.get(path(game)).json["status"] == "finished"
    assert [entry["type"] for entry in log(host, game)].count("vacation_taken") == 5


@pytest.mark.parametrize(
    "wrong", [{"from": "2026-03-02", "until": "2026-03-01"}, {"from": "2026-02-30", "until": "2026-03-01"}]
)
def test_impossible_plans_are_refused(four: list[Caller], wrong: dict[str, str]) -> None:
    refused = four[0]("PATCH", "/v1/me/preferences", {"vacation": wrong})
    assert refused.status_code == 400, refused.text


@pytest.mark.parametrize(
    ("at", "then"),
    [
        ("2026-03-28T21:59", "2026-03-28T21:59"),
        ("2026-03-28T22:00", "2026-03-29T05:00"),  # in this night the clocks of Berlin go forward
        ("2026-03-29T04:59", "2026-03-29T05:00"),
        ("2026-03-29T05:00", "2026-03-29T05:00"),
        ("2026-10-24T23:00", "2026-10-25T06:00"),
    ],
)
def test_push_messages_wait_for_the_end_of_the_quiet_hours(at: str, then: str) -> None:
    wanted = Preferences(time_zone="Europe/Berlin", push_quiet={"from": "23:00", "until": "07:00"})
    assert wanted.push_at(datetime.fromisoformat(f"{at}+00:00")) == datetime.fromisoformat(f"{then}+00:00")
    assert Preferences().push_at(datetime(2026, 3, 1, tzinfo=UTC) + timedelta(0)).hour == 0
