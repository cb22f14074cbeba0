"""Workers that are killed while they announce entries: every notice arrives, in order, with one id."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import psycopg
import pytest
from sqlalchemy import create_engine

from api.app import create_app
from api.callers import app_keys
from api.core.config import Settings
from api.feature import Job
from api.features.notices import projection
from api.run import worker as jobs
from tests.servers.receiver import Receiver, eventually, receiving
from tests.servers.serving import TIMEOUT
from tests.support.callers import Caller, first_move, new_game
from tests.support.workers import Worker, killed

KILLS, WORKERS = 25, 2
PACE = {"per_move": "PT72H", "on_timeout": "resign"}


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return replace(settings, allow_private_webhooks=True, webhook_ports=None)


@pytest.fixture
def host(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Caller]:
    """Return an app of a web process that is killed after each commit: it wakes no worker."""
    app = create_app(settings)
    database = app.extensions["card_referee"].database
    monkeypatch.setattr(database.publisher, "publish", lambda pending: None)
    engine = create_engine(settings.owner_database_url)
    with engine.begin() as connection:
        _, key = app_keys.create_app_key(connection, "host", ["read", "write"], None)
    engine.dispose()
    yield Caller(app, key)
    database.close()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as running:
        yield running


@pytest.mark.long
def test_every_entry_is_announced_whichever_worker_dies(
    host: Caller,
    receiver: Receiver,
    settings: Settings,
    sql: psycopg.Connection,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Workers are killed in a transaction, in most of which they announce entries or note deliveries."""
    monkeypatch.setattr(jobs, "CLOCKWORK", (Job(projection.announce_all, 0.01),))
    monkeypatch.setattr(jobs, "POLL", 0.01)
    monkeypatch.setattr(projection, "BATCH", 4)
    hook = {"url": receiver.url, "events": ["game.moved", "turn.began", "game.finished"]}
    webhook = host.post("/v1/webhooks", hook).json["id"]
    players = [reachable(host, sql, name) for name in ("Anna", "Ben", "Cleo")]
    games = [new_game(host, players, pace=PACE) for _ in range(4)]
    dice = random.Random(26)

    def caught(worker: Worker) -> bool:
        number = dice.randrange(len(games))
        game = games[number]
        if game["status"] != "running":
            game = new_game(host, players, pace=PACE)
        mover = players[game["to_act"][0]]
        done = mover.post(f"/v1/games/{game['id']}/moves", {"move": first_move(mover, game)})
        games[number] = done.json["game"]
        return worker.halted_at_work(sql)

    with killed(settings, WORKERS, KILLS, dice, caught):
        count = "SELECT count(*) FROM outbox WHERE channel = 'webhook' AND delivered_at IS NULL"
        assert eventually(lambda: not behind(sql) and sql.execute(count).fetchone() == (0,), TIMEOUT)
    assert_all_arrived(sql, receiver, webhook)


def reachable(host: Caller, sql: psycopg.Connection, name: str) -> Caller:
    """Return a new player with a confirmed address, for whom each turn is queued and never sent."""
    player = host.post("/v1/players", {"name": name}).json["id"]
    caller = Caller(host.app, host.post(f"/v1/players/{player}/tokens").json["token"], player)
    wanted = {"frequency": "until_visit", "mail": ["turn.began"]}
    assert caller("PATCH", "/v1/me/preferences", wanted).status_code == 200
    confirm = "UPDATE contacts SET email = 'a@example.org', confirmed_at = now() WHERE player_id = %s"
    sql.execute(confirm, (player,))
    return caller


def behind(sql: psycopg.Connection) -> bool:
    """Return whether entries are still to be announced."""
    row = sql.execute(
        "SELECT EXISTS (SELECT FROM entries e JOIN notice_positions p USING (app_id)"
        " WHERE (e.tick, e.game_id, e.seq) > (p.tick, p.game_id, p.seq))"
    ).fetchone()
    return bool(row and row[0])


def assert_all_arrived(sql: psycopg.Connection, receiver: Receiver, webhook: str) -> None:
    expected: dict[str, list[tuple[str, int]]] = {}
    turns: Counter[tuple[str, int]] = Counter()
    rows = sql.execute("SELECT game_id, seq, public, notice FROM entries ORDER BY game_id, seq").fetchall()
    for game, seq, public, notice in rows:
        kind, awaited = json.loads(public)["type"], json.loads(notice or "{}").get("awaited", {})
        announced = [(f"game.{kind}", seq)] if kind in ("moved", "finished") else []
        expected.setdefault(str(game), []).extend(announced)
        expected[str(game)] += [("turn.began", seq)] * len(awaited)
        turns.update([(str(game), seq)] * len(awaited))
    arrived: dict[str, list[tuple[str, int]]] = {game: [] for game in expected}
    for event in receiver.events():
        arrived[event["data"]["game"]].append((event["type"], event["data"]["version"]))
    assert arrived == expected
    ids = sql.execute("SELECT count(*), count(DISTINCT id) FROM outbox WHERE channel = 'webhook'").fetchone()
    assert ids == (sum(map(len, expected.values())),) * 2
    mails = sql.execute("SELECT game_id, payload FROM outbox WHERE channel = 'mail'").fetchall()
    assert Counter((str(game), json.loads(payload)["data"]["version"]) for game, payload in mails) == turns
