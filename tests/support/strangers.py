"""Two apps that try to reach each other, where the code alone keeps them apart: no row-level security."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest

from tests.support.callers import Caller, first_move, new_game

LISTS = ("/v1/games", "/v1/players", "/v1/webhooks", "/v1/keys")


def ids(caller: Caller, path: str) -> set[str]:
    answer = caller.get(path)
    assert answer.status_code == 200, answer.text
    return {item["id"] for item in answer.json["items"]}


@dataclass
class Tenant:
    """An app with two players, a webhook and a private game."""

    key: Caller
    players: list[Caller]
    webhook: str
    game: dict[str, Any]


def tenant(key: Caller) -> Tenant:
    players = []
    for name in ("Anna", "Ben"):
        player = key.post("/v1/players", {"name": name}).json["id"]
        token = key.post(f"/v1/players/{player}/tokens").json["token"]
        players.append(Caller(key.app, token, player))
    webhook = key.post("/v1/webhooks", {"url": "https://example.org/"}).json["id"]
    return Tenant(key, players, webhook, new_game(key, players, visibility="private"))


@pytest.fixture
def two(new_key: Callable[..., Caller]) -> tuple[Tenant, Tenant]:
    name = uuid4()
    one, other = (tenant(new_key(f"{name}-{n}", "read", "write", "keys")) for n in range(2))
    return one, other


def reads_nothing(one: Tenant, other: Tenant) -> None:
    game, player = f"/v1/games/{other.game['id']}", f"/v1/players/{other.players[0].player}"
    parts = ("", "/events", "/record", "/verification", "/legal-moves?seat=0")
    others = [player, f"{player}/tokens", f"/v1/webhooks/{other.webhook}"]
    for path in [*(f"{game}{part}" for part in parts), *others]:
        assert other.key.get(path).status_code == 200, path
        assert one.key.get(path).status_code == 404, path
        assert one.players[0].get(path).status_code in (403, 404), path
    for path in LISTS:
        mine, theirs = ids(one.key, path), ids(other.key, path)
        assert mine, path
        assert theirs, path
        assert not mine & theirs, path
    assert {entry["game"] for entry in one.key.get("/v1/events").json["items"]} == {one.game["id"]}


def changes_nothing(one: Tenant, other: Tenant) -> None:
    path, seat = f"/v1/games/{other.game['id']}", other.game["to_act"][0]
    move = {"seat": seat, "move": first_move(other.players[seat], other.game)}
    for stranger in (one.key, *one.players):
        assert stranger.post(f"{path}/moves", move).status_code == 404
        assert stranger.post(f"{path}/resignation", {"seat": seat}).status_code == 404
    assert one.key("PATCH", path, {"title": "ours"}).status_code == 404
    assert one.key("DELETE", f"/v1/webhooks/{other.webhook}").status_code == 404
    assert other.key.get(path).json["version"] == other.game["version"]
    assert other.key.post(f"{path}/moves", move).status_code == 201
