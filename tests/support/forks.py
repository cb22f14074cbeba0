"""Forks, and a game that is over, from which they go on."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.callers import Caller, new_game, play_on


def fork(caller: Caller, of: dict[str, Any], version: int, seats: list[dict[str, Any]], **more: Any) -> Any:
    return caller.post("/v1/games", {"from": {**of, "version": version}, "seats": seats, **more})


def bots(game: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"bot": "random"} for _ in game["seats"]]


def record_of(caller: Caller, game: dict[str, Any]) -> dict[str, Any]:
    record: dict[str, Any] = caller.get(f"/v1/games/{game['id']}/record").json
    return record


def verified(caller: Caller, game: dict[str, Any]) -> dict[str, Any]:
    verification: dict[str, Any] = caller.get(f"/v1/games/{game['id']}/verification").json
    assert verification["ok"], [check for check in verification["checks"] if not check["ok"]]
    return verification


@pytest.fixture
def over(host: Caller, four: list[Caller]) -> dict[str, Any]:
    game: dict[str, Any] = play_on(four, new_game(host, four[:3]))
    assert game["status"] == "finished"
    return game
