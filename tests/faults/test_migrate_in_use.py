"""`migrate` on a database in use: it waits for moves, moves wait for it, and no transaction is aborted."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg
import pytest
from alembic import command
from sqlalchemy import create_engine

from api.core.config import Settings, StartError, libpq
from api.run import locks, migrate
from api.store.database import schema
from tests.api.conftest import *  # noqa: F403  # the fixtures
from tests.api.conftest import Caller, first_move, new_game

FORGET_POLICIES = """
    DO $$ DECLARE one record; BEGIN
        FOR one IN SELECT policyname, tablename FROM pg_policies WHERE schemaname = 'public' LOOP
            EXECUTE format('COMMENT ON POLICY %%I ON %%I IS NULL', one.policyname, one.tablename);
        END LOOP;
    END $$
"""


@contextmanager
def load(host: Caller, players: list[Caller], worker: Callable[[], None]) -> Iterator[Counter[int]]:
    """Play games from several threads, with a worker, and count the answers by status."""
    statuses, stop = Counter[int](), threading.Event()

    def play(number: int) -> None:
        game, seq = None, 0
        while not stop.is_set():
            seq += 1
            if game is None or game["status"] != "running":
                game = new_game(host, players[:2], "bisca")
            mover = players[game["to_act"][0]]
            headers = {"Idempotency-Key": f"move-{number}-{seq}"}
            body = {"move": first_move(mover, game)}
            answer = mover.post(f"/v1/games/{game['id']}/moves", body, headers=headers)
            statuses[answer.status_code] += 1
            game = answer.json.get("game")

    def work() -> None:
        while not stop.is_set():
            worker()
            statuses[200] += 1

    failures: list[BaseException] = []

    def guarded(run: Callable[[], None]) -> None:
        try:
            run()
        except BaseException as error:
            failures.append(error)

    runs = [*(lambda number=number: play(number) for number in range(6)), work]
    threads = [threading.Thread(target=guarded, args=(run,)) for run in runs]
    for thread in threads:
        thread.start()
    try:
        yield statuses
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert failures == []


def deadlocks(sql: psycopg.Connection) -> int:
    sql.execute("SELECT pg_stat_force_next_flush()")
    row = sql.execute("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()").fetchone()
    assert row is not None
    return int(row[0])


def test_a_database_in_use_is_migrated_without_a_deadlock(
    host: Caller,
    four: list[Caller],
    worker: Callable[[], None],
    settings: Settings,
    sql: psycopg.Connection,
) -> None:
    with load(host, four, worker) as statuses:
        for _ in range(3):
            put_back(settings)
            before = statuses[201]
            migrate.upgrade(settings)
            assert sql.execute("SELECT version_num FROM alembic_version").fetchone() == (schema.newest(),)
            time.sleep(0.5)
            assert statuses[201] > before
        migrate.upgrade(settings)  # only the functions and the rights
    assert set(statuses) == {200, 201}
    assert deadlocks(sql) == 0


def put_back(settings: Settings) -> None:
    """Leave the newest migration and all policies to be made again; how this gets its locks is not tested."""
    engine = create_engine(settings.owner_database_url)
    for _ in range(100):
        with engine.begin() as connection:
            if locks.lock_tables(connection):
                command.downgrade(migrate.config(connection), "-1")
                connection.exec_driver_sql(FORGET_POLICIES)
                break
        time.sleep(0.1)
    engine.dispose()


def test_a_database_that_somebody_keeps_locked_is_not_migrated(
    host: Caller, settings: Settings, sql: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrate, "PATIENCE", 2)
    put_back(settings)
    with psycopg.connect(libpq(settings.owner_database_url), application_name="pg_dump") as other:
        other.execute("SELECT FROM games")
        with pytest.raises(StartError, match=r"in use, .* \(pg_dump\)"):
            migrate.upgrade(settings)
        assert host.get("/v1/games").status_code == 200
    migrate.upgrade(settings)
    assert sql.execute("SELECT version_num FROM alembic_version").fetchone() == (schema.newest(),)
