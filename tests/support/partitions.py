"""Copies of tables partitioned by game: PostgreSQL's planner shows which partitions a statement reads.

Unlike an index, a partition is excluded from a plan only if the statement itself names the game, with a value
that is known before it runs. A database that is spread over several machines requires the same of a
statement.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import psycopg
import pytest

from api.store.tables import games, metadata

PARTS = 16


class Statement(NamedTuple):
    """A statement as it was sent, with its values."""

    text: str
    values: Any


# Every table whose rows belong to one game each, with the column that names the game.
SPLIT = {games.games.name: "id"} | {
    table.name: "game_id" for table in metadata.sorted_tables if "game_id" in table.primary_key.columns
}


def split(sql: psycopg.Connection) -> None:
    """Create an empty, partitioned copy of each of these tables."""
    sql.execute("CREATE SCHEMA split")
    for table, column in SPLIT.items():
        sql.execute(f"CREATE TABLE split.{table} (LIKE public.{table}) PARTITION BY HASH ({column})")
        key = ", ".join(metadata.tables[table].primary_key.columns.keys())
        sql.execute(f"ALTER TABLE split.{table} ADD PRIMARY KEY ({key})")
        for part in range(PARTS):
            sql.execute(
                f"CREATE TABLE split.{table}_{part} PARTITION OF split.{table}"
                f" FOR VALUES WITH (MODULUS {PARTS}, REMAINDER {part})"
            )
    sql.execute("SET search_path = split, public")


@contextmanager
def sent(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Statement]]:
    """Collect all statements that are sent meanwhile, by any method of the driver."""
    found: list[Statement] = []
    execute, executemany = psycopg.Cursor.execute, psycopg.Cursor.executemany

    def run(self: Any, query: Any, params: Any = None, **more: Any) -> Any:
        found.append(Statement(str(query), params))
        return execute(self, query, params, **more)

    def run_each(self: Any, query: Any, params_seq: Any, **more: Any) -> Any:
        found.extend(Statement(str(query), params) for params in params_seq)
        return executemany(self, query, params_seq, **more)

    with monkeypatch.context() as patched:
        patched.setattr(psycopg.Cursor, "execute", run)
        patched.setattr(psycopg.Cursor, "executemany", run_each)
        yield found


def parts(sql: psycopg.Connection, statement: Statement) -> tuple[set[str], set[str]]:
    """Return the partitions that a statement uses, and tables into which it inserts rows of an unnamed game.

    The values are written into the planned statement, so PostgreSQL knows exactly what they say.
    """
    with psycopg.ClientCursor(sql) as cursor:
        cursor.execute(f"EXPLAIN (FORMAT JSON, VERBOSE) {statement.text}", statement.values)
        row = cursor.fetchone()
    assert row is not None
    used, unnamed = set[str](), set[str]()
    nodes = list(_nodes(row[0][0]["Plan"]))
    keys = {f"{node['Alias']}.{column}" for node in nodes for column in _column_of(node)}
    for node in nodes:
        name = node.get("Relation Name", "")
        if node.get("Schema") != "split":
            continue
        if name not in SPLIT:
            used.add(name)
        elif node.get("Operation") == "Insert" and not _names_game(name, node, keys):
            unnamed.add(name)
    return used, unnamed


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for inner in plan.get("Plans", ()):
        yield from _nodes(inner)


def _column_of(scan: dict[str, Any]) -> list[str]:
    """Return the partitioning column of the partition that is scanned, or None."""
    table = scan.get("Relation Name", "").rpartition("_")[0]
    return [SPLIT[table]] if scan.get("Schema") == "split" and table in SPLIT else []


def _names_game(table: str, insert: dict[str, Any], keys: set[str]) -> bool:
    """Return whether the statement contains the game of inserted rows or reads it from a partition."""
    source = next(inner for inner in insert["Plans"] if inner["Parent Relationship"] == "Outer")
    place = list(metadata.tables[table].columns.keys()).index(SPLIT[table])
    value: str = source["Output"][place]
    return value.startswith("'") or "*VALUES*" in value or value in keys
