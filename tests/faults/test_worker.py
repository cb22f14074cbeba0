"""Workers that are killed at any moment: every deadline is enforced exactly once."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
from sqlalchemy import create_engine

from api.app import create_app
from api.callers import app_keys
from api.core.config import Settings
from api.features.notices.dispatch import Dispatcher
from api.run import worker as jobs
from tests.servers.receiver import eventually, receiving
from tests.servers.serving import TIMEOUT, serve
from tests.support.stored import copy_model, keep_models, unencrypted
from tests.support.workers import Worker, killed

KILLS, WORKERS = 50, 3
OUR_RECEIVER = {"ALLOW_PRIVATE_WEBHOOKS": "true", "COMPUTE_WORKERS": "0"}
BATCH = 5  # games of each kind that become overdue together
OVERDUE = "SELECT count(*) FROM turns WHERE deadline < now()"


@pytest.fixture
def settings(settings: Settings) -> Iterator[Settings]:
    """Yield settings without encryption, because these tests copy values to other ids."""
    with unencrypted(settings) as plain:
        yield plain


@pytest.fixture
def app_client(settings: Settings) -> Iterator[Callable[..., Any]]:
    """Return a client of an app whose clock is thirty days slow: its deadlines have passed for the worker."""
    app = create_app(settings, clock=lambda: datetime.now(UTC) - timedelta(days=30))
    engine = create_engine(settings.owner_database_url)
    with engine.begin() as connection:
        _, key = app_keys.create_app_key(connection, "host", ["read", "write"], None)
    engine.dispose()

    def call(method: str, path: str, **more: Any) -> Any:
        client = app.test_client()
        return client.open(path, method=method, headers={"Authorization": f"Bearer {key}"}, **more).json

    yield call
    app.extensions["card_referee"].database.close()


@pytest.fixture
def overdue(app_client: Callable[..., Any], sql: psycopg.Connection) -> Callable[[], None]:
    """Return a function that creates games whose deadline has passed; half of them continue afterwards."""
    app_client("POST", "/v1/webhooks", json={"url": "https://example.org/", "events": ["game.timed_out"]})
    players = [app_client("POST", "/v1/players", json={"name": name})["id"] for name in ("Anna", "Ben")]
    models = []
    for on_timeout in ("resign", "random_move"):
        wanted = {
            "ruleset": "cats_and_dogs",
            "seats": [{"player": player} for player in players],
            "pace": {"per_move": "PT72H", "on_timeout": on_timeout},
        }
        models.append(app_client("POST", "/v1/games", json=wanted)["id"])
    keep_models(sql, models)

    def make() -> None:
        for model in models:
            copy_model(sql, model, BATCH)

    return make


@pytest.mark.long
def test_each_deadline_is_enforced_once_whichever_worker_dies(
    app_client: Callable[..., Any],
    overdue: Callable[[], None],
    settings: Settings,
    sql: psycopg.Connection,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each worker is killed in the middle of a transaction, on fast and slow machines alike."""
    monkeypatch.setattr(Dispatcher, "run", lambda self: None)
    often = [job._replace(pause=min(job.pause, 0.05)) for job in jobs.CLOCKWORK]  # sooner than it does
    monkeypatch.setattr(jobs, "CLOCKWORK", often)
    monkeypatch.setattr(jobs, "POLL", 0.05)
    dice = random.Random(6)

    def caught(worker: Worker) -> bool:
        if sql.execute(OVERDUE).fetchone()[0] < BATCH:
            overdue()
        return worker.halted_at_work(sql)

    with killed(settings, WORKERS, KILLS, dice, caught):
        assert eventually(lambda: sql.execute(OVERDUE).fetchone()[0] == 0, TIMEOUT)
    each = sql.execute(
        'SELECT game_id, count(*) FILTER (WHERE public LIKE \'%"type":"timed_out"%\'), max(seq), count(*)'
        " FROM entries GROUP BY game_id"
    ).fetchall()
    games = len(each)
    assert games > KILLS
    assert {late for _, late, _, _ in each} == {1}
    assert all(last == number for _, _, last, number in each)
    counts = sql.execute("SELECT count(*), count(DISTINCT game_id) FROM outbox").fetchone()
    assert counts == (games, games)
    states = dict(sql.execute("SELECT status, count(*) FROM games GROUP BY status").fetchall())
    assert states == {"finished": games // 2, "running": games // 2}
    for game_id, *_ in dice.sample(each, 6):
        assert app_client("GET", f"/v1/games/{game_id}/verification")["ok"]


@pytest.mark.long
def test_the_servers_own_worker_enforces_and_notifies(data_dir: Path) -> None:
    with receiving() as receiver, serve(data_dir, **OUR_RECEIVER) as server:
        client = httpx.Client(
            base_url=server.url, headers={"Authorization": f"Bearer {server.key}"}, timeout=TIMEOUT
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
        assert eventually(lambda: len(receiver.events()) >= 7)
        events = receiver.events()
        assert [event["type"] for event in events] == [
            "game.created",
            "game.joined",
            "game.joined",
            "game.started",
            "turn.began",
            "game.timed_out",
            "game.finished",
        ]
        assert {event["data"]["game"] for event in events} == {game}
