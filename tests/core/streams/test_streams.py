"""The log as it grows: pages and server-sent events show the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import psycopg
import pytest
from flask import Flask

from api.store import log
from api.streams import channels as live_module
from tests.support.callers import Caller, Clock, first_move, new_game, play_on
from tests.support.streams import STREAM, events, follow, log_of

TIMEOUT = 60  # seconds; only a limit in case something hangs


@pytest.fixture
def live(app: Flask) -> Iterator[Any]:
    found = app.extensions["card_referee"].live
    yield found
    assert not found._channels, "a follower is left"


def move_once(players: list[Caller], game: Any) -> Any:
    game = players[0].get(f"/v1/games/{game['id']}").json
    mover = players[game["to_act"][0]]
    return mover.post(f"/v1/games/{game['id']}/moves", {"move": first_move(mover, game)})


def test_a_stream_begins_with_the_view_and_contains_every_move(
    host: Caller, four: list[Caller], live
) -> None:
    game = new_game(host, four[:3])
    stream = follow(four[1], game["id"])
    view = next(stream)
    assert (view.name, view.id) == ("view", game["version"])
    assert view.data == four[1].get(f"/v1/games/{game['id']}").json
    for _ in range(3):
        done = move_once(four, game)
        received = next(stream)
        assert (received.name, received.id) == ("moved", done.json["game"]["version"])
        assert received.data["hash"] == done.json["entry"]["hash"]
    stream.close()


def test_a_stream_ends_with_its_game_and_every_viewer_sees_their_own(
    host: Caller, auditor: Caller, anyone: Caller, four: list[Caller], live
) -> None:
    players = four[:3]
    game = new_game(host, players, visibility="public")
    viewers = [*players, host, auditor, anyone, four[3]]
    streams = [follow(viewer, game["id"], **{"Last-Event-ID": "0"}) for viewer in viewers]
    begun = [next(stream) for stream in streams]
    play_on(players, game)
    for viewer, stream, first in zip(viewers, streams, begun, strict=True):
        events = [first, *stream]
        assert [received.data for received in events] == log_of(viewer, game["id"])
        assert [received.id for received in events] == list(range(1, len(events) + 1))
        assert all(received.name == received.data["type"] for received in events)
        assert events[-1].name == "finished"
    private = [{seat for e in log_of(v, game["id"]) for seat in e.get("private", {})} for v in viewers]
    assert private == [{"0"}, {"1"}, {"2"}, set(), {"0", "1", "2"}, set(), set()]


def test_a_broken_stream_continues_after_the_last_event(host: Caller, four: list[Caller], live) -> None:
    game = new_game(host, four[:3])
    path = f"/v1/games/{game['id']}/events"
    play_on(four, game, 4)
    stream = follow(four[0], game["id"], **{"Last-Event-ID": "3"})
    assert [received.id for received in islice(stream, 3)] == [4, 5, 6]
    stream.close()
    over = play_on(four, four[0].get(f"/v1/games/{game['id']}").json)
    last = str(over["version"])
    assert four[0].get(path, headers={"Accept": STREAM, "Last-Event-ID": last}).status_code == 204
    view = list(follow(four[0], game["id"]))
    assert [(received.name, received.id) for received in view] == [("view", over["version"])]
    for wrong in ("x", "-1", "1.5", "99999999999"):
        refused = four[0].get(path, headers={"Accept": STREAM, "Last-Event-ID": wrong})
        assert (refused.status_code, list(refused.json["errors"])) == (400, ["Last-Event-ID"])


@pytest.mark.parametrize("form", ["?limit=5", STREAM])
def test_a_position_that_the_game_does_not_have_is_gone(host: Caller, four: list[Caller], form: str) -> None:
    game = new_game(host, four[:3])
    query, headers = (form, {}) if form.startswith("?") else ("?limit=5", {"Accept": form})
    if form == STREAM:
        query, headers = "", {"Accept": STREAM, "Last-Event-ID": str(game["version"] + 1)}
    else:
        query += f"&after={game['version'] + 1}"
    refused = four[0].get(f"/v1/games/{game['id']}/events{query}", headers=headers)
    assert (refused.status_code, refused.json["type"]) == (410, "/problems/restored")


def test_accept_selects_the_form(host: Caller, four: list[Caller]) -> None:
    game = play_on(four[:3], new_game(host, four[:3]))
    for accept, form in (
        (None, "application/json"),
        ("*/*", "application/json"),
        ("application/*", "application/json"),
        ("application/json;q=0.5, text/event-stream", STREAM),
        ("text/*", STREAM),
        ("text/html, text/event-stream;q=0.1", STREAM),
        ("application/json;q=0, */*;q=0.1", STREAM),
    ):
        headers = {"Accept": accept} if accept else {}
        answer = four[0].get(f"/v1/games/{game['id']}/events", headers=headers)
        assert (answer.status_code, answer.mimetype) == (200, form), accept
        assert "Accept" in answer.headers["Vary"]
    refused = four[0].get(f"/v1/games/{game['id']}/events", headers={"Accept": "text/html"})
    assert refused.status_code == 406


def test_no_stream_for_callers_who_may_not_see_the_game(
    host: Caller, four: list[Caller], anyone: Caller
) -> None:
    game = new_game(host, four[:3])
    headers = {"Accept": STREAM}
    assert four[3].get(f"/v1/games/{game['id']}/events", headers=headers).status_code == 404
    assert anyone.get(f"/v1/games/{game['id']}/events", headers=headers).status_code == 404
    wrong = {"Accept": STREAM, "Authorization": "Bearer crp_wrong"}
    assert anyone.get(f"/v1/games/{game['id']}/events", headers=wrong).status_code == 401


def test_the_stream_of_a_player_who_leaves_the_table_ends(host: Caller, four: list[Caller], live) -> None:
    seats = [{"player": four[0].player}, {"player": four[1].player}, {"open": True}]
    game = host.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": seats}).json
    stream = follow(four[1], game["id"])
    assert next(stream).name == "view"
    assert four[1].delete(f"/v1/games/{game['id']}/seats/1").status_code == 204
    assert list(stream) == []


def token_of(host: Caller, player: Caller) -> str:
    """Return the path of a player's newest token."""
    path = f"/v1/players/{player.player}/tokens"
    return f"{path}/{host.get(path).json['items'][0]['id']}"


@pytest.mark.parametrize("how", ["token", "player", "maker", "expiry"])
def test_a_stream_ends_with_its_token(
    host: Caller,
    new_key: Callable[..., Caller],
    four: list[Caller],
    clock: Clock,
    sql: psycopg.Connection,
    live,
    how: str,
) -> None:
    """Nothing committed after the revocation is sent, and it does not wait for a keep-alive."""
    maker = new_key("host", "read", "write", "keys")
    token = maker.post(f"/v1/players/{four[0].player}/tokens", {"expires_in": "P1D"}).json["token"]
    game = new_game(host, four[:3])
    stream = follow(Caller(host.app, token), game["id"])
    assert next(stream).name == "view"
    if how == "token":
        assert host.delete(token_of(host, four[0])).status_code == 204
    elif how == "player":
        assert host.delete(f"/v1/players/{four[0].player}").status_code == 204
    elif how == "maker":
        key = maker.get("/v1/keys").json["items"][0]["id"]
        assert maker.delete(f"/v1/keys/{key}?keep_tokens=false").status_code == 204
    else:
        sql.execute("UPDATE credentials SET expires_at = %s WHERE expires_at IS NOT NULL", (clock.time,))
    if how != "player":
        assert move_once(four, game).status_code == 201
    assert list(stream) == []


def test_a_stream_ends_when_its_token_expires(
    host: Caller, four: list[Caller], clock: Clock, live, monkeypatch: Any
) -> None:
    monkeypatch.setattr(live, "keep_alive", 0.05)
    made = host.post(f"/v1/players/{four[0].player}/tokens", {"expires_in": "PT1H"}).json
    stream = follow(Caller(host.app, made["token"]), new_game(host, four[:3])["id"])
    next(stream)
    clock.move(hours=1)
    assert list(stream) == []


def test_a_stream_shows_what_the_newest_scopes_allow(
    host: Caller, auditor: Caller, four: list[Caller], sql: psycopg.Connection, live
) -> None:
    game = new_game(host, four[:3])
    stream = follow(auditor, game["id"], **{"Last-Event-ID": "0"})
    events = list(islice(stream, game["version"]))
    assert any("private" in received.data for received in events)
    sql.execute("UPDATE credentials SET scopes = '{read}' WHERE 'audit' = ANY(scopes)")
    move_once(four, game)
    assert "private" not in next(stream).data
    sql.execute("UPDATE credentials SET scopes = '{write}' WHERE player_id IS NULL")
    move_once(four, game)
    assert list(stream) == []


def test_quiet_streams_are_kept_alive(host: Caller, four: list[Caller], live, monkeypatch: Any) -> None:
    monkeypatch.setattr(live, "keep_alive", 0.01)
    game = new_game(host, four[:3])
    answer = four[0].get(f"/v1/games/{game['id']}/events", headers={"Accept": STREAM}, buffered=False)
    received = events(answer.response)
    assert [event.name for event in islice(received, 5)] == ["", "view", "", "", ""]
    answer.close()


def test_a_lost_listening_connection_is_restored(
    host: Caller, four: list[Caller], live, sql: psycopg.Connection, monkeypatch: Any
) -> None:
    monkeypatch.setattr(live_module, "PAUSE", 0.01)
    game = new_game(host, four[:3])
    stream = follow(four[0], game["id"])
    next(stream)
    for _ in range(3):
        ended = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
        sql.execute(f"{ended} AND pid <> pg_backend_pid() AND query LIKE 'LISTEN%'")
        done = move_once(four, game)
        assert next(stream).data["hash"] == done.json["entry"]["hash"]
    stream.close()


def test_a_stream_outlives_a_database_that_is_away_while_its_caller_is_looked_up_again(
    host: Caller, four: list[Caller], live, monkeypatch: Any
) -> None:
    """After a failover the listener lets every caller be looked up again, maybe on a dead connection."""
    monkeypatch.setattr(live_module, "PAUSE", 0.01)
    game = new_game(host, four[:3])
    stream = follow(four[0], game["id"])
    next(stream)
    session, failed = live.session, []

    def away_once(app_id: Any) -> Any:
        if app_id is None and not failed:
            failed.append(True)
            raise psycopg.OperationalError("away")
        return session(app_id)

    monkeypatch.setattr(live, "session", away_once)
    done = move_once(four, game)
    assert next(stream).data["hash"] == done.json["entry"]["hash"]
    assert failed, "nobody was looked up again"
    stream.close()


def test_a_lost_notification_is_compensated(
    host: Caller, four: list[Caller], app: Flask, live, monkeypatch: Any
) -> None:
    monkeypatch.setattr(live, "keep_alive", 0.05)
    game = new_game(host, four[:3])
    stream = follow(four[0], game["id"])
    next(stream)
    monkeypatch.setattr(app.extensions["card_referee"].database.publisher, "publish", lambda pending: None)
    done = move_once(four, game)
    assert next(stream).data["hash"] == done.json["entry"]["hash"]
    stream.close()


def test_many_followers_cost_one_read_for_each_move(
    host: Caller, four: list[Caller], anyone: Caller, live, monkeypatch: Any
) -> None:
    game = new_game(host, four[:3], visibility="public")
    streams = [follow(anyone, game["id"]) for _ in range(50)]
    assert {next(stream).id for stream in streams} == {game["version"]}
    first = move_once(four, game)
    assert {next(stream).id for stream in streams} == {first.json["game"]["version"]}

    readings = []
    page: Callable[..., Any] = log.page
    monkeypatch.setattr(log, "page", lambda *asked: readings.append(asked) or page(*asked))
    second = move_once(four, game)
    assert {next(stream).id for stream in streams} == {second.json["game"]["version"]}
    assert len(readings) <= 2  # one for the entry, one more if the notification comes late
    for stream in streams:
        stream.close()


def test_a_follower_that_is_far_behind_catches_up(
    host: Caller, four: list[Caller], live, monkeypatch: Any
) -> None:
    monkeypatch.setattr(live_module, "KEPT", 5)
    monkeypatch.setattr(log, "CHUNK", 4)
    game = play_on(four[:3], new_game(host, four[:3]), 20)
    front = follow(four[0], game["id"])
    next(front)
    play_on(four[:3], game, 12)
    behind = follow(four[1], game["id"], **{"Last-Event-ID": "0"})
    expected = log_of(four[1], game["id"])
    assert [received.data for received in islice(behind, len(expected))] == expected
    assert [received.id for received in islice(front, 12)] == [e["seq"] for e in expected[-12:]]
    front.close()
    behind.close()


def test_filters_choose_the_same_in_every_form(host: Caller, four: list[Caller], clock: Clock, live) -> None:
    game = play_on(four[:3], new_game(host, four[:3]), 2)
    clock.move(hours=1)
    play_on(four[:3], game, 3)
    half = clock.time.isoformat().replace("+00:00", "Z")
    four[1].post(f"/v1/games/{game['id']}/messages", {"text": "Hello"})
    assert four[0].post(f"/v1/games/{game['id']}/resignation").status_code == 201
    path, whole = f"/v1/games/{game['id']}/events", log_of(four[0], game["id"])
    for query, takes in {
        "type=moved,finished": lambda entry: entry["type"] in ("moved", "finished"),
        "seat=1": lambda entry: entry.get("seat") == 1,
        f"since={half}": lambda entry: entry["at"] >= half[:19],
        f"seat=0&type=moved&since={half}": lambda entry: (
            (entry.get("seat"), entry["type"]) == (0, "moved") and entry["at"] >= half[:19]
        ),
        "type=vacation_taken": lambda entry: False,
    }.items():
        expected = [entry for entry in whole if takes(entry)]
        assert 0 <= len(expected) < len(whole)
        assert four[0].get(f"{path}?{query}&limit=200").json == {"items": expected, "next": None}
        answer = four[0].get(f"{path}?{query}&after=0", headers={"Accept": STREAM}, buffered=False)
        assert [event.data for event in events(answer.response) if event.name] == expected
    first = four[0].get(f"{path}?type=moved&limit=2").json
    rest = four[0].get(f"{path}?type=moved&limit=200&cursor={first['next']}").json
    assert first["items"] + rest["items"] == [entry for entry in whole if entry["type"] == "moved"]
    for wrong in ("type=nothing", "type=", "seat=99", "since=yesterday"):
        assert four[0].get(f"{path}?{wrong}").status_code == 400
