"""`migrate` on a database in use: it waits for moves, moves wait for it, and no transaction is aborted."""

from __future__ import annotations

import time
from collections.abc import Callable

import psycopg
import pytest
from alembic import command
from sqlalchemy import create_engine

from api.core.config import Settings, StartError, libpq
from api.run import migrate
from api.store import watch
from tests.servers.load import load
from tests.support.callers import Caller
from tests.support.migrations import invented as invented
from tests.support.service import *  # noqa: F403  # the fixtures

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("invented")]

FORGET_POLICIES = "COMMENT ON POLICY read ON games IS NULL"


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
    migrate.upgrade(settings)
    with load(host, four, worker) as statuses:
        for _ in range(3):
            put_back(settings)
            before = statuses[201]
            migrate.upgrade(settings)
            assert sql.execute("SELECT version_num FROM alembic_version").fetchone() == (watch.newest(),)
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
            if migrate.lock_tables(connection):
                command.downgrade(migrate.config(connection), "-1")
                connection.exec_driver_sql(FORGET_POLICIES)
                break
        time.sleep(0.1)
    engine.dispose()


def test_a_database_that_somebody_keeps_locked_is_not_migrated(
    host: Caller, settings: Settings, sql: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrate, "PATIENCE", 2)
    migrate.upgrade(settings)
    put_back(settings)
    with psycopg.connect(libpq(settings.owner_database_url), application_name="pg_dump") as other:
        other.execute("SELECT FROM games")
        with pytest.raises(StartError, match=r"in use, .* \(pg_dump\)"):
            migrate.upgrade(settings)
        assert host.get("/v1/games").status_code == 200
    migrate.upgrade(settings)
    assert sql.execute("SELECT version_num FROM alembic_version").fetchone() == (watch.newest(),)
