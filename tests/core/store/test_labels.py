"""Labels of players, games and webhooks: an app's own ids, titles, key-value pairs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.callers import Caller, first_move, new_game, play_on
from tests.support.node import ask, failures

URL = "https://example.org/hook"
OPEN_GAME = {"ruleset": "cats_and_dogs", "seats": [{"open": True}] * 3}
MAKES = {
    "/v1/players": {"name": "Anna"},
    "/v1/games": OPEN_GAME,
    "/v1/webhooks": {"url": URL},
}
everywhere = pytest.mark.parametrize(("path", "body"), MAKES.items(), ids=["players", "games", "webhooks"])


@everywhere
def test_labels_are_given_shown_changed_and_found_by(path: str, body: Any, host: Caller) -> None:
    labels = {"external_id": "mine/1", "metadata": {"league": "north", "note": "a: b\nc"}}
    made = host.post(path, {**body, **labels})
    assert made.status_code == 201, made.text
    one = f"{path}/{made.json['id']}"
    other = host.post(path, body).json
    assert (other["external_id"], other["metadata"]) == (None, {})
    assert {name: host.get(one).json[name] for name in labels} == labels
    found = host.get(f"{path}?external_id=mine/1").json["items"]
    assert [item["id"] for item in found] == [made.json["id"]]
    assert host.get(f"{path}?external_id=mine/2").json["items"] == []
    assert host.get(f"{path}?metadata=league:north").status_code == 400
    changed = host("PATCH", one, {"metadata": {"league": None, "cup": "2026", "note": ""}})
    assert changed.status_code == 200, changed.text
    assert (changed.json["metadata"], changed.json["external_id"]) == ({"cup": "2026"}, "mine/1")
    assert host("PATCH", one, {"metadata": None, "external_id": None}).json["metadata"] == {}
    assert host.get(f"{path}?external_id=mine/1").json["items"] == []
    assert host.get(one).json["external_id"] is None
    assert host.get(path).json["items"][-1]["metadata"] == {}


@everywhere
def test_a_change_can_name_the_etag_that_it_is_based_on(path: str, body: Any, host: Caller) -> None:
    one = f"{path}/{host.post(path, body).json['id']}"
    before = host.get(one).headers["ETag"]

    def change(value: str, etag: str) -> Any:
        return host("PATCH", one, {"metadata": {"note": value}}, headers={"If-Match": etag})

    first = change("first", f'W/{before[:-1]}-gzip"')  # as a proxy passes it on
    assert (first.status_code, first.headers["ETag"]) == (200, host.get(one).headers["ETag"])
    stale = change("second", before)
    assert (stale.status_code, stale.json["type"]) == (412, "/problems/object-changed")
    assert host.get(one).json["metadata"] == {"note": "first"}
    assert change("second", f'"0-none", {first.headers["ETag"]}').status_code == 200
    assert change("third", "*").status_code == 200
    assert change("fourth", "no etag").status_code == 400
    assert host("PATCH", one, {"metadata": {"note": "fifth"}}).status_code == 200


@everywhere
def test_an_external_id_is_unique_within_its_app(
    path: str, body: Any, host: Caller, new_key: Callable[..., Caller]
) -> None:
    first = host.post(path, {**body, "external_id": "7"}).json
    second = host.post(path, body).json
    taken = host.post(path, {**body, "external_id": "7"})
    assert (taken.status_code, taken.json["type"]) == (409, "/problems/external-id-taken")
    assert taken.json["conflicts_with"] == first["id"]
    assert len(host.get(path).json["items"]) == 2
    refused = host("PATCH", f"{path}/{second['id']}", {"external_id": "7", "metadata": {"a": "b"}})
    assert (refused.status_code, refused.json["conflicts_with"]) == (409, first["id"])
    assert host.get(f"{path}/{second['id']}").json["metadata"] == {}
    assert new_key("other", "read", "write").post(path, {**body, "external_id": "7"}).status_code == 201
    assert host("PATCH", f"{path}/{first['id']}", {"external_id": "8"}).status_code == 200
    assert host.post(path, {**body, "external_id": "7"}).status_code == 201


@everywhere
@pytest.mark.parametrize(
    "wrong",
    [
        {"external_id": ""},
        {"external_id": "a b"},
        {"external_id": "x" * 201},
        {"external_id": 7},
        {"metadata": []},
        {"metadata": {"a": 1}},
        {"metadata": {"a" * 41: "b"}},
        {"metadata": {"": "b"}},
        {"metadata": {"a:b": "c"}},
        {"metadata": {"a\u0007": "c"}},
        {"metadata": {"a\n": "c"}},
        {"metadata": {"caf\u00e9": "c", "cafe\u0301": "d"}},
        {"metadata": {"a": "b" * 501}},
        {"metadata": {"a": {"b": "c"}}},
        {"metadata": {"a": "\u0000"}},
        {"metadata": {str(n): "x" for n in range(51)}},
    ],
)
def test_invalid_labels(path: str, body: Any, wrong: dict[str, Any], host: Caller) -> None:
    assert host.post(path, {**body, **wrong}).status_code == 400


@everywhere
def test_keys_that_look_alike_are_the_same_key(path: str, body: Any, host: Caller) -> None:
    """Keys are stored and changed in NFC, whichever Unicode form a program sends."""
    made = host.post(path, {**body, "metadata": {"cafe\u0301 1": "a", "\u212bngstro\u0308m": "b"}}).json
    one = f"{path}/{made['id']}"
    assert (
        made["metadata"] == host.get(one).json["metadata"] == {"caf\u00e9 1": "a", "\u00c5ngstr\u00f6m": "b"}
    )
    changed = host("PATCH", one, {"metadata": {"cafe\u0301 1": "c", "A\u030angstro\u0308m": None}}).json
    assert changed["metadata"] == {"caf\u00e9 1": "c"}


@everywhere
@pytest.mark.parametrize("key", ["a", "two words", "\u0421\u0442\u043e\u043b", "\u5bff\u53f8", "x" * 40])
def test_valid_keys(path: str, body: Any, key: str, host: Caller) -> None:
    made = host.post(path, {**body, "metadata": {key: "a"}})
    assert (made.status_code, made.json["metadata"]) == (201, {key: "a"}), made.text


def test_fifty_keys_and_no_more(host: Caller) -> None:
    full = {str(n): "x" for n in range(50)}
    player = host.post("/v1/players", {"name": "Anna", "metadata": full}).json
    path = f"/v1/players/{player['id']}"
    refused = host("PATCH", path, {"metadata": {"more": "x"}})
    assert (refused.status_code, list(refused.json["errors"])) == (400, ["metadata"])
    assert host("PATCH", path, {"metadata": {"more": "x", "0": None}}).status_code == 200


def test_the_title_is_for_everybody_and_the_rest_for_the_app(
    host: Caller, four: list[Caller], auditor: Caller, anyone: Caller, new_key: Callable[..., Caller]
) -> None:
    labels = {"external_id": "g1", "metadata": {"stake": "secret"}}
    game = new_game(host, four, visibility="public", title="Final, table 1", **labels)
    path = f"/v1/games/{game['id']}"
    for viewer in (host, auditor):
        assert viewer.get(path).json["external_id"] == "g1"
    for viewer in (four[0], anyone, new_key("other", "read", "write")):
        for answer in (
            viewer.get(path),
            viewer.get("/v1/games?visibility=public"),
            viewer.get(f"{path}/record"),
        ):
            assert "secret" not in answer.text
            assert "external_id" not in answer.text
            assert "Final, table 1" in answer.text
    assert "secret" not in four[0].get(f"/v1/players/{four[0].player}").text
    assert four[0].get("/v1/games?external_id=g1").status_code == 403
    assert anyone.get("/v1/games?external_id=g1").status_code == 403
    assert host.get("/v1/games?visibility=public&external_id=g1").status_code == 403
    assert four[0]("PATCH", path, {"title": "mine"}).status_code == 403
    assert new_key("third", "read", "write")("PATCH", path, {"title": "mine"}).status_code in (403, 404)
    seat = game["to_act"][0]
    assert [turn["title"] for turn in four[seat].get("/v1/me/turns").json["items"]] == ["Final, table 1"]
    moved = host.post(f"{path}/moves", {"seat": seat, "move": first_move(four[seat], game)})
    assert moved.json["game"]["metadata"] == {"stake": "secret"}


def test_changing_labels_does_not_change_the_game(host: Caller, four: list[Caller]) -> None:
    game = new_game(host, four)
    path = f"/v1/games/{game['id']}"
    before = host.get(path)
    changed = host("PATCH", path, {"title": "New", "metadata": {"a": "b"}})
    assert changed.json == {**before.json, "title": "New", "metadata": {"a": "b"}}
    # The version stays the same but the content does not: a cache must not keep the old answer.
    assert changed.headers["ETag"] != before.headers["ETag"]
    assert host.get(path, headers={"If-None-Match": before.headers["ETag"]}).status_code == 200
    assert host.get(path, headers={"If-None-Match": changed.headers["ETag"]}).status_code == 304
    seat = game["to_act"][0]
    move = {"seat": seat, "move": first_move(four[seat], game)}
    done = host.post(f"{path}/moves", move, headers={"If-Match": before.headers["ETag"]})
    assert done.status_code == 201


def test_records_carry_labels_and_verify(
    host: Caller, four: list[Caller], new_key: Callable[..., Caller]
) -> None:
    labels = {"external_id": "g1", "metadata": {"cup": "2026"}, "title": "Final"}
    game = new_game(host, four, **labels)
    play_on(four, game)
    record = host.get(f"/v1/games/{game['id']}/record").json
    assert {name: record[name] for name in labels} == labels
    assert failures(*ask([record])) == {}  # the page's verifier
    assert host.post("/v1/referee/replays", record).json["ok"]
    elsewhere = new_key("other", "read", "write")
    assert host.get(f"/v1/games/{game['id']}/verification").json["ok"]
    assert elsewhere.get(f"/v1/games/{game['id']}").status_code == 404
