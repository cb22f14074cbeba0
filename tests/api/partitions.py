"""The tables of games split by game, and PostgreSQL's own planner to say which parts a statement reads.

Other than an index, a partition is left out of a plan only where the statement itself names the game, with a
value that is known before it runs: just what a database that is spread over machines asks of a statement.
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


# Every table whose rows are of one game each, by its column that says of which.
SPLIT = {games.games.name: "id"} | {
    table.name: "game_id" for table in metadata.sorted_tables if "game_id" in table.primary_key.columns
}


def split(sql: psycopg.Connection) -> None:
    """Make each of these tables anew beside the real one, empty and in parts."""
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
    """All statements that are sent meanwhile, in whichever way."""
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
    """Return which parts of the split tables a statement uses, and into which it inserts by no game it names.

    The values stand in the statement as it is planned: PostgreSQL knows no more than they tell.
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
    """Return the column by which the part that is scanned was split off, if any is."""
    table = scan.get("Relation Name", "").rpartition("_")[0]
    return [SPLIT[table]] if scan.get("Schema") == "split" and table in SPLIT else []


def _names_game(table: str, insert: dict[str, Any], keys: set[str]) -> bool:
    """Return whether the game of inserted rows stands in the statement, or is that of a part that is read."""
    source = next(inner for inner in insert["Plans"] if inner["Parent Relationship"] == "Outer")
    place = list(metadata.tables[table].columns.keys()).index(SPLIT[table])
    value: str = source["Output"][place]
    return value.startswith("'") or "*VALUES*" in value or value in keys
