"""What the tables have, with and without what belongs to an app."""

from __future__ import annotations

import psycopg

from tests.support.stored import whole_tables
from tests.support.tenants import OWNERS

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
