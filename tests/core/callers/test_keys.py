"""App keys in lists: what they are called, how they begin, and when they were last used."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from flask import Flask

from tests.support.callers import Caller, Clock, new_game


def listed(caller: Caller, key: str) -> dict[str, Any]:
    """Return a key as the list of its app shows it."""
    shown: dict[str, Any] = next(item for item in caller.get("/v1/keys").json["items"] if item["id"] == key)
    return shown


def test_a_key_has_a_name_and_a_prefix(new_key: Callable[..., Caller]) -> None:
    manager = new_key("host", "read", "write", "keys")
    named = manager.post("/v1/keys", {"name": "billing (2026)"}).json
    assert named["name"] == "billing (2026)"
    assert named["key"].startswith(named["prefix"])
    shown = listed(manager, named["id"])
    assert {name: shown[name] for name in ("name", "prefix", "last_used_at")} == {
        "name": "billing (2026)",
        "prefix": named["key"][:10],
        "last_used_at": None,
    }
    assert named["key"] not in manager.get("/v1/keys").text
    assert manager.post("/v1/keys", {}).json["name"] is None
    assert manager.post("/v1/keys", {"name": ""}).status_code == 400
    assert all(item["prefix"].startswith("cra_") for item in manager.get("/v1/keys").json["items"])


def test_the_last_use_of_a_key_is_noted_once_a_minute(
    app: Flask, new_key: Callable[..., Caller], clock: Clock, monkeypatch: Any
) -> None:
    manager = new_key("host", "read", "write", "keys")
    made = manager.post("/v1/keys", {}).json
    user = Caller(app, made["key"])
    first = clock()
    user.get("/v1/players")
    assert datetime.fromisoformat(listed(manager, made["id"])["last_used_at"]) == first
    clock.move(seconds=30)
    user.get("/v1/players")  # within the minute of this process
    assert datetime.fromisoformat(listed(manager, made["id"])["last_used_at"]) == first
    monkeypatch.setattr("api.http.tokens.NOTED", 0.0)
    app.extensions["card_referee"].uses.__init__()
    clock.move(hours=2)
    players = [user.post("/v1/players", {"name": name}).json["id"] for name in ("Anna", "Ben", "Carl")]
    assert datetime.fromisoformat(listed(manager, made["id"])["last_used_at"]) == clock()
    clock.move(hours=2)
    game = new_game(user, [Caller(app, user.token, player) for player in players])
    user.get(f"/v1/games/{game['id']}", headers={"Card-Referee-Player": players[0]})  # in a player's place
    assert datetime.fromisoformat(listed(manager, made["id"])["last_used_at"]) == clock()


def test_the_use_of_players_tokens_is_not_noted(four: list[Caller], sql: Any) -> None:
    four[0].get("/v1/me")
    assert sql.execute(
        "SELECT count(*) FROM key_uses u JOIN credentials c ON c.id = u.credential_id"
        " WHERE c.player_id IS NOT NULL"
    ).fetchone() == (0,)
