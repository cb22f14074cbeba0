"""Ids of others give no access: every operation of the specification, called by everyone without rights."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import psycopg

from tests.support.callers import Caller, new_game
from tests.support.contract import METHODS, strict

FOR_ALL = {"ruleset", "tile"}  # parameters that name nothing owned by anybody
NOWHERE = "01890000-0000-7000-8000-000000000000"


def least(schema: dict[str, Any]) -> Any:
    """Return roughly the smallest value that a schema accepts."""
    if "$ref" in schema:
        return least(strict()["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]])
    for kind in ("oneOf", "anyOf"):
        if kind in schema:
            return least(schema[kind][0])
    if "const" in schema or "enum" in schema:
        return schema.get("const", schema.get("enum", [None])[0])
    kind = schema.get("type", "null")
    if isinstance(kind, list):
        kind = "null" if "null" in kind else kind[0]
    if kind == "object":
        wanted = (
            schema.get("required") or list(schema.get("properties", {}))[: schema.get("minProperties", 0)]
        )
        return {name: least(schema["properties"][name]) for name in wanted}
    if kind == "array":
        return [least(schema["items"])] * schema.get("minItems", 0)
    if schema.get("format") == "uuid":
        return NOWHERE
    least_of = {
        "string": "x" * schema.get("minLength", 1),
        "integer": schema.get("minimum", 0),
        "boolean": True,
    }
    return least_of.get(kind)


DURATIONS = {"time": {"seat": 0, "length": "PT1H"}, "pace": {"per_move": "PT1H"}}


def operations() -> Iterator[tuple[str, str, list[str], Any]]:
    """Return (method, path, names in the path, a body) for each operation that names something owned."""
    for path, item in strict()["paths"].items():
        for method in set(METHODS) & item.keys():
            wanted = [p["name"] for p in item[method].get("parameters", []) if p.get("in") == "path"]
            body = item[method].get("requestBody")
            sent = least(body["content"]["application/json"]["schema"]) if body else None
            if path.endswith("/seats/{seat}/player") and method == "put":  # one of two members
                sent = {**sent, "bot": "random"}
            if path.endswith("/advance"):
                sent = {"by": "PT1H"}
            sent = DURATIONS.get(path.rpartition("/")[2], sent) if "/clocks/" in path else sent
            if set(wanted) - FOR_ALL:
                yield method.upper(), path, wanted, sent


def test_ids_of_others_give_no_access(
    host: Caller,
    four: list[Caller],
    new_key: Callable[..., Caller],
    new_player: Callable[..., Caller],
    sql: psycopg.Connection,
) -> None:
    game, over = new_game(host, four[:3]), new_game(host, four[:3])
    assert four[0].post(f"/v1/games/{over['id']}/resignation").status_code == 201
    webhook = host.post("/v1/webhooks", {"url": "https://example.org/"}).json["id"]
    delivery = host.post(f"/v1/webhooks/{webhook}/test").json["id"]
    assert four[0]("PATCH", "/v1/me/preferences", {}).status_code == 200
    (notice,) = sql.execute(
        "INSERT INTO outbox (id, app_id, receiver_id, channel, event, payload, created_at)"
        " SELECT gen_random_uuid(), app_id, player_id, 'mail', 'x', '{}', now() FROM contacts"
        " RETURNING id"
    ).fetchone() or ("",)
    (subscription,) = sql.execute(
        "INSERT INTO push_subscriptions SELECT gen_random_uuid(), app_id, player_id, '{}', now()"
        " FROM contacts RETURNING id"
    ).fetchone() or ("",)
    names = {
        "notice": notice,
        "subscription": subscription,
        "game": game["id"],
        "seat": 0,
        "player": four[0].player,
        "token": host.get(f"/v1/players/{four[0].player}/tokens").json["items"][0]["id"],
        "key": host.get("/v1/keys").json["items"][0]["id"],
        "webhook": webhook,
        "delivery": delivery,
        "seek": four[0].post("/v1/seeks", {"ruleset": "cats_and_dogs", "seats": 2}).json["id"],
        "test_clock": host.post("/v1/test-clocks", {}).json["id"],
        "sign_in": NOWHERE,  # belongs to no app; see test_accounts
    }
    other = new_key("other", "read", "write", "audit")
    strangers = [four[3], new_player("Eve", other), other]
    asked = list(operations())
    assert {name for _, _, wanted, _ in asked for name in wanted} <= names.keys(), "this id is not tried"
    for method, path, _, sent in asked:
        there, nowhere = path.format(**names), path.format(**dict.fromkeys(names, NOWHERE) | {"seat": 0})
        for stranger in strangers:
            answer = stranger(method, there, sent)
            if path.endswith("/watch-requests") and method == "POST":  # anybody asks, and learns nothing
                assert (answer.status_code, answer.data) == (204, b"")
                assert stranger(method, nowhere, sent).status_code == 204
                continue
            assert answer.status_code in (403, 404), (method, path, answer.status_code, answer.text)
            missing = stranger(method, nowhere, sent)
            shown = {**answer.json, "instance": ""}
            assert shown == {**missing.json, "instance": ""}, "existing objects look as if they did not exist"
        if method == "GET":
            known = host.get(there).status_code
            # An app has to name the seat, or is not a player; a dispute report is available after the game's
            # end.
            assert known in (200, 400, 403, 409), (path, known)
    after = host.get(f"/v1/games/{game['id']}").json
    own = {"viewer", "receipt"}  # the first receipt also promises the game's leaf in the log of all games
    assert {name: after[name] for name in after.keys() - own} == {
        name: game[name] for name in game.keys() - own
    }
    assert host.get("/v1/keys").json["items"][0]["revoked_at"] is None
    assert host.get(f"/v1/players/{four[0].player}").json["name"] == "Anna"


def test_ids_of_others_in_queries_and_bodies_are_unknown(
    host: Caller, four: list[Caller], new_key: Callable[..., Caller], new_player: Callable[..., Caller]
) -> None:
    """Here ids are in queries and bodies instead of paths."""
    game = new_game(host, four[:3])
    other = new_key("other", "read", "write")
    eve = new_player("Eve", other)
    for stranger in (four[3], eve, other):
        for filters in ("", f"?player={four[0].player}", f"?to_act={four[game['to_act'][0]].player}"):
            assert stranger.get(f"/v1/games{filters}").json["items"] == []
    wanted = {"ruleset": "cats_and_dogs", "seats": [{"player": four[0].player}]}
    refused = other.post("/v1/games", wanted)
    assert refused.status_code == 422
    assert refused.json["errors"] == {"seats.0.player": ["There is no such player."]}
    assert other.get("/v1/games").json["items"] == []
    mine = other.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": [{"open": True}] * 2}).json
    invite = mine["seats"][0]["invite"]
    seat = f"/v1/games/{mine['id']}/seats/0"
    assert other.put(seat, {"invite": invite, "player": four[0].player}).status_code == 422
    assert eve.put(seat, {"invite": invite, "player": four[0].player}).status_code == 403
    assert four[0].put(seat, {"invite": invite}).status_code in (200, 404)
