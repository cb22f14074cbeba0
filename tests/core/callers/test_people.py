"""Players, tokens and keys: what each may do, and for how long."""

from __future__ import annotations

import json
from collections.abc import Callable

import psycopg
import pytest

from api.callers import app_keys as command_line
from api.core.config import Settings, StartError
from tests.support.callers import Caller, Clock, new_game


def test_players_are_created_found_renamed_and_deleted(host: Caller) -> None:
    made = [host.post("/v1/players", {"name": name}).json for name in ("Anna", "Ben", "Cleo")]
    assert [p["id"] for p in host.get("/v1/players").json["items"]] == [p["id"] for p in reversed(made)]
    first = host.get("/v1/players?limit=2").json
    rest = host.get(f"/v1/players?limit=2&cursor={first['next']}").json
    assert [p["name"] for p in first["items"] + rest["items"]] == ["Cleo", "Ben", "Anna"]
    assert rest["next"] is None
    path = f"/v1/players/{made[0]['id']}"
    assert host("PATCH", path, {"name": "Anne"}).json == {**made[0], "name": "Anne"}
    assert host.get(path).json["name"] == "Anne"
    assert host.delete(path).status_code == 204
    assert host.get(path).status_code == 404
    assert host.delete(path).status_code == 404
    assert host("PATCH", path, {"name": "Anna"}).status_code == 404
    assert host.post(f"{path}/tokens").status_code == 404


def test_a_player_can_act_only_as_itself(host: Caller, four: list[Caller]) -> None:
    me = four[0].get("/v1/me").json
    assert (me["type"], me["player"]["name"], me["app"]["name"]) == ("player", "Anna", "host")
    assert host.get("/v1/me").json["scopes"] == ["read", "write"]
    assert four[0].get(f"/v1/players/{four[0].player}").status_code == 200
    assert four[0].get(f"/v1/players/{four[1].player}").status_code == 404
    assert four[0].get("/v1/players").status_code == 403
    assert four[0].post("/v1/players", {"name": "x"}).status_code == 403
    assert four[0].post(f"/v1/players/{four[0].player}/tokens").status_code == 403
    assert four[0].post("/v1/games", {"ruleset": "pies", "seats": [{"open": True}] * 4}).status_code == 403


def test_player_tokens_expire_and_are_revoked(host: Caller, clock: Clock, sql: psycopg.Connection) -> None:
    player = host.post("/v1/players", {"name": "Anna"}).json["id"]
    path = f"/v1/players/{player}/tokens"
    short = host.post(path, {"expires_in": "PT1H"}).json
    long = host.post(path, {}).json
    assert short["expires_at"] == "2026-03-01T13:00:00.000000Z"
    assert long["expires_at"] is None
    one, other = (Caller(host.app, token["token"]) for token in (short, long))
    clock.move(minutes=59)
    assert one.get("/v1/me").json["expires_at"] == short["expires_at"]
    clock.move(minutes=1)
    assert one.get("/v1/me").status_code == 401
    assert other.get("/v1/me").status_code == 200
    listed = host.get(path).json["items"]
    assert [token["id"] for token in listed] == [long["id"], short["id"]]
    assert host.delete(f"{path}/{long['id']}").status_code == 204
    assert other.get("/v1/me").status_code == 401
    assert host.get(path).json["items"][0]["revoked_at"]
    stored = sql.execute("SELECT string_agg(credentials::text, ' ') FROM credentials").fetchone()
    assert short["token"] not in stored[0]


def test_removing_a_player_revokes_its_tokens(host: Caller, four: list[Caller]) -> None:
    game = new_game(host, four[:3])
    assert host.delete(f"/v1/players/{four[0].player}").status_code == 204
    assert four[0].get("/v1/me").status_code == 401
    seats = host.get(f"/v1/games/{game['id']}").json["seats"]
    assert seats[0]["player"] == {"id": four[0].player, "name": "erased person"}


def test_scopes_limit_what_a_key_may_do(
    new_key: Callable[..., Caller], host: Caller, four: list[Caller]
) -> None:
    game = new_game(host, four[:3])
    reader, writer = new_key("host", "read"), new_key("host", "write")
    assert reader.get(f"/v1/games/{game['id']}").status_code == 200
    assert reader.post("/v1/players", {"name": "x"}).status_code == 403
    assert reader.post(f"/v1/games/{game['id']}/resignation", {"seat": 0}).status_code == 403
    assert writer.get("/v1/games").status_code == 403
    assert writer.post("/v1/players", {"name": "x"}).status_code == 201
    assert reader.get(f"/v1/games/{game['id']}").json["view"]["zones"]["out"] == {"count": 3}


def test_a_key_creates_and_revokes_nothing_beyond_its_own_rights(
    new_key: Callable[..., Caller], host: Caller, clock: Clock
) -> None:
    head = new_key("host", "read", "write", "keys")
    auditor, stranger = (
        new_key("host", "read", "audit"),
        new_key("stranger", "read", "write", "audit", "keys"),
    )
    audit = auditor.get("/v1/keys").json["items"][0]["id"]
    assert host.post("/v1/keys", {"scopes": ["read"]}).status_code == 403, (
        "the scope write alone cannot create keys"
    )
    assert host.delete(f"/v1/keys/{audit}").status_code == 403, "nor revoke any"
    assert head.post("/v1/keys", {"scopes": ["audit"]}).status_code == 403
    assert head.post("/v1/keys", {"scopes": ["read", "read"]}).status_code == 400
    assert head.delete(f"/v1/keys/{audit}").status_code == 403
    assert stranger.delete(f"/v1/keys/{audit}").status_code == 404
    assert auditor.get("/v1/me").status_code == 200

    short = head.post("/v1/keys", {"scopes": ["read", "write", "keys"], "expires_in": "P1D"}).json
    fresh = Caller(host.app, short["key"])
    listed = fresh.get("/v1/keys").json["items"][0]
    first = head.get("/v1/keys").json["items"][2]["id"]
    assert listed["id"] == short["id"]
    for life in ("P2D", "PT24H1S"):
        assert fresh.post("/v1/keys", {"expires_in": life}).status_code == 403
    clock.move(hours=1)
    grandchild = fresh.post("/v1/keys", {"scopes": ["keys"]}).json
    assert grandchild["expires_at"] == short["expires_at"], "the default is that of its maker"
    assert fresh.post("/v1/keys", {"expires_in": "PT23H"}).status_code == 201
    assert fresh.delete(f"/v1/keys/{first}").status_code == 403, "its maker lives longer"
    player = fresh.post("/v1/players", {"name": "Anna"}).json["id"]
    tokens = f"/v1/players/{player}/tokens"
    assert fresh.post(tokens).json["expires_at"] == short["expires_at"]
    assert fresh.post(tokens, {"expires_in": "PT24H"}).status_code == 403
    assert fresh.post(tokens, {"expires_in": "PT2H"}).status_code == 201
    assert head.post(tokens).json["expires_at"] is None


@pytest.mark.parametrize("query", ["", "?keep_tokens=true", "?keep_tokens=false"])
@pytest.mark.parametrize("above", [True, False])
def test_a_key_for_keys_revokes_only_keys_like_itself(
    new_key: Callable[..., Caller], above: bool, query: str
) -> None:
    """Neither the key that created it, nor one beside it, nor a player's token."""
    head = new_key("host", "read", "write", "audit", "keys")
    listed = head.get("/v1/keys").json["items"]
    manager = Caller(head.app, head.post("/v1/keys", {"scopes": ["keys"]}).json["key"])
    player = head.post("/v1/players", {"name": "Anna"}).json["id"]
    token = head.post(f"/v1/players/{player}/tokens").json["id"]
    more = [["read"], ["write"], ["audit"], ["read", "keys"], ["read", "write", "audit", "keys"]]
    keys_beside = [head.post("/v1/keys", {"scopes": scopes}).json["id"] for scopes in more]
    refused = [listed[0]["id"]] if above else keys_beside
    for key in refused:
        assert manager.delete(f"/v1/keys/{key}{query}").status_code == 403
    assert manager.delete(f"/v1/keys/{token}{query}").status_code == 404
    assert manager.delete(f"/v1/players/{player}/tokens/{token}").status_code == 403
    assert manager.delete(f"/v1/players/{player}").status_code == 403
    assert all(key["revoked_at"] is None for key in head.get("/v1/keys").json["items"])
    like = head.post("/v1/keys", {"scopes": ["keys"]}).json["id"]
    assert manager.delete(f"/v1/keys/{like}{query}").status_code == 204


@pytest.mark.parametrize("how", ["http", "command line"])
@pytest.mark.parametrize("keep", [False, True])
def test_revoking_a_key_revokes_its_tokens_if_asked(
    settings: Settings, new_key: Callable[..., Caller], host: Caller, how: str, keep: bool
) -> None:
    head = new_key("host", "read", "write", "keys")
    made = head.post("/v1/keys", {"scopes": ["read", "write", "keys"]}).json
    first = Caller(host.app, made["key"])
    second = Caller(host.app, first.post("/v1/keys", {"scopes": ["read", "write"]}).json["key"])
    player = host.post("/v1/players", {"name": "Anna"}).json["id"]
    tokens = [key.post(f"/v1/players/{player}/tokens").json["token"] for key in (head, first, second)]
    anna = [Caller(host.app, token) for token in tokens]
    if how == "http":
        query = "" if keep else "?keep_tokens=false"
        assert head.delete(f"/v1/keys/{made['id']}{query}").status_code == 204
        assert head.delete(f"/v1/keys/{made['id']}?keep_tokens=1").status_code == 400
    else:
        command_line.revoke(settings, made["id"], keep)
    assert [key.get("/v1/me").status_code for key in (head, first, second)] == [200, 401, 200]
    assert [token.get("/v1/me").status_code for token in anna] == [200, 200 if keep else 401, 200]
    assert head.get("/v1/keys").json["items"][1]["revoked_at"]


def test_the_keys_of_one_app_are_listed(settings: Settings, new_key: Callable[..., Caller]) -> None:
    """As `referee-api keys list NAME` does."""
    for name in ("host", "other"):
        new_key(name, "read")
    shown = [json.loads(line)["name"] for line in command_line.listing(settings, "other")]
    assert shown == ["other"]
    assert {json.loads(line)["name"] for line in command_line.listing(settings)} >= {"host", "other"}
    with pytest.raises(StartError, match="no app nobody"):
        command_line.listing(settings, "nobody")


def test_only_callers_with_write_see_invite_codes(new_key: Callable[..., Caller], host: Caller) -> None:
    seats = [{"open": True}, {"open": True}]
    game = host.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": seats}).json
    for scopes, sees in ((("read",), False), (("read", "audit"), False), (("read", "write"), True)):
        key = new_key("host", *scopes)
        shown = [key.get(f"/v1/games/{game['id']}").json, *key.get("/v1/games").json["items"]]
        assert [("invite" in found["seats"][0]) for found in shown] == [sees, sees], scopes
        assert game["seats"][0]["invite"] in str(shown) or not sees


def test_keys_from_the_command_line(settings: Settings, host: Caller) -> None:
    [listed] = map(json.loads, command_line.listing(settings))
    assert (listed["name"], listed["scopes"]) == ("host", ["read", "write"])
    command_line.revoke(settings, listed["id"], keep_tokens=True)
    for unknown in ("nonsense", "01a1fd00-0000-7000-8000-000000000000"):
        with pytest.raises(StartError, match="There is no app key"):
            command_line.revoke(settings, unknown, keep_tokens=True)
    assert host.get("/v1/me").status_code == 401


def test_visibility(
    host: Caller,
    new_key: Callable[..., Caller],
    four: list[Caller],
    new_player: Callable[..., Caller],
    anyone: Caller,
) -> None:
    stranger = new_key("stranger", "read", "write", "audit")
    far = new_player("Far", stranger)
    expected = {"public": (200, 200, 200), "unlisted": (200, 200, 401), "private": (404, 404, 401)}
    for visibility, (own, foreign, nobody) in expected.items():
        game = new_game(host, four[:3], visibility=visibility)
        for below in ("", "/events", "/record"):
            path = f"/v1/games/{game['id']}{below}"
            assert four[3].get(path).status_code == own
            assert far.get(path).status_code == foreign
            assert stranger.get(path).status_code == foreign
            assert anyone.get(path).status_code == (200 if nobody == 200 else 404)
        if foreign == 200:
            assert stranger.get(f"/v1/games/{game['id']}").json["view"]["zones"]["out"] == {"count": 3}
            assert far.post(f"/v1/games/{game['id']}/messages", {"text": "hi"}).status_code == 403
    open_game = host.post(
        "/v1/games", {"ruleset": "cats_and_dogs", "visibility": "public", "seats": [{"open": True}] * 2}
    ).json
    path = f"/v1/games/{open_game['id']}/seats/0"
    assert far.put(path).status_code == 403, "players of other apps may watch"
    assert "invite" not in stranger.get(f"/v1/games/{open_game['id']}").json["seats"][0]
    assert host.put(path).status_code == 403, "an app has to name the player"
    assert host.put(path, {"player": far.player}).status_code == 422


@pytest.mark.parametrize(
    "statement", ["UPDATE entries SET public = ''", "DELETE FROM entries", "TRUNCATE entries"]
)
@pytest.mark.parametrize("role", ["owner", "service"])
def test_the_database_refuses_to_change_the_log(
    settings: Settings, host: Caller, four: list[Caller], role: str, statement: str
) -> None:
    game = new_game(host, four[:3])
    address = settings.owner_database_url if role == "owner" else settings.database_url
    with (
        psycopg.connect(address.replace("+psycopg", ""), autocommit=True) as connection,
        pytest.raises((psycopg.errors.IntegrityConstraintViolation, psycopg.errors.InsufficientPrivilege)),
    ):
        connection.execute(statement)
    assert len(host.get(f"/v1/games/{game['id']}/events").json["items"]) == game["version"]


@pytest.mark.parametrize("seq", ["max(seq)", "max(seq) + 2", "0"])
def test_the_database_refuses_gaps(
    sql: psycopg.Connection, host: Caller, four: list[Caller], seq: str
) -> None:
    new_game(host, four[:3])
    with pytest.raises(psycopg.IntegrityError):
        sql.execute(
            "INSERT INTO entries (game_id, seq, public, hash)"
            f" SELECT game_id, {seq}, '{{}}', '' FROM entries GROUP BY game_id"
        )
