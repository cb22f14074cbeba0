"""Several games with one request and one Idempotency-Key: all of them, or none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.support.callers import Caller

HEADERS = {"Idempotency-Key": "round-1"}


def game(*players: Caller, **more: Any) -> dict[str, Any]:
    return {"ruleset": "cats_and_dogs", "seats": [{"player": one.player} for one in players], **more}


def test_games_are_created_together_and_once(host: Caller, four: list[Caller]) -> None:
    wanted = {"games": [game(*four[:2], external_id="t1"), game(*four[2:], title="Table 2")]}
    made = host.post("/v1/games/bulk", wanted, headers=HEADERS)
    assert made.status_code == 201, made.text
    first, second = made.json["items"]
    assert (first["external_id"], second["title"]) == ("t1", "Table 2")
    assert first["status"] == second["status"] == "running"
    again = host.post("/v1/games/bulk", wanted, headers=HEADERS)
    assert (again.json, again.headers["Idempotency-Replayed"]) == (made.json, "true")
    assert len(host.get("/v1/games").json["items"]) == 2
    assert host.get(f"/v1/games/{second['id']}/verification").json["ok"]


def test_bots_begin_later(host: Caller, worker: Callable[[], None]) -> None:
    bots = {"ruleset": "cats_and_dogs", "seats": [{"bot": "random"}] * 2}
    made = host.post("/v1/games/bulk", {"games": [bots, bots]}).json["items"]
    assert [one["status"] for one in made] == ["running"] * 2
    worker()
    assert {host.get(f"/v1/games/{one['id']}").json["status"] for one in made} == {"finished"}


def test_if_one_cannot_be_created_none_is(host: Caller, four: list[Caller]) -> None:
    good = game(*four[:2])
    known = host.post("/v1/games", {**good, "external_id": "taken"}).json["id"]

    def refused(bad: dict[str, Any], status: int) -> dict[str, Any]:
        done = host.post("/v1/games/bulk", {"games": [good, bad]}, headers=HEADERS)
        assert done.status_code == status, done.text
        assert len(host.get("/v1/games").json["items"]) == 1
        shown: dict[str, Any] = done.json
        return shown

    assert next(iter(refused({**good, "options": {"x": 1}}, 422)["errors"])).startswith("games.1.")
    assert [*refused(game(*four[:1], *four[:1], distinct_players=True), 400)["errors"]] == [
        "games.1.seats.1.player"
    ]
    assert refused({**good, "external_id": "taken"}, 409)["conflicts_with"] == known
    stranger = {"player": "018f0000-0000-7000-8000-000000000000"}
    assert "games.1" in refused({**good, "seats": [stranger, stranger]}, 422)["detail"]
    hook = {"url": "https://example.org/"}
    assert [*refused({**good, "webhook": hook}, 400)["errors"]] == ["games.1.webhook"]
    same = host.post("/v1/games/bulk", {"games": [{**good, "external_id": "a"}] * 2})
    assert same.status_code == 400
    assert host.post("/v1/games/bulk", {"games": []}).status_code == 400
    assert four[0].post("/v1/games/bulk", {"games": [good]}).status_code == 403
    assert host.post("/v1/games/bulk", {"games": [good]}, headers=HEADERS).status_code == 201
