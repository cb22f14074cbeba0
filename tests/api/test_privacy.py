"""Nobody is ever told a card that the seat may not see: every answer of two games, walked through."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from tests.api.conftest import Caller, new_game
from tests.api.contract import METHODS, strict


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from strings(item)


def hidden(position: dict[str, Any], seat: int | str) -> set[str]:
    """What a seat may not see of these two games, said once more: other hands, and what is out of play."""
    zones = position["zones"].items()
    return {
        card
        for name, cards in zones
        if (name.startswith("hand.") and name != f"hand.{seat}") or name == "out"
        for card in cards
    }


@pytest.mark.parametrize(("ruleset", "seats", "moves"), [("cats_and_dogs", 3, 70), ("pies", 4, 70)])
def test_every_answer_of_a_game(
    host: Caller, auditor: Caller, anyone: Caller, four: list[Caller], ruleset: str, seats: int, moves: int
) -> None:
    game = new_game(host, four[:seats], ruleset, visibility="public")
    path = f"/v1/games/{game['id']}"
    viewers = {**dict(enumerate(four[:seats])), "stranger": anyone, "app": host}
    choose = random.Random(5).choice
    before = auditor.get(path).json["view"]
    version, status = game["version"], "running"
    while status == "running" and moves:
        moves -= 1
        mover = four[before["to_act"][0]]
        legal = mover.get(f"{path}/legal-moves").json["moves"]
        done = mover.post(f"{path}/moves", {"move": choose(legal)}).json
        status = done["game"]["status"]
        now = auditor.get(path).json["view"]
        for name, viewer in viewers.items():
            shown = viewer.get(path).json
            told = set(strings(shown)) | set(strings(viewer.get("/v1/games?visibility=public").json))
            if isinstance(name, int):
                assert shown["view"]["zones"][f"hand.{name}"] == now["zones"][f"hand.{name}"]
                told |= set(strings(viewer.get(f"{path}/legal-moves").json))
                told |= set(strings(viewer.post(f"{path}/moves?dry_run=true", {"move": {"type": "x"}}).json))
            if viewer is mover:
                told |= set(strings(done["game"]))
            assert not told & hidden(now, name), (name, told & hidden(now, name))
            # An entry tells nothing that was hidden before it and still is, but the card played.
            news = viewer.get(f"{path}/events?after={version}").json["items"]
            played = set(strings([entry.get("move") for entry in news]))
            kept = (hidden(before, name) & hidden(now, name)) - played
            assert not set(strings(news)) & kept, name
            if status == "running":
                record = viewer.get(f"{path}/record").json
                assert record["entries"][version:] == news
                assert record["seed"] is None
                assert not {"seed", "position"} & set(strings(record["entries"]))
        before, version = now, done["game"]["version"]


def test_the_seed_is_shown_when_the_game_is_over_and_not_before(
    host: Caller, auditor: Caller, four: list[Caller]
) -> None:
    game = new_game(host, four[:2])
    path = f"/v1/games/{game['id']}"
    told = [auditor.get(path).text, auditor.get(f"{path}/record").text, auditor.get(f"{path}/events").text]
    assert four[0].post(f"{path}/resignation").status_code == 201
    seed = host.get(f"{path}/record").json["seed"]
    assert len(seed) == 64
    assert not any(seed in text for text in told)


def least(schema: dict[str, Any]) -> Any:
    """The smallest value that a schema accepts, roughly."""
    if "$ref" in schema:
        return least(strict()["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]])
    for kind in ("oneOf", "anyOf"):
        if kind in schema:
            return least(schema[kind][0])
    if "const" in schema or "enum" in schema:
        return schema.get("const", schema.get("enum", [None])[0])
    kind = schema.get("type", "null")
    if kind == "object":
        return {name: least(schema["properties"][name]) for name in schema.get("required", [])}
    if kind == "array":
        return [least(schema["items"])] * schema.get("minItems", 0)
    return {"string": "x" * schema.get("minLength", 1), "integer": 0, "boolean": True}.get(kind)


def test_another_players_ids_open_nothing(host: Caller, four: list[Caller]) -> None:
    """Every operation of the specification whose path names something, called by who has no part in it."""
    game = new_game(host, four[:3])
    key = host.get("/v1/keys").json["items"][0]["id"]
    token = host.get(f"/v1/players/{four[0].player}/tokens").json["items"][0]["id"]
    names = {"game": game["id"], "player": four[0].player, "key": key, "token": token, "seat": 0}
    public = {"ruleset"}
    tried = 0
    for path, item in strict()["paths"].items():
        for method in METHODS:
            declared = item.get(method)
            wanted = [p["name"] for p in (declared or {}).get("parameters", []) if p.get("in") == "path"]
            if not wanted or public & set(wanted):
                continue
            unknown = set(wanted) - names.keys()
            ids = {**names, **dict.fromkeys(unknown, game["id"])}
            body = declared.get("requestBody")
            sent = least(body["content"]["application/json"]["schema"]) if body else None
            answer = four[3](method.upper(), path.format(**ids), sent)
            assert answer.status_code in (403, 404), (method, path, answer.status_code, answer.text)
            tried += 1
    assert tried > 15
    assert host.get(f"/v1/games/{game['id']}").json["version"] == game["version"]
    assert host.get("/v1/keys").json["items"][0]["revoked_at"] is None
