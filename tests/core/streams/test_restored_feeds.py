"""Feeds of a database that was restored from an older backup, and what their cursors tell."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
from flask import Flask

from api.app import create_app
from api.core.config import Settings, libpq
from api.run import backup, migrate
from api.run.embedded.postgres import OWNER, SERVICE, WORKER, Postgres
from api.store.database import session
from tests.support.callers import Caller, Clock, first_move, new_game


@pytest.fixture
def restored(
    postgres: Postgres, settings: Settings, administrator: psycopg.Connection, tmp_path: Path
) -> Iterator[Callable[[Path], Flask]]:
    """Return a function that restores a backup and serves it."""
    apps: list[Flask] = []

    def restore(file: Path) -> Flask:
        name = f"feed_restored_{len(apps)}"
        administrator.execute(f"CREATE DATABASE {name}")
        urls = {f"{of}database_url": postgres.url(role, name) for of, role in ROLES.items()}
        found = replace(settings, **urls)
        backup.restore(found, file, lambda line: None)
        apps.append(create_app(found, clock=Clock()))
        return apps[-1]

    yield restore
    for number, app in enumerate(apps):
        app.extensions["card_referee"].database.close()
        administrator.execute(f"DROP DATABASE feed_restored_{number} WITH (FORCE)")


ROLES = {"": SERVICE, "owner_": OWNER, "worker_": WORKER}


def page(caller: Caller, cursor: str | None = None) -> Any:
    return caller.get(f"/v1/events?limit=200{f'&cursor={cursor}' if cursor else ''}")


def play(players: list[Caller], game: dict[str, Any]) -> dict[str, Any]:
    mover = players[game["to_act"][0]]
    done = mover.post(f"/v1/games/{game['id']}/moves", {"move": first_move(mover, game)})
    played: dict[str, Any] = done.json["game"]
    return played


@pytest.fixture
def file(settings: Settings, host: Caller, four: list[Caller], tmp_path: Path) -> Path:
    """Return a backup with one game."""
    new_game(host, four[:3])
    made = tmp_path / "games.backup"
    backup.backup(settings, made, lambda line: None)
    return made


def test_no_etag_of_a_lost_state_is_that_of_another_state(
    host: Caller, four: list[Caller], file: Path, restored: Callable[[Path], Flask]
) -> None:
    """After the restoration another move leads to the same version."""
    game = host.get("/v1/games").json["items"][0]
    path, mover = f"/v1/games/{game['id']}", four[game["to_act"][0]]
    moves = mover.get(f"{path}/legal-moves").json["moves"]
    lost = mover.post(f"{path}/moves", {"move": moves[0]}).headers["ETag"]
    here = replace(mover, app=restored(file))
    done = here.post(f"{path}/moves", {"move": moves[1]})
    assert done.headers["ETag"].partition("-")[0] == lost.partition("-")[0], "the version"
    assert here.get(path, headers={"If-None-Match": lost}).status_code == 200
    assert here.get(path, headers={"If-None-Match": done.headers["ETag"]}).status_code == 304


def test_a_reader_that_is_ahead_of_the_backup_is_told(
    host: Caller, four: list[Caller], file: Path, restored: Callable[[Path], Flask]
) -> None:
    kept = page(host).json["cursor"]
    game = host.get("/v1/games").json["items"][0]
    play(four, game)
    lost, read = page(host).json["cursor"], page(host).json["items"]
    again = Caller(restored(file), host.token)
    keys = again.get("/v1/log-keys").json["items"]
    assert [key["restored"] for key in keys] == [False, True]
    assert keys[1]["vkey"] == host.get("/v1/log-keys").json["items"][0]["vkey"]
    for headers in ({}, {"Accept": "text/event-stream"}):
        refused = again.get(f"/v1/events?cursor={lost}", headers=headers)
        assert (refused.status_code, refused.json["type"]) == (410, "/problems/restored")
    assert (
        again.get("/v1/events", headers={"Accept": "text/event-stream", "Last-Event-ID": lost}).status_code
        == 410
    )
    earlier = page(again, kept)
    assert (earlier.status_code, earlier.json["cursor"]) == (410, refused.json["cursor"]), "where both end"
    copy = [item["entry"] for item in read if item["cursor"] <= refused.json["cursor"]]
    assert copy == [item["entry"] for item in page(again).json["items"]] == [e["entry"] for e in read[:-1]]
    other = play([Caller(again.app, player.token) for player in four], game)
    way_on = page(again, refused.json["cursor"])
    assert [item["entry"]["seq"] for item in way_on.json["items"]] == [other["version"]]
    assert page(again, way_on.json["cursor"]).json["items"] == []


def test_the_same_backup_restored_twice_has_two_epochs(
    host: Caller, four: list[Caller], file: Path, restored: Callable[[Path], Flask]
) -> None:
    """The same backup restored twice: each time another future begins."""
    first, second = (Caller(restored(file), host.token) for _ in range(2))
    begun = page(first).json["cursor"]
    play([Caller(first.app, player.token) for player in four], first.get("/v1/games").json["items"][0])
    refused = page(second, page(first).json["cursor"])
    assert (refused.status_code, refused.json["cursor"]) == (410, page(second, begun).json["cursor"])
    assert page(second, refused.json["cursor"]).json["items"] == []
    unknown = page(first, page(second).json["cursor"])
    assert (unknown.status_code, unknown.json["cursor"]) == (410, None)


def test_a_reader_of_one_game_that_is_ahead_is_told(
    host: Caller, four: list[Caller], file: Path, restored: Callable[[Path], Flask]
) -> None:
    game = play(four, host.get("/v1/games").json["items"][0])
    again = Caller(restored(file), host.token)
    for form in ("application/json", "text/event-stream"):
        path = f"/v1/games/{game['id']}/events?after={game['version']}"
        refused = again.get(path, headers={"Accept": form})
        assert (refused.status_code, refused.json["type"]) == (410, "/problems/restored")


def test_a_database_copied_in_another_way_is_noticed_by_migrate(
    settings: Settings,
    host: Caller,
    four: list[Caller],
    administrator: psycopg.Connection,
    sql: psycopg.Connection,
) -> None:
    """Point-in-time recovery and a plain pg_restore end with `migrate`, too."""
    before = sql.execute("SELECT count(*) FROM restorations").fetchone()
    migrate.upgrade(settings)
    new_game(host, four[:3])
    migrate.upgrade(settings)
    between = sql.execute("SELECT count(*) FROM restorations").fetchone()
    sql.execute("UPDATE installation SET database = 'on another timeline'")
    migrate.upgrade(settings)
    after = sql.execute("SELECT count(*) FROM restorations").fetchone()
    assert (before, between, after) == ((0,), (0,), (1,))
    assert page(host, page(host).json["cursor"]).status_code == 200


def test_what_was_lost_may_have_begun_before_the_newest_entry_that_was_not(
    settings: Settings, host: Caller, four: list[Caller], sql: psycopg.Connection
) -> None:
    """A standby had received the second of two concurrent transactions; the first one was committed later."""
    migrate.upgrade(settings)  # notes where the database is
    new_game(host, four[:3])
    kept = page(host).json["cursor"]
    with psycopg.connect(libpq(settings.owner_database_url)) as lost:
        lost.execute("SELECT pg_current_xact_id()")
        new_game(host, four[:3])
        lost.rollback()  # as PostgreSQL does with what it knows no end of
    ahead = page(host).json["cursor"]
    sql.execute("UPDATE installation SET database = regexp_replace(database, '/.*/', '/before/')")
    migrate.upgrade(settings)
    host.app.extensions["card_referee"].database._state_holds_until = 0.0
    refused = page(host, ahead)
    assert (refused.status_code, refused.json["type"]) == (410, "/problems/restored")
    assert page(host, refused.json["cursor"]).json["items"]
    assert page(host, kept).status_code in (200, 410), "410 if something else was rolled back before"


def test_a_reader_comes_past_a_restoration_that_ends_before_an_earlier_one(
    host: Caller, four: list[Caller], sql: psycopg.Connection
) -> None:
    """As after a failover soon after a restoration: it may go back to before what was restored."""
    new_game(host, four[:3])
    new_game(host, four[:3])
    ticks = [row[0] for row in sql.execute("SELECT DISTINCT tick FROM entries ORDER BY tick")]
    assert len(ticks) > 1
    for epoch, tick in ((7, ticks[-1]), (8, ticks[0])):
        sql.execute("INSERT INTO restorations (epoch, tick, at) VALUES (%s, %s, now())", (epoch, tick))
    host.app.extensions["card_referee"].database._state_holds_until = 0.0
    items = page(host).json["items"]
    assert len(items) > 2
    cursor = None
    for item in items:  # one at a time
        one = host.get(f"/v1/events?limit=1{f'&cursor={cursor}' if cursor else ''}")
        assert (one.status_code, one.json["items"]) == (200, [item])
        cursor = one.json["cursor"]


def test_a_cursor_leads_into_ones_own_feed_only(
    host: Caller, four: list[Caller], new_key: Callable[..., Caller]
) -> None:
    new_game(host, four[:3])
    items = page(host).json["items"]
    assert page(host).json["items"] == items, "a cursor is always the same"
    stranger = new_key("stranger", "read")
    assert page(stranger, items[0]["cursor"]).json["items"] == []


def test_the_secret_of_the_installation_is_stored_encrypted(settings: Settings) -> None:
    with psycopg.connect(libpq(settings.owner_database_url)) as owner:
        (key,) = owner.execute("SELECT secret FROM installation").fetchone() or ()
    assert key[:1] == b"\x01"


@pytest.fixture
def seldom(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a process look so seldom whether a backup was restored that it does not within a test."""
    monkeypatch.setattr(session, "CHECK_KEYS_EVERY", 3600.0)


def test_a_reader_is_told_at_the_first_request_after_a_failover(
    seldom: None, host: Caller, four: list[Caller], sql: psycopg.Connection
) -> None:
    """A new connection may lead to a standby that lacks what was read."""
    new_game(host, four[:3])
    lost = page(host).json["cursor"]
    sql.execute("INSERT INTO restorations (epoch, tick, at) VALUES (7, 0, now())")
    sql.execute(
        "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    answers = (page(host, lost) for _ in range(10))  # the first ones find that the connections are dead
    assert next(each for each in answers if each.status_code != 503).status_code == 410


@pytest.mark.parametrize("path", ["/v1/events?cursor=now", "/v1/games/{}/events?after=1"])
def test_an_open_stream_ends_when_a_backup_was_restored(
    host: Caller, four: list[Caller], sql: psycopg.Connection, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """The reader then resumes it, and is told."""
    monkeypatch.setattr(session, "CHECK_KEYS_EVERY", 0.0)
    monkeypatch.setattr(host.app.extensions["card_referee"].live, "keep_alive", 0.5)
    game = new_game(host, four[:3])
    headers = {"Authorization": f"Bearer {host.token}", "Accept": "text/event-stream"}
    stream = host.app.test_client().get(path.format(game["id"]), headers=headers, buffered=False)
    reader = threading.Thread(target=lambda: list(stream.iter_encoded()), daemon=True)
    reader.start()
    play(four, game)
    sql.execute("INSERT INTO restorations (epoch, tick, at) VALUES (7, 0, now())")
    play(four, host.get(f"/v1/games/{game['id']}").json)
    reader.join(20)
    assert not reader.is_alive()
