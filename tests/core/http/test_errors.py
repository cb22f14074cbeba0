"""Every undeclared input is refused with a problem, never with a traceback."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from flask import Flask

from api.app import create_app
from api.core.config import Settings
from api.store.database import session
from api.store.database.connections import SILENCE
from tests.support.callers import Caller, Clock, first_move, new_game
from tests.support.contract import JSON, problem


@pytest.mark.parametrize(
    "body",
    [
        "",
        "{",
        "[]",
        "null",
        '{"name": "a", "name": "b"}',
        '{"name": NaN}',
        '{"name": 1e999}',
        '{"name": "\\ud800"}',
        '{"name": "a\\u0000b"}',
        '{"name": ' + "[" * 1000 + "]" * 1000 + "}",
        '{"name": ' + "9" * 5000 + "}",
        '{"name": "\xff"}'.encode("latin-1"),
        '{"name": ""}',
        '{"name": "' + "x" * 101 + '"}',
        '{"name": 5}',
        '{"name": null}',
        '{"name": ["a"]}',
        '{"name": "a", "extra": 1}',
        "{}",
    ],
)
def test_invalid_bodies_of_players(host: Caller, body: str | bytes) -> None:
    answer = host("POST", "/v1/players", data=body, headers=JSON)
    assert problem(answer, 400, "malformed-request")["errors"]
    assert host.get("/v1/players").json["items"] == []


@pytest.mark.parametrize(
    ("wanted", "status", "field"),
    [
        ({"ruleset": "chess"}, 400, "ruleset"),
        ({"seats": [{"bot": "random"}] * 7}, 400, "seats"),
        ({"options": {"speed": 1}}, 422, "options.speed"),
        ({"pace": {"per_move": "PT0.5S"}}, 400, "pace.per_move"),
        ({"seats": []}, 400, "seats"),
        ({"seats": [{}] * 3}, 400, "seats.0"),
        ({"seats": [{"open": False}] * 3}, 400, "seats.0.open"),
        ({"seats": [{"open": 1}] * 3}, 400, "seats.0.open"),
        ({"seats": [{"bot": "deep"}] * 3}, 400, "seats.0.bot"),
        ({"seats": [{"open": True, "bot": "random"}] * 3}, 400, "seats.0"),
        ({"seats": [{"open": True, "entropy": "x"}] * 3}, 400, "seats.0.entropy"),
        ({"seats": [{"player": "anna"}] * 3}, 400, "seats.0.player"),
        ({"seats": "three"}, 400, "seats"),
        ({"options": []}, 400, "options"),
        ({"visibility": "secret"}, 400, "visibility"),
        ({"pace": {}}, 400, "pace.per_move"),
        ({"pace": {"permove": "PT1H"}}, 400, "pace.permove"),
        ({"pace": {"per_move": "72h"}}, 400, "pace.per_move"),
        ({"pace": {"per_move": "PT0S"}}, 400, "pace.per_move"),
        ({"pace": {"per_move": "P1Y"}}, 400, "pace.per_move"),
        ({"pace": {"per_move": "PT1H", "on_timeout": "cry"}}, 400, "pace.on_timeout"),
        ({"speed": 1}, 400, "speed"),
    ],
)
def test_invalid_bodies_of_games(host: Caller, wanted: dict[str, Any], status: int, field: str) -> None:
    base = {"ruleset": "cats_and_dogs", "seats": [{"bot": "random"}] * 3}
    answer = host.post("/v1/games", {**base, **wanted})
    slug = {400: "malformed-request", 422: "invalid-options"}[status]
    refused = problem(answer, status, slug)
    assert field in refused["errors"]
    assert refused["detail"].startswith(f"{field}: ")
    assert host.get("/v1/games").json["items"] == []


@pytest.mark.parametrize(
    "query",
    [
        "limit=0",
        "limit=201",
        "limit=ten",
        "limit=1&limit=2",
        "limit=1.0",
        "limit=",
        "page=2",
        "cursor=",
        "cursor=%00",
        "cursor=abc",
        "status=lost",
        "ruleset=%00",
        "ruleset=pies%00",
        "player=me",
        "created_after=yesterday",
        "created_after=2026-13-01T00:00:00Z",
        "=",
    ],
)
def test_invalid_queries(host: Caller, query: str) -> None:
    problem(host.get(f"/v1/games?{query}"), 400, "malformed-request")


WRONG = 5_000  # members or elements that are all wrong


@pytest.mark.parametrize(
    ("path", "wanted", "named"),
    [
        ("/v1/games", {"ruleset": "pies", "seats": [{"bot": 1}] * WRONG}, "seats"),
        ("/v1/keys", {"scopes": [1] * WRONG}, "scopes"),
        ("/v1/webhooks", {"url": "https://1.1.1.1/", "events": [1] * WRONG}, "events"),
        ("/v1/players", {f"no{n}": n for n in range(WRONG)}, "no0"),
        ("/v1/games", {"ruleset": "pies", "seats": [{f"no{n}": n for n in range(WRONG)}]}, "seats.0.no0"),
        ("/v1/referee/verdicts", {"position": {}, "seat": 0, "move": {}, "chance": [1] * WRONG}, "chance.0"),
    ],
)
def test_the_number_of_reported_errors_is_limited(
    host: Caller, new_key: Callable[..., Caller], path: str, wanted: dict[str, Any], named: str
) -> None:
    """Looking for all of them would delay everybody else."""
    caller = new_key("default", "keys") if path == "/v1/keys" else host
    errors = problem(caller.post(path, wanted), 400, "malformed-request")["errors"]
    assert named in errors
    assert len(errors) <= 100


def test_queries_of_operations_without_parameters(host: Caller) -> None:
    problem(host.get("/v1/me?a=1"), 400, "malformed-request")
    problem(host.post("/v1/players?dry_run=true", {"name": "x"}), 400, "malformed-request")


@pytest.mark.parametrize("header", ['"17', "'17'", "", '"1" "2"', "W/17", "17.0", "-1", "x"])
def test_if_match_is_read_strictly(host: Caller, four: list[Caller], header: str) -> None:
    game = new_game(host, four[:3])
    mover = four[game["to_act"][0]]
    path, move = f"/v1/games/{game['id']}/moves", {"move": first_move(mover, game)}
    answer = mover.post(path, move, headers={"If-Match": header})
    assert "If-Match" in problem(answer, 400, "malformed-request")["errors"]
    assert mover.post(path, move, headers={"If-Match": '"x", W/"4"'}).status_code == 412
    assert mover.post(path, move, headers={"If-Match": f'"1", "{game["version"]}"'}).status_code == 201


def test_invalid_tokens(anyone: Caller) -> None:
    for header in ("Bearer nonsense", "Basic YTpi", "Bearer", "Bearer ", "nonsense", "", "Bearer é"):
        answer = anyone.get("/v1/rulesets", headers={"Authorization": header.encode().decode("latin-1")})
        problem(answer, 401, "unauthorized")
        assert answer.headers["WWW-Authenticate"] == "Bearer"
    problem(anyone.get("/v1/me"), 401, "unauthorized")
    problem(anyone.post("/v1/games", {"nonsense": 1}), 401, "unauthorized")


def test_errors_of_the_protocol(host: Caller) -> None:
    problem(host.get("/v1/nothing"), 404, "not-found")
    problem(host.get("/v1/games/not-an-id"), 404, "not-found")
    problem(host.get("/v1/games/"), 404, "not-found")
    wrong = host.put("/v1/players")
    problem(wrong, 405, "method-not-allowed")
    assert set(wrong.headers["Allow"].split(", ")) >= {"GET", "POST"}
    problem(host.get("/v1/me", headers={"Accept": "text/html"}), 406, "not-acceptable")
    assert host.get("/v1/me", headers={"Accept": "text/html, application/json;q=0.5"}).status_code == 200
    form = host("POST", "/v1/players", data='{"name": "x"}', headers={"Content-Type": "text/plain"})
    assert [*problem(form, 415, "unsupported-media-type")["errors"]] == ["Content-Type"]
    untyped = host("POST", "/v1/players", data='{"name": "x"}')
    problem(untyped, 415, "unsupported-media-type")
    big = host("POST", "/v1/players", data='{"name": "' + "x" * 300_000 + '"}', headers=JSON)
    problem(big, 413, "content-too-large")
    token = host("POST", f"/v1/players/{host.post('/v1/players', {'name': 'x'}).json['id']}/tokens")
    assert token.status_code == 201, "a body whose members are all optional may be left out"


def test_any_json_as_a_move(host: Caller, four: list[Caller]) -> None:
    game = new_game(host, four[:3])
    path, mover = f"/v1/games/{game['id']}/moves", four[game["to_act"][0]]
    for move in (None, 5, "play", [], True):
        problem(mover.post(path, {"move": move}), 400, "malformed-request")
    for move in (
        {},
        {"type": None},
        {"type": "play"},
        {"type": "play", "card": 5},
        {"type": "play", "card": "C1", "x": 1},
        {"type": "play", "card": "x" * 100_000},
        {"type": "play", "card": ["C1"] * 10_000},
        {"type": "play", "card": 10**400},
    ):
        answer = problem(mover.post(path, {"move": move}), 422, "illegal-move")
        assert answer["verdict"]["rule"] in ("common.unknown_move", "common.not_held")
        assert len(answer["detail"]) < 1000
    for move, field in (
        ({}, "type"),
        ({"type": "play"}, "card"),
        ({"type": "play", "card": 5}, "card"),
        ({"type": "play", "card": "C1", "x": 1}, "x"),
    ):
        answer = problem(mover.post(path, {"move": move}), 422, "illegal-move")
        assert answer["errors"].keys() == {f"move.{field}"}
        assert answer["detail"].startswith(f"move.{field}: ")
    for seat in (-1, 1.5, "0", True, 10**30, len(game["seats"]), 15):
        for caller in (mover, host):
            problem(caller.post(path, {"move": {}, "seat": seat}), 400, "malformed-request")
    for caller in (mover, host):
        for seat in ("-1", "1.5", str(len(game["seats"]))):
            legal = caller.get(f"/v1/games/{game['id']}/legal-moves?seat={seat}")
            problem(legal, 400, "malformed-request")
    assert host.get(f"/v1/games/{game['id']}").json["version"] == game["version"]


def test_a_database_that_is_away_is_503(
    settings: Settings, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session.Database.__init__, "__defaults__", (0.2, SILENCE))
    away = replace(settings, database_url="postgresql+psycopg://nobody@127.0.0.1:9/nothing")
    caller = Caller(create_app(away, clock=clock), "crp_whatever")
    answer = caller.get("/v1/me")
    problem(answer, 503, "database-unavailable")
    assert int(answer.headers["Retry-After"]) > 0
    problem(Caller(caller.app).get("/readyz"), 503, "database-unavailable")
    assert Caller(caller.app).get("/healthz").json == {"status": "ok"}


def test_an_internal_error_shows_no_traceback(
    host: Caller, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from api.callers import players

    def fail(*given: object) -> None:
        raise RuntimeError("the secret is 42")

    monkeypatch.setattr(players, "me", fail)
    answer = host.app.test_client().get("/v1/me", headers={"Authorization": f"Bearer {host.token}"})
    assert answer.json["type"] == "/problems/internal-error"
    assert "42" not in answer.text
    assert "RuntimeError" in caplog.text


def test_no_answer_names_what_is_private(host: Caller, new_key: Callable[..., Caller]) -> None:
    stranger = new_key("stranger", "read", "write", "audit")
    player = host.post("/v1/players", {"name": "Anna"}).json["id"]
    game = host.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": [{"player": player}]}).json["id"]
    nobody = "01a1fd00-0000-7000-8000-000000000000"
    for there, none in (
        (f"/v1/players/{player}", f"/v1/players/{nobody}"),
        (f"/v1/games/{game}", f"/v1/games/{nobody}"),
        (f"/v1/games/{game}/events", f"/v1/games/{nobody}/events"),
        (f"/v1/games/{game}/record", f"/v1/games/{nobody}/record"),
    ):
        found, missing = stranger.get(there), stranger.get(none)
        problem(found, 404, "not-found")
        assert found.text.replace(player, nobody).replace(game, nobody) == missing.text


def test_a_full_disk_is_named_and_ends_readiness_for_a_while(
    host: Caller, anyone: Caller, sql: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = "DO $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$"
    monkeypatch.setattr("api.store.database.session.TAKE_SPACE", full)
    sql.execute(
        "CREATE FUNCTION no_space() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        " RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$;"
        " CREATE TRIGGER no_space BEFORE INSERT ON players EXECUTE FUNCTION no_space()"
    )
    assert anyone.get("/readyz").status_code == 200
    refused = host.post("/v1/players", {"name": "Anna"})
    problem(refused, 503, "database-unavailable")
    assert refused.json["detail"] == "The disk of the database is full. Nothing was changed."
    assert int(refused.headers["Retry-After"]) > 0
    ready = anyone.get("/readyz")
    problem(ready, 503, "database-unavailable")
    assert "disk" in ready.json["detail"]
    assert host.get("/v1/players").json["items"] == []  # reading still works
    sql.execute("DROP TRIGGER no_space ON players")
    assert host.post("/v1/players", {"name": "Anna"}).status_code == 201, "there was room for this one"
    problem(anyone.get("/readyz"), 503, "database-unavailable")
    monkeypatch.undo()
    assert anyone.get("/readyz").status_code == 200


@pytest.mark.parametrize("path", ["//v1/games", "/v1//games", "/v1/games/", "//", "//healthz"])
def test_an_address_with_slashes_too_many_does_not_exist(app: Flask, host: Caller, path: str) -> None:
    headers = {"Authorization": f"Bearer {host.token}"}
    answer = app.test_client().get("/v1/games", headers=headers, environ_overrides={"PATH_INFO": path})
    assert (answer.status_code, answer.json["type"]) == (404, "/problems/not-found")


@pytest.mark.parametrize("seat", [0.0, True, "0"])
def test_a_seat_is_written_as_an_integer(host: Caller, four: list[Caller], seat: object) -> None:
    game = new_game(host, four[:2], pace={"per_move": "P1D", "on_timeout": "resign"})
    path = f"/v1/games/{game['id']}"
    for rest, body in (
        ("/clocks/time", {"seat": seat, "length": "P1D"}),
        ("/adjudication", {"winners": [seat], "losers": []}),
        ("/resignation", {"seat": seat}),
    ):
        assert host.post(path + rest, body).status_code == 400
