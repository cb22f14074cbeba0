"""Seats that change hands during a game: the log says who decided it, and verifiers check that."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.callers import Caller, Clock, new_game
from tests.support.forging import failed
from tests.support.node import ask, failures
from tests.support.service import worker as worker

Record = dict[str, Any]
PACE = {"per_move": "PT72H", "on_timeout": "random_move"}


def entry(record: Record, kind: str, n: int = -1) -> dict[str, Any]:
    return [one for one in record["entries"] if one["type"] == kind][n]


def ended(host: Caller, game: dict[str, Any]) -> Record:
    assert host.post(f"/v1/games/{game['id']}/cancellation").status_code == 201
    record: Record = host.get(f"/v1/games/{game['id']}/record").json
    assert failed(record) == {}
    assert failures(*ask([record])) == {}
    assert host.get(f"/v1/games/{game['id']}/verification").json["ok"]
    return record


def missed(host: Caller, game: dict[str, Any], seat: int) -> int:
    entries = host.get(f"/v1/games/{game['id']}/events?limit=200").json["items"]
    return len([one for one in entries if one["type"] == "timed_out" and one["seat"] == seat])


@pytest.fixture
def imposed(host: Caller, four: list[Caller]) -> Record:
    """A game in which the app has handed a seat over."""
    game = new_game(host, four[:3])
    seat = game["to_act"][0]
    assert (
        host.put(f"/v1/games/{game['id']}/seats/{seat}/player", {"player": four[3].player}).status_code == 200
    )
    return ended(host, game)


@pytest.fixture
def agreed(host: Caller, four: list[Caller], clock: Clock, worker: Callable[[], None]) -> Record:
    """A game in which two seats have agreed to replace the third, who was late, by a bot."""
    game = new_game(host, four[:3], pace=PACE)
    seat = game["to_act"][0]
    while missed(host, game, seat) < 2:
        clock.move(hours=72)
        worker()
    for other in {0, 1, 2} - {seat}:
        done = four[other].put(f"/v1/games/{game['id']}/seats/{seat}/player", {"bot": "random"})
        assert done.status_code == 200, done.text
    assert done.json["seats"][seat]["bot"] == "random"
    return ended(host, game)


def test_a_newcomer_may_get_another_name_between_two_votes(
    host: Caller, four: list[Caller], clock: Clock, worker: Callable[[], None]
) -> None:
    game = new_game(host, four[:3], pace=PACE)
    seat = game["to_act"][0]
    while missed(host, game, seat) < 2:
        clock.move(hours=72)
        worker()
    for number in sorted({0, 1, 2} - {seat}):
        host("PATCH", f"/v1/players/{four[3].player}", {"name": f"Dora {number}"})
        done = four[number].put(f"/v1/games/{game['id']}/seats/{seat}/player", {"player": four[3].player})
        assert done.status_code == 200, done.text
    assert entry(ended(host, game), "left")["agreed"] is True


def test_the_log_says_who_has_decided(imposed: Record, agreed: Record) -> None:
    assert "agreed" not in entry(imposed, "left")
    assert entry(imposed, "left")["by"] == "app"
    assert entry(agreed, "left")["agreed"] is True
    assert [one["type"] for one in agreed["entries"]].count("replacement_agreed") == 2
