"""Workers that are killed at any moment: every deadline passes, and passes once."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
from sqlalchemy import create_engine

from api import jobs
from api.app import create_app
from api.config import Settings
from api.services import keys
from tests.receiver import eventually, receiving
from tests.serving import serve

DEADLINES, KILLS, WORKERS = 500, 50, 3
TIMED_OUT = 'SELECT count(*) FROM entries WHERE public LIKE \'%"type":"timed_out"%\''


@pytest.fixture
def games(settings: Settings, sql: psycopg.Connection) -> Iterator[Callable[..., Any]]:
    """Games whose deadline passed long ago, half of which go on after it; gives a client of their app."""
    app = create_app(settings, clock=lambda: datetime.now(UTC) - timedelta(days=30))
    engine = create_engine(settings.database_url)
    with engine.begin() as connection:
        _, key = keys.create_app_key(connection, "host", ["read", "write"], None)
    engine.dispose()

    def call(method: str, path: str, **more: Any) -> Any:
        client = app.test_client()
        return client.open(path, method=method, headers={"Authorization": f"Bearer {key}"}, **more).json

    call("POST", "/v1/webhooks", json={"url": "https://example.org/", "events": ["turn.timed_out"]})
    players = [call("POST", "/v1/players", json={"name": name})["id"] for name in ("Anna", "Ben")]
    for on_timeout in ("resign", "random_move"):
        wanted = {
            "ruleset": "cats_and_dogs",
            "seats": [{"player": player} for player in players],
            "pace": {"per_move": "PT72H", "on_timeout": on_timeout},
        }
        game = call("POST", "/v1/games", json=wanted)["id"]
        copy(sql, game, DEADLINES // 2 - 1)
    yield call
    app.extensions["card_referee"].database.close()


def copy(sql: psycopg.Connection, game: str, times: int) -> None:
    """Copy a game with its seats and its log under other ids."""
    sql.execute(
        f"CREATE TEMPORARY TABLE copies AS SELECT gen_random_uuid() id FROM generate_series(1, {times})"
    )
    for table, key in (("games", "id"), ("game_seats", "game_id"), ("entries", "game_id")):
        names = [
            row[0]
            for row in sql.execute(
                "SELECT column_name FROM information_schema.columns WHERE table_name = %s", (table,)
            )
            if row[0] != key
        ]
        columns = ", ".join(f"t.{name}" for name in names)
        order = " ORDER BY copies.id, t.seq" if table == "entries" else ""
        sql.execute(
            f"INSERT INTO {table} ({key}, {', '.join(names)}) SELECT copies.id, {columns}"
            f" FROM {table} t, copies WHERE t.{key} = %s{order}",
            (game,),
        )
    sql.execute("DROP TABLE copies")


def start(settings: Settings) -> int:
    """A worker as a process of its own, forked: it has nothing to import, so it works at once."""
    pid = os.fork()
    if pid == 0:
        try:
            jobs.run_worker(settings)
        finally:
            os._exit(0)
    return pid


def kill(pid: int, number: signal.Signals = signal.SIGKILL) -> None:
    os.kill(pid, number)
    os.waitpid(pid, 0)


def test_each_deadline_passes_once_whoever_dies(
    games: Callable[..., Any],
    settings: Settings,
    sql: psycopg.Connection,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(jobs, "DELIVERERS", 0)
    monkeypatch.setattr(jobs, "POLL", 0.05)
    dice = random.Random(6)
    workers = [start(settings) for _ in range(WORKERS)]
    try:
        for number in range(KILLS):
            share = number * DEADLINES // (2 * KILLS)  # so that each dies with work under way
            assert eventually(lambda share=share: sql.execute(TIMED_OUT).fetchone()[0] >= share)
            time.sleep(dice.random() * 0.02)
            kill(workers.pop(dice.randrange(WORKERS)))
            workers.append(start(settings))
        assert sql.execute("SELECT count(*) FROM game_seats WHERE deadline < now()").fetchone()[0] > 0
        assert eventually(
            lambda: sql.execute("SELECT count(*) FROM game_seats WHERE deadline < now()").fetchone()[0] == 0
        )
    finally:
        for pid in workers:
            kill(pid, signal.SIGTERM)
    each = sql.execute(
        'SELECT game_id, count(*) FILTER (WHERE public LIKE \'%"type":"timed_out"%\'), max(seq), count(*)'
        " FROM entries GROUP BY game_id"
    ).fetchall()
    assert len(each) == DEADLINES
    assert {late for _, late, _, _ in each} == {1}
    assert all(last == number for _, _, last, number in each)
    told = sql.execute("SELECT count(*), count(DISTINCT game_id) FROM deliveries").fetchone()
    assert told == (DEADLINES, DEADLINES)
    states = dict(sql.execute("SELECT status, count(*) FROM games GROUP BY status").fetchall())
    assert states == {"finished": DEADLINES // 2, "running": DEADLINES // 2}
    for game_id, *_ in dice.sample(each, 6):
        assert games("GET", f"/v1/games/{game_id}/verification")["ok"]


def test_the_server_s_own_worker_enforces_and_tells(data_dir: Path) -> None:
    with receiving() as receiver, serve(data_dir, ALLOW_PRIVATE_WEBHOOKS="true") as server:
        client = httpx.Client(
            base_url=server.url, headers={"Authorization": f"Bearer {server.key}"}, timeout=60
        )
        assert client.post("/v1/webhooks", json={"url": receiver.url}).status_code == 201
        player = client.post("/v1/players", json={"name": "Anna"}).json()["id"]
        wanted = {
            "ruleset": "cats_and_dogs",
            "seats": [{"player": player}, {"bot": "random"}],
            "pace": {"per_move": "PT1S", "on_timeout": "resign"},
        }
        game = client.post("/v1/games", json=wanted).json()["id"]
        assert eventually(lambda: client.get(f"/v1/games/{game}").json()["status"] == "finished")
        assert eventually(lambda: len(receiver.events()) >= 4)
        events = receiver.events()
        assert [event["type"] for event in events] == [
            "game.started",
            "turn.began",
            "turn.timed_out",
            "game.finished",
        ]
        assert {event["data"]["game"] for event in events} == {game}
