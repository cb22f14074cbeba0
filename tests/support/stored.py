"""What is in the database: games, decrypted, and what belongs to an app; and which statements ask for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from uuid import UUID

import psycopg
import pytest

from api.core.config import Settings, libpq
from api.store import games
from api.store.database.connections import PooledConnection
from api.store.database.session import Database, Session
from api.store.games import GameRow
from tests.support.tenants import OWNERS


def stored_game(settings: Settings, game_id: UUID) -> GameRow:
    """Return a game's row as the owner of the tables reads it."""
    database = Database(replace(settings, database_url=settings.owner_database_url))
    session = Session(database)
    try:
        row = games.get(session, game_id)
    finally:
        session.close()
        database.close()
    assert row is not None
    return row


TABLES = (("games", "id"), ("game_seats", "game_id"), ("turns", "game_id"), ("entries", "game_id"))


@contextmanager
def unencrypted(settings: Settings) -> Iterator[Settings]:
    """Yield settings without encryption, for a database that knows of none meanwhile."""
    with psycopg.connect(libpq(settings.owner_database_url), autocommit=True) as owner:
        (key,) = owner.execute("DELETE FROM encryption RETURNING prefix").fetchall()
        yield replace(settings, encryption_keys=())
        owner.execute("INSERT INTO encryption (prefix) VALUES (%s)", key)


def keep_models(sql: psycopg.Connection, games: list[str]) -> None:
    """Store games as models for copies on this connection. Works only without encryption."""
    for table, key in TABLES:
        sql.execute(f"CREATE TEMPORARY TABLE model_{table} AS SELECT * FROM {table}")
        sql.execute(f"DELETE FROM model_{table} WHERE {key} <> ALL(%s)", (games,))


def copy_model(sql: psycopg.Connection, game: str, times: int) -> None:
    """Copy a stored game with its seats and its log, under other ids."""
    with sql.transaction():
        sql.execute(
            "CREATE TEMPORARY TABLE copies ON COMMIT DROP AS"
            f" SELECT gen_random_uuid() id FROM generate_series(1, {times})"
        )
        for table, key in TABLES:
            names = [
                row[0]
                for row in sql.execute(
                    "SELECT column_name FROM information_schema.columns"
                    " WHERE table_schema = 'public' AND table_name = %s",
                    (table,),
                )
                if row[0] != key
            ]
            columns = ", ".join(f"t.{name}" for name in names)
            order = " ORDER BY copies.id, t.seq" if table == "entries" else ""
            sql.execute(
                f"INSERT INTO {table} ({key}, {', '.join(names)}) SELECT copies.id, {columns}"
                f" FROM model_{table} t, copies WHERE t.{key} = %s{order}",
                (game,),
            )


def whole_tables(sql: psycopg.Connection) -> set[str]:
    """Return the names of all tables, without partitions."""
    rows = sql.execute(
        "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace"
        " AND relkind IN ('r', 'p') AND NOT relispartition"
    )
    return {name for (name,) in rows}


@contextmanager
def recorded(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Return the statements that requests run meanwhile, without those that begin or end a transaction."""
    found: list[str] = []
    execute = PooledConnection.execute

    def run(self: PooledConnection, query: Any, *arguments: Any, **more: Any) -> Any:
        found.append(str(query))
        return execute(self, query, *arguments, **more)

    with monkeypatch.context() as patched:
        patched.setattr(PooledConnection, "execute", run)
        yield found


Rows = dict[str, set[str]]
THINGS = (
    "SELECT table_name FROM information_schema.columns WHERE table_schema = 'public' AND column_name = 'id'"
)
OF_LEAVES = "number, ended, commitment, data"  # without their games


def stored(sql: psycopg.Connection) -> Rows:
    shown = dict.fromkeys(whole_tables(sql), "t") | {"tree_leaves": f"({OF_LEAVES})"}
    return {
        table: {row[0] for row in sql.execute(f"SELECT {each}::text FROM {table} t")}
        for table, each in shown.items()
    }


def ids_of(sql: psycopg.Connection, app: object) -> set[str]:
    """Return every id that an app has."""
    found = {str(app)}
    for (table,) in sql.execute(THINGS).fetchall():
        if table in OWNERS and table != "apps":
            found |= {
                str(row[0])
                for row in sql.execute(f"SELECT id FROM {table} WHERE {OWNERS[table]} = %s", (app,))
            }
    return found


def without(rows: Rows, ids: set[str]) -> Rows:
    return {table: {row for row in of if not any(each in row for each in ids)} for table, of in rows.items()}
