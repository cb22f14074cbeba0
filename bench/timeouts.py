"""Measure how many deadlines per second the job worker enforces when very many have passed at once.

Each game is a copy of one that was created through the API. In half of them the late seat resigns, in the
others a move is made for it. A webhook gets a notification of each.

    python -m bench.timeouts [GAMES]
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import sys
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import psutil
import psycopg
import structlog
from sqlalchemy import create_engine

from api.app import create_app
from api.callers import app_keys
from api.core.config import Settings, libpq
from api.run import migrate
from api.run.embedded.postgres import supervise
from api.run.embedded.roles import OWNER, SERVICE, WORKER
from api.run.worker import run_worker
from bench.deliveries import receiving
from tests.servers.serving import free_directory
from tests.support.stored import copy_model, keep_models

GAMES = 10_000
LATE = "SELECT count(*) FROM turns WHERE deadline < now()"


def main() -> None:
    """Measure, and print a line for each kind of deadline."""
    games = int(sys.argv[1]) if len(sys.argv) > 1 else GAMES
    with free_directory() as directory, supervise(directory) as server:
        assert server is not None
        urls = [server.url(role, "bench") for role in (SERVICE, OWNER, WORKER)]
        settings = Settings(
            database_url=urls[0],
            owner_database_url=urls[1],
            worker_database_url=urls[2],
            data_dir=directory,
            allow_private_webhooks=True,
            webhook_ports=None,
        )
        with psycopg.connect(libpq(server.url(OWNER, "postgres")), autocommit=True) as first:
            first.execute("CREATE DATABASE bench")
        migrate.upgrade(settings)
        structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
        with receiving(0.0) as receiver, psycopg.connect(libpq(urls[1]), autocommit=True) as sql:
            models = {kind: model(settings, kind, receiver.port) for kind in ("resign", "random_move")}
            keep_models(sql, list(models.values()))
            wait_for(sql, settings)
            print(f"{'':<12} {'a second':>8} {'worker ms each':>14}")
            for kind, game in models.items():
                measure(sql, settings, kind, game, games // 2)


def model(settings: Settings, on_timeout: str, port: int) -> str:
    """Create a game whose deadline has passed for everybody except the application that creates it."""
    app = create_app(settings, clock=lambda: datetime.now(UTC) - timedelta(days=30))
    engine = create_engine(settings.owner_database_url)
    with engine.begin() as connection:
        _, key = app_keys.create_app_key(connection, "bench", ["read", "write"], None)
    engine.dispose()

    def call(path: str, body: Any) -> str:
        headers = {"Authorization": f"Bearer {key}"}
        answer = app.test_client().post(path, json=body, headers=headers)
        assert answer.json is not None
        return str(answer.json["id"])

    if on_timeout == "resign":
        call("/v1/webhooks", {"url": f"http://127.0.0.1:{port}/", "events": ["game.timed_out"]})
    seats = [{"player": call("/v1/players", {"name": name})} for name in ("Anna", "Ben")]
    pace = {"per_move": "PT72H", "on_timeout": on_timeout}
    made = call("/v1/games", {"ruleset": "cats_and_dogs", "seats": seats, "pace": pace})
    app.extensions["card_referee"].database.close()
    return made


def wait_for(sql: psycopg.Connection, settings: Settings) -> tuple[float, float]:
    """Let a worker run until no deadline is left; return the elapsed seconds and its processor seconds."""
    process = multiprocessing.Process(target=run_worker, args=(settings,))
    process.start()
    begun, late = time.monotonic(), 1
    while late:
        time.sleep(0.05)
        row = sql.execute(LATE).fetchone()
        late = row[0] if row else 0
    seconds = time.monotonic() - begun
    used = sum(psutil.Process(process.pid).cpu_times()[:2])
    os.kill(process.pid or 0, signal.SIGTERM)
    process.join()
    return seconds, used


def measure(sql: psycopg.Connection, settings: Settings, kind: str, game: str, games: int) -> None:
    """Let the deadlines of this many games pass, and print how long it took to enforce them all."""
    for _ in range(0, games, 500):
        copy_model(sql, game, 500)
    sql.execute("ANALYZE")
    seconds, used = wait_for(sql, settings)
    print(f"{kind:<12} {games / seconds:>8.0f} {used / games * 1000:>14.2f}", flush=True)
    sql.execute("DELETE FROM outbox")


if __name__ == "__main__":
    main()
