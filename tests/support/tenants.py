"""Apps that have rows in every table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import psycopg
import pytest

from tests.support.callers import Caller, first_move, new_game

OF_GAME = "(SELECT app_id FROM games WHERE id = game_id)"
OWNERS = {
    "apps": "id",
    "players": "app_id",
    "credentials": "app_id",
    "test_clocks": "app_id",
    "games": "app_id",
    "game_seats": OF_GAME,
    "turns": "app_id",
    "player_games": "app_id",
    "player_results": "app_id",
    "ratings": "app_id",
    "entries": OF_GAME,
    "detached": "app_id",
    "words": "app_id",
    "followers": "app_id",
    "snapshots": OF_GAME,
    "standing_orders": OF_GAME,
    "looks": OF_GAME,
    "imports": "app_id",
    "seeks": "app_id",
    "refused_requests": "app_id",
    "idempotency": "(SELECT app_id FROM credentials WHERE id = owner)",
    "webhooks": "app_id",
    "contacts": "app_id",
    "outbox": "app_id",
    "push_subscriptions": "app_id",
    "notice_positions": "app_id",
}
"""The tables whose rows belong to apps, each with the expression of a row's app."""


@dataclass
class Tenant:
    """An app that has rows in every table."""

    key: Caller
    players: list[Caller]
    game: dict[str, Any]
    webhook: str
    id: UUID


@pytest.fixture
def new_tenant(new_key: Callable[..., Caller], sql: psycopg.Connection) -> Callable[[str], Tenant]:
    def make(name: str) -> Tenant:
        key = new_key(name, "read", "write", "keys")
        webhook = key.post("/v1/webhooks", {"url": "https://example.org/"})
        players = []
        for each in ("Anna", "Ben"):
            body = {"name": each, "metadata": {"club": name}}
            player = key.post("/v1/players", body, headers={"Idempotency-Key": f"{name}-{each}"})
            token = key.post(f"/v1/players/{player.json['id']}/tokens").json["token"]
            players.append(Caller(key.app, token, player.json["id"]))
        game = new_game(key, players, visibility="private")
        path = f"/v1/games/{game['id']}"
        other = players[1 - game["to_act"][0]]
        assert (
            other.put(f"{path}/orders", {"orders": [{"move": {"type": "play", "card": "C1"}}]}).status_code
            == 200
        )
        mover = players[game["to_act"][0]]
        assert mover.post(f"{path}/moves", {"move": first_move(mover, game)}).status_code == 201
        assert key.post("/v1/test-clocks").status_code == 201
        left = new_game(key, players, visibility="private")
        newcomer = key.post("/v1/players", {"name": "Eve"}).json["id"]
        assert key.put(f"/v1/games/{left['id']}/seats/0/player", {"player": newcomer}).status_code == 200
        over = new_game(key, players, visibility="private")
        assert key.post(f"/v1/games/{over['id']}/resignation", {"seat": 0}).status_code == 201
        app_id = key.get("/v1/me").json["app"]["id"]
        sql.execute("INSERT INTO snapshots VALUES (%s, 99, 1, '{}')", (game["id"],))
        look = "INSERT INTO looks VALUES (%s, 'cards', -1, %s, 'auditor', now())"
        sql.execute(look, (game["id"], game["id"]))
        sql.execute("INSERT INTO followers VALUES (%s, %s, %s, false, now())", (game["id"], app_id, app_id))
        sql.execute("INSERT INTO detached VALUES (%s, '2020-01', 0)", (app_id,))
        sql.execute("INSERT INTO imports VALUES (%s, '\\x00', %s)", (app_id, game["id"]))
        sql.execute(
            "INSERT INTO standing_orders (game_id, seat, player_id, moves)"
            " VALUES (%s, 0, %s, '[]') ON CONFLICT DO NOTHING",
            (game["id"], players[0].player),
        )
        sql.execute("INSERT INTO ratings VALUES (%s, 'pies', %s, 25, 8, 1)", (players[0].player, app_id))
        answer = players[0]("PATCH", "/v1/me/preferences", {"frequency": "each"})
        assert answer.status_code == 200
        sql.execute(
            "INSERT INTO outbox (id, app_id, receiver_id, channel, event, payload, created_at)"
            " VALUES (gen_random_uuid(), %s, %s, 'mail', 'x', '{}', now())",
            (app_id, players[0].player),
        )
        sql.execute(
            "INSERT INTO push_subscriptions VALUES (gen_random_uuid(), %s, %s, '{}', now())",
            (app_id, players[0].player),
        )
        assert key.post(f"/v1/webhooks/{webhook.json['id']}/test").status_code == 202
        assert players[0].post("/v1/seeks", {"ruleset": "pies", "seats": 4}).status_code == 201
        assert key.get(f"/v1/games/{app_id}").status_code == 404  # is noted among the refused requests
        return Tenant(key, players, game, webhook.json["id"], UUID(app_id))

    return make


@pytest.fixture
def one(new_tenant: Callable[[str], Tenant]) -> Tenant:
    return new_tenant("one")


@pytest.fixture
def two(new_tenant: Callable[[str], Tenant]) -> Tenant:
    return new_tenant("two")
