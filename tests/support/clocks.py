"""Games with paces: pauses, deadlines and test clocks."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import referee
from tests.support.callers import START, Caller, new_game
from tests.support.node import ask, failures


def path(game: dict[str, Any], rest: str = "") -> str:
    return f"/v1/games/{game['id']}{rest}"


def entries(caller: Caller, game: dict[str, Any]) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = caller.get(path(game, "/events?limit=200")).json["items"]
    return items


def in_hours(hours: float) -> str:
    return (START + timedelta(hours=hours)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def paused(game: dict[str, Any], players: list[Caller]) -> dict[str, Any]:
    for player in players:
        done = player.post(path(game, "/pause"))
        assert done.status_code == 201, done.text
    found: dict[str, Any] = done.json
    return found


def verified(host: Caller, game: dict[str, Any]) -> dict[str, Any]:
    """Return the record after every verifier accepted it."""
    found = host.get(path(game, "/verification")).json
    assert found["ok"], [check for check in found["checks"] if not check["ok"]]
    record: dict[str, Any] = host.get(path(game, "/record")).json
    report = referee.verify(record)
    assert report.ok, [check for check in report.checks if not check.ok]
    assert failures(*ask([record])) == {}
    return record


PAST = "2001-01-01T00:00:00.000000Z"  # a Monday, long past by the server's time


def new_clock(host: Caller, time: str | None = PAST) -> str:
    """Return the path of a new test clock."""
    made = host.post("/v1/test-clocks", {"time": time} if time else {})
    assert made.status_code == 201, made.text
    return f"/v1/test-clocks/{made.json['id']}"


def on_clock(host: Caller, players: list[Caller], path: str, **more: Any) -> Any:
    return new_game(host, players, test_clock=path.rpartition("/")[2], **more)
