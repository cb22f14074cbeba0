"""App keys in lists, and player tokens for one game only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

from api.features import load_features
from api.features.specification.specification import PATH_PARAMETER
from api.http import auth
from api.routes import operations
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
    assert {name: shown[name] for name in ("name", "prefix")} == {
        "name": "billing (2026)",
        "prefix": named["key"][:10],
    }
    assert named["key"] not in manager.get("/v1/keys").text
    assert manager.post("/v1/keys", {}).json["name"] is None
    assert manager.post("/v1/keys", {"name": ""}).status_code == 400
    assert all(item["prefix"].startswith("cra_") for item in manager.get("/v1/keys").json["items"])


OPERATIONS = operations(load_features())

BOUND = {
    name: declared
    for name, declared in OPERATIONS.items()
    if declared.audience not in (auth.ANYBODY, auth.OPERATOR) and not declared.audience.narrowed
}


def bound(host: Caller, game: str, player: str | None, **more: str) -> Caller:
    made = host.post(f"/v1/players/{player}/tokens", {"game": game, **more})
    assert (made.status_code, made.json["game"]) == (201, game)
    return Caller(host.app, made.json["token"])


def test_it_plays_its_game_and_ends(host: Caller, four: list[Caller], clock: Clock) -> None:
    game, other = (new_game(host, four, "pies")["id"] for _ in range(2))
    anna = bound(host, game, four[0].player, expires_in="PT10M")
    assert anna.get(f"/v1/games/{game}").json["viewer"]["seats"] == [0]
    assert anna.get(f"/v1/games/{other}").status_code == 403
    assert anna.post(f"/v1/games/{game}/messages", {"text": "Hello"}).status_code == 201
    assert anna.post(f"/v1/games/{other}/messages", {"text": "Hello"}).status_code == 403
    assert anna.get("/v1/rulesets/pies").status_code == 200
    tokens = host.get(f"/v1/players/{four[0].player}/tokens").json["items"]
    assert [token["game"] for token in tokens] == [game, None]
    clock.move(minutes=10)
    assert anna.get(f"/v1/games/{game}").status_code == 401


def test_it_does_nothing_elsewhere(host: Caller, four: list[Caller]) -> None:
    anna = bound(host, new_game(host, four, "pies")["id"], four[0].player)
    for name, declared in BOUND.items():
        path = PATH_PARAMETER.sub(lambda m: "0" if m[1] == "int" else str(uuid4()), declared.rule)
        assert anna(declared.method, path).status_code == 403, name


def test_it_is_only_for_games_of_the_app(host: Caller, four: list[Caller]) -> None:
    path = f"/v1/players/{four[0].player}/tokens"
    assert host.post(path, {"game": str(uuid4())}).status_code == 404
    assert host.post(path, {"game": "pies"}).status_code == 400
    assert host.post(path, {"game": None}).json["game"] is None
