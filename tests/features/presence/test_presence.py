"""Who follows a game, as another web process of the server says it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

import psycopg
import pytest
from flask import Flask

from api.context import Context
from api.features.presence import presence
from api.store.database.session import Session
from tests.support.callers import Caller, Clock, new_game
from tests.support.streams import follow

FROM_THE_START = {"Last-Event-ID": "0"}


@pytest.fixture
def heartbeat(app: Flask) -> Callable[[], None]:
    """Return what writes who is here, as a web process does every ten seconds."""

    def write() -> None:
        site = app.extensions["card_referee"]
        with closing(Session(site.database)) as session:
            site.live.followers.write(Context(site.settings, session, site.features.hooks, site.clock))

    return write


def test_an_open_stream_says_who_is_at_the_table_and_how_many_watch(
    host: Caller,
    four: list[Caller],
    anyone: Caller,
    clock: Clock,
    elsewhere: Callable[[Caller], Caller],
    heartbeat: Callable[[], None],
    context: Context,
    sql: psycopg.Connection,
) -> None:
    game = new_game(host, four[:3], visibility="public")
    path = f"/v1/games/{game['id']}/presence"
    there = elsewhere(anyone)
    nobody = {"seats": [{"seat": seat, "here": False} for seat in range(3)], "watching": 0}
    those = (four[0], four[0], four[3], anyone, host)
    streams = [follow(each, game["id"], **FROM_THE_START) for each in those]
    for stream in streams:
        next(stream)
    heartbeat()
    at = clock().isoformat(timespec="milliseconds").replace("+00:00", "Z")
    shown = there.get(path).json
    assert shown["watching"] == 2, "another player and somebody without a token, not the app itself"
    assert shown["seats"][0].pop("seen_at")[:19] == at[:19]
    assert shown["seats"] == [{"seat": 0, "here": True}, *nobody["seats"][1:]]
    for stream in streams:
        stream.close()
    clock.move(seconds=40)
    heartbeat()
    assert sql.execute("SELECT watching FROM followers ORDER BY 1").fetchall() == [(False,), (True,), (True,)]
    presence.forget(context)
    assert sql.execute("SELECT watching FROM followers").fetchall() == [(False,)]
    left = there.get(path).json
    assert left["seats"][0].pop("seen_at")[:19] == at[:19]
    assert left == nobody


def test_who_may_not_see_a_game_hears_nothing_of_its_players(
    host: Caller, four: list[Caller], anyone: Caller
) -> None:
    path = f"/v1/games/{new_game(host, four[:3], visibility='private')['id']}/presence"
    assert [caller.get(path).status_code for caller in (four[0], four[3], anyone)] == [200, 404, 404]


def test_a_game_that_is_gone_keeps_nobody_else_from_being_noted(
    host: Caller, four: list[Caller], app: Flask, clock: Clock, heartbeat: Callable[[], None]
) -> None:
    game = new_game(host, four[:3])
    stream = follow(four[1], game["id"], **FROM_THE_START)
    next(stream)
    live = app.extensions["card_referee"].live
    (noted,) = live.followers._seen
    live.followers.record(noted._replace(game_id=noted.app_id), clock())
    heartbeat()
    assert four[0].get(f"/v1/games/{game['id']}/presence").json["seats"][1]["here"]
    stream.close()


def test_forgetting_who_watched_reads_nothing_of_players(
    host: Caller, four: list[Caller], context: Context, sql: psycopg.Connection
) -> None:
    """Their rows stay, as long as their games do."""
    sql.execute(
        "INSERT INTO followers SELECT id, gen_random_uuid(), app_id, false, now()"
        " FROM games, generate_series(1, 3000) WHERE id = %s",
        (new_game(host, four[:3])["id"],),
    )
    sql.execute("ANALYZE followers")
    rows = sql.execute(f"EXPLAIN {presence.FORGET}", (context.now(),))
    assert "Seq Scan" not in "\n".join(row[0] for row in rows)
