"""Logs and feeds as lines of JSON: all of them, or as many as `limit` says."""

from __future__ import annotations

import json
from typing import Any

import pytest

from api.store import log
from tests.support.callers import Caller, new_game, play_on
from tests.support.streams import LINES


def lines(caller: Caller, path: str) -> list[Any]:
    answer = caller.get(path, headers={"Accept": LINES})
    assert (answer.status_code, answer.mimetype) == (200, LINES), answer.text
    return [json.loads(line) for line in answer.data.splitlines()]


def pages(caller: Caller, path: str) -> list[Any]:
    found: list[Any] = caller.get(f"{path}limit=200").json["items"]
    return found


@pytest.mark.parametrize("chunk", [2, 500])
def test_as_many_lines_are_returned_as_requested(
    host: Caller, four: list[Caller], monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    """It holds for any batch size and with filters; without a limit, everything is returned."""
    monkeypatch.setattr(log, "CHUNK", chunk)
    game = play_on(four[:2], new_game(host, four[:2]), 3)
    new_game(host, four[1:3])  # only the second player is in both games
    for caller, path in (
        (host, f"/v1/games/{game['id']}/events?"),
        (four[0], f"/v1/games/{game['id']}/events?type=moved&"),
        (host, "/v1/events?"),
        (host, "/v1/events?type=moved,started&"),
        (four[1], "/v1/me/events?"),
        (four[0], "/v1/events?"),
    ):
        whole = pages(caller, path)
        assert len(whole) >= 3, path
        assert lines(caller, path) == whole, path
        for limit in (1, 3, len(whole), 200):
            assert lines(caller, f"{path}limit={limit}") == whole[:limit], (path, limit)


def test_reading_continues_after_the_last_line(host: Caller, four: list[Caller]) -> None:
    game = play_on(four[:2], new_game(host, four[:2]), 3)
    path, found = f"/v1/games/{game['id']}/events", lines(host, f"/v1/games/{game['id']}/events?limit=2")
    assert found + lines(host, f"{path}?after={found[-1]['seq']}") == lines(host, path)
    found = lines(host, "/v1/events?limit=2")
    assert found + lines(host, f"/v1/events?cursor={found[-1]['cursor']}") == lines(host, "/v1/events")


def test_limits_of_lines_are_those_of_pages(host: Caller, four: list[Caller]) -> None:
    game = new_game(host, four[:2])
    for path in (f"/v1/games/{game['id']}/events", "/v1/events"):
        for limit in ("0", "201", "x", ""):
            refused = host.get(f"{path}?limit={limit}", headers={"Accept": LINES})
            assert (refused.status_code, [*refused.json["errors"]]) == (400, ["limit"]), (path, limit)
