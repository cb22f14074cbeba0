"""A game whose row cannot be read breaks no list: the others are shown, and of it what can be said."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any
from uuid import UUID

import psycopg
import pytest
from flask import Flask

from api.app import create_app
from api.core.config import Settings
from api.features.specification.specification import spec
from tests.support.callers import Caller, new_game

SEALED_UNDER_A_LOST_KEY = "\\x01" + 60 * "aa"
DAMAGES = {
    "seed": SEALED_UNDER_A_LOST_KEY,
    "options": '{"must_play": ',
    "sitting": "[]",
    "seats": "null",
}
PACE = {"per_move": "PT72H", "on_timeout": "random_move", "vacation_days": 9}
MORE = {"position": "nonsense", "pace": "{", "result": "{"}
WHOLE = ("options", "seats", "pace", "result", "to_act", "paused", "dealing", "imported_by", "unreadable")


def damage(sql: psycopg.Connection, game: dict[str, Any], column: str) -> None:
    changed = {**DAMAGES, **MORE}[column]
    sql.execute(f"UPDATE games SET {column} = %s WHERE id = %s", (changed, game["id"]))  # type: ignore[call-overload]
    if column == "seed":
        sealed = {"sealed": SEALED_UNDER_A_LOST_KEY, "game": game["id"]}
        sql.execute("UPDATE games SET position = %(sealed)s WHERE id = %(game)s", sealed)
        sql.execute("SET session_replication_role = replica")
        sql.execute("UPDATE entries SET private = %(sealed)s WHERE game_id = %(game)s", sealed)
        sql.execute("RESET session_replication_role")


@pytest.mark.parametrize("column", DAMAGES)
def test_lists_go_on_beside_a_game_that_cannot_be_read(
    app: Flask, host: Caller, auditor: Caller, four: list[Caller], sql: psycopg.Connection, column: str
) -> None:
    games = [new_game(host, four[:2], visibility="public", title=name) for name in ("one", "two", "three")]
    lost = games[1]
    for_anna = {"Card-Referee-Player": str(four[0].player)}
    damage(sql, lost, column)
    lists = [
        ("/v1/games", [host, auditor, four[0]]),
        ("/v1/games?status=running&sort=created_at", [host, four[0]]),
        ("/v1/games?visibility=public", [Caller(app), host, four[2]]),
    ]
    for path, callers in lists:
        for caller in callers:
            items = {item["id"]: item for item in listed(caller, path)}
            assert items.keys() == {game["id"] for game in games}
            shown = items[lost["id"]]
            assert shown["unreadable"] is True
            same = shown.keys() - {*WHOLE}
            assert {name: shown[name] for name in same} == {name: lost.get(name) for name in same} | {
                "updated_at": shown["updated_at"]
            }
            assert "invite" not in shown
            assert all("unreadable" not in items[game["id"]] for game in (games[0], games[2]))
    assert listed(host, "/v1/games", headers=for_anna)
    assert {turn["game"] for turn in listed(four[lost["to_act"][0]], "/v1/me/turns")} >= {lost["id"]}
    told = [{entry["game"] for entry in listed(each, "/v1/events?limit=200")} for each in (host, auditor)]
    assert told == [{game["id"] for game in games}] * 2
    seen = {entry["game"] for entry in listed(four[0], "/v1/events?limit=200")}
    assert {games[0]["id"], games[2]["id"]} <= seen
    refused = host.get(f"/v1/games/{lost['id']}")
    assert (refused.status_code, refused.json["type"]) == (409, "/problems/game-unreadable")
    assert host.get(f"/v1/games/{games[0]['id']}").status_code == 200


@pytest.mark.parametrize("column", [*DAMAGES, *MORE])
@pytest.mark.parametrize("over", [False, True])
def test_every_operation_says_that_a_game_cannot_be_read(
    host: Caller, auditor: Caller, four: list[Caller], sql: psycopg.Connection, column: str, over: bool
) -> None:
    """Or answers as if nothing had happened, but never with an error of the server."""
    lost = new_game(host, four[:2], visibility="public", pace=PACE)
    if over:
        assert four[0].post(f"/v1/games/{lost['id']}/resignation").status_code == 201
    damage(sql, lost, column)
    specification = spec()
    for path, methods in specification["paths"].items():
        for method, operation in methods.items():
            if path.startswith("/v1/games/{game}") and "operationId" in operation:
                body = example_body(operation)
                address = path.replace("{game}", lost["id"]).replace("{seat}", "0")
                address = re.sub(r"{\w+}", lost["id"], address) + query_of(specification, operation)
                for caller in (host, auditor, four[0], four[2]):
                    for headers in ({}, {"If-None-Match": '"1"', "If-Match": "*"}):
                        answer = caller(method.upper(), address, body, headers=headers)
                        assert answer.status_code < 500, (method, path, answer.text)


def test_who_repeats_the_creation_of_a_game_learns_that_it_cannot_be_read(
    host: Caller, four: list[Caller], sql: psycopg.Connection
) -> None:
    over = new_game(host, four[:2])
    assert four[0].post(f"/v1/games/{over['id']}/resignation").status_code == 201
    record = host.get(f"/v1/games/{over['id']}/record").json
    sql.execute("UPDATE games SET commitment = NULL")  # as if the record were from another server
    seats = [{"bot": "random"}, {"bot": "random"}]
    created = [
        ("/v1/games", {"ruleset": "cats_and_dogs", "seats": seats}),
        (f"/v1/games/{over['id']}/rematch", {}),
        ("/v1/records", record),
    ]
    for path, body in created:
        once = {"Idempotency-Key": path.replace("/", "-")}
        made = host.post(path, body, headers=once)
        assert made.status_code == 201, made.text
        damage(sql, made.json, "sitting")
        again = host.post(path, body, headers=once)
        assert (again.status_code, again.json["type"]) == (409, "/problems/game-unreadable")


@pytest.mark.parametrize("rest", ["", "/verification", "/record", "/legal-moves"])
def test_a_database_that_does_not_answer_makes_no_game_unreadable(
    host: Caller, four: list[Caller], monkeypatch: pytest.MonkeyPatch, rest: str
) -> None:
    game = new_game(host, four[:2])

    def gone(*given: Any, **more: Any) -> None:
        raise psycopg.OperationalError("gone")

    monkeypatch.setattr("api.store.games.stored", gone)
    monkeypatch.setattr("api.store.write.get_marked", gone)
    refused = four[game["to_act"][0]].get(f"/v1/games/{game['id']}{rest}")
    assert (refused.status_code, refused.json["type"]) == (503, "/problems/database-unavailable")


def test_feeds_go_on_beside_a_name_that_cannot_be_read(
    host: Caller, auditor: Caller, four: list[Caller], sql: psycopg.Connection
) -> None:
    lost, other = (new_game(host, four[:2]) for _ in range(2))
    sql.execute("UPDATE words SET share = '{' WHERE game_id = %s", (lost["id"],))
    for caller in (host, auditor, four[0]):
        assert {entry["game"] for entry in listed(caller, "/v1/events?limit=200")} == {
            lost["id"],
            other["id"],
        }
        assert len(listed(caller, f"/v1/games/{lost['id']}/events")) == lost["version"]
        assert caller.get(f"/v1/games/{lost['id']}/record").json["names"] == {}
    assert not host.get(f"/v1/games/{lost['id']}/verification").json["ok"]


def example_body(operation: dict[str, Any]) -> Any:
    """Return a body that an operation accepts; None if it takes none."""
    content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    examples = [each["value"] for each in content.get("examples", {}).values()]
    return content.get("example", examples[0] if examples else {}) if content else None


def query_of(specification: dict[str, Any], operation: dict[str, Any]) -> str:
    """Return the query that an operation needs."""
    needed = [each for each in operation["parameters"] if each.get("in") == "query" and each.get("required")]
    return "?" * bool(needed) + "&".join(f"{each['name']}=0" for each in needed)


def listed(caller: Caller, path: str, **more: Any) -> list[dict[str, Any]]:
    answer = caller.get(path, **more)
    assert answer.status_code == 200, answer.text
    items: list[dict[str, Any]] = answer.json["items"]
    return items


def test_a_seat_of_a_game_that_cannot_be_read_is_offered_without_codes(
    host: Caller, sql: psycopg.Connection
) -> None:
    seats = [{"open": True}, {"open": True}]
    made = host.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": seats}).json
    assert "invite" in listed(host, "/v1/games")[0]
    damage(sql, made, "seed")
    (shown,) = listed(host, "/v1/games?status=open")
    assert [seat["open"] for seat in shown["seats"]] == [True, True]
    assert "invite" not in str(shown)
    assert UUID(shown["id"]) == UUID(made["id"])


def test_an_app_that_acts_for_a_player_lists_games_in_which_only_players_act(
    host: Caller, four: list[Caller]
) -> None:
    new_game(host, four[:2], seats_private=True)
    other = new_game(host, four[:2])
    for_anna = {"Card-Referee-Player": str(four[0].player)}
    assert {game["id"] for game in listed(host, "/v1/games", headers=for_anna)} >= {other["id"]}


def test_invitations_are_listed_beside_one_to_a_game_that_cannot_be_read(
    settings: Settings, sql: psycopg.Connection
) -> None:
    app = create_app(replace(settings, guests=True))
    anna, ben = guest(app, "Anna"), guest(app, "Ben")
    seats, made = [{"player": anna.player}, {"open": True}], []
    for _ in range(2):
        game = anna.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": seats}).json
        seat = {"invite": game["seats"][1]["invite"]}
        assert ben.put(f"/v1/games/{game['id']}/seats/1", seat).status_code == 200
        assert anna.post(f"/v1/games/{game['id']}/resignation").status_code == 201
        again = anna.post(f"/v1/games/{game['id']}/rematch")
        assert again.status_code == 201, again.text
        made.append(again.json)
    before = listed(ben, "/v1/me/invitations")
    assert len(before) == 2
    damage(sql, made[0], "seed")
    items = listed(ben, "/v1/me/invitations")
    for name in ("id", "status", "seats", "options"):
        assert [each["game"][name] for each in items] == [each["game"][name] for each in before]
    assert [each["game"].get("unreadable") for each in items] == [None, True]
    damage(sql, made[0], "sitting")
    assert [each["game"]["id"] for each in listed(ben, "/v1/me/invitations")] == [made[1]["id"]]
    app.extensions["card_referee"].database.close()


def guest(app: Flask, name: str) -> Caller:
    made = Caller(app).post("/v1/guests", {"name": name}).json
    return Caller(app, made["token"], made["player"]["id"])
