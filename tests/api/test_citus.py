"""What Citus makes of the schema and of the statements as they are: `docs/citus.md` holds the same account.

`make citus` starts a cluster and sets CITUS_URL; without one there is nothing to try. With CITUS_WRITE=yes it
writes the account anew.
"""

from __future__ import annotations

import os
import re
import textwrap
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from flask import Flask

from api.core.config import Settings, libpq
from api.core.context import Context
from api.run import migrate
from api.run.worker import keep_time
from api.store.database.session import Database, Session
from api.store.outbox import deliveries
from tests.api import test_one_game
from tests.api.conftest import Caller, Clock
from tests.api.partitions import SPLIT, Statement, sent

URL = os.environ.get("CITUS_URL", "")
pytestmark = [pytest.mark.long, pytest.mark.skipif(not URL, reason="make citus sets CITUS_URL")]
ACCOUNT = Path(__file__).parents[2] / "docs" / "citus.md"
BEGIN, END = "<!-- what Citus says: make citus -->\n", "<!-- end -->"

# What statements about a game look at beside it has to be on every machine.
REFERENCE = ("apps", "players", "credentials", "test_clocks", "webhooks", "contacts", "push_subscriptions")
HASHED = {**SPLIT, "deliveries": "game_id", "idempotency": "owner"}
TABLES = {*REFERENCE, *HASHED}
NAMED = re.compile(rf"\b(INSERT INTO|UPDATE|DELETE FROM|FROM|JOIN) ({'|'.join([*REFERENCE, *HASHED])})\b")

# What stands in the way of distributing tables: of which table it is, its name, and what drops it.
OBSTACLES = {
    "policies with a subquery": """
        SELECT tablename, policyname, format('DROP POLICY %%I ON %%I', policyname, tablename)
        FROM pg_policies WHERE schemaname = 'public' AND coalesce(qual, with_check) ~ 'SELECT'
    """,
    "foreign keys": """
        SELECT conrelid::regclass::text, conname,
            format('ALTER TABLE %%s DROP CONSTRAINT %%I', conrelid::regclass, conname)
        FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace
    """,
    "triggers": """
        SELECT tgrelid::regclass::text, tgname, format('DROP TRIGGER %%I ON %%s', tgname, tgrelid::regclass)
        FROM pg_trigger JOIN pg_class c ON c.oid = tgrelid
        WHERE NOT tgisinternal AND c.relnamespace = 'public'::regnamespace
    """,
    "unique keys without the column": """
        SELECT i.indrelid::regclass::text, c.relname, CASE WHEN indisprimary
            THEN format('ALTER TABLE %%s DROP CONSTRAINT %%I', i.indrelid::regclass, c.relname)
            ELSE format('DROP INDEX %%I', c.relname) END
        FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
        JOIN unnest(%(tables)s::text[], %(columns)s::text[]) AS d (name, by)
            ON d.name = i.indrelid::regclass::text
        JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attname = d.by
        WHERE indisunique AND NOT a.attnum = ANY (i.indkey)
    """,
    "identities": """
        SELECT attrelid::regclass::text, attname,
            format('ALTER TABLE %%s ALTER %%I DROP IDENTITY', attrelid::regclass, attname)
        FROM pg_attribute WHERE attidentity <> '' AND attrelid::regclass::text = ANY (%(tables)s)
    """,
}


@pytest.fixture
def cluster() -> Iterator[psycopg.Connection]:
    """The coordinator, with the schema as `migrate` makes it; once for each `make citus`."""
    migrate.upgrade(Settings(database_url=URL, owner_database_url=URL))
    with psycopg.connect(libpq(URL), autocommit=True) as connection:
        yield connection


def refusal(cluster: psycopg.Connection, statement: str, values: Any = None) -> str | None:
    """Return why Citus refuses a statement; None where it runs."""
    try:
        with psycopg.ClientCursor(cluster) as cursor:
            cursor.execute(statement, values)
    except psycopg.Error as error:
        detail = error.diag.message_detail or ""
        return f"{error.diag.message_primary}{f' ({detail})' if len(detail) < 90 and detail else ''}"
    return None


def distribute(cluster: psycopg.Connection) -> dict[str, str]:
    """Distribute every table; return why those that Citus refuses are refused."""
    found = dict[str, str | None]()
    for table in REFERENCE:
        found[table] = refusal(cluster, "SELECT create_reference_table(%s)", (table,))
    for table, column in HASHED.items():
        found[table] = refusal(cluster, "SELECT create_distributed_table(%s, %s)", (table, column))
    return {table: why for table, why in found.items() if why is not None}


def remove_obstacles(cluster: psycopg.Connection) -> list[str]:
    """Remove whatever stands in the way, and return lines that say what it was."""
    lines = list[str]()
    values = {"tables": list(HASHED), "columns": list(HASHED.values())}
    for kind, query in OBSTACLES.items():
        rows = cluster.execute(query, values).fetchall()
        names = sorted(f"`{table}.{name}`" for table, name, _ in rows if table in TABLES)
        text = f"- {kind} ({len(names)}): {', '.join(names)}"
        lines += textwrap.wrap(
            text, 118, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
        )
        for *_, statement in rows:
            cluster.execute(statement)
    return lines


def planned(cluster: psycopg.Connection, statements: list[Statement]) -> list[tuple[str, str]]:
    """Return what becomes of statements, each by what it does: how many shards it goes to, or why not."""
    found = set()
    for text, values in {each.text: each for each in statements}.values():
        if not NAMED.search(text):
            continue
        done = NAMED.findall(text)
        writes = dict.fromkeys(f"{verb} {table}" for verb, table in done if verb not in ("FROM", "JOIN"))
        reads = dict.fromkeys(table for _, table in done)
        what = ", ".join(writes) or f"SELECT from {', '.join(reads)}"
        found.add((what, refusal(cluster, f"EXPLAIN {text}", values) or _shards(cluster, text, values)))
    return sorted(found)


def _shards(cluster: psycopg.Connection, text: str, values: Any) -> str:
    with psycopg.ClientCursor(cluster) as cursor:
        plan = "\n".join(row[0] for row in cursor.execute(f"EXPLAIN {text}", values).fetchall())
    tasks = [int(number) for number in re.findall(r"Task Count: (\d+)", plan)]
    if not tasks:
        return "the coordinator, which passes rows on"
    where = "one shard" if max(tasks) == 1 else "every shard"
    return where if len(tasks) < 2 else f"{where}, in {len(tasks)} steps"


@pytest.fixture
def across(
    app: Flask,
    host: Caller,
    four: list[Caller],
    clock: Clock,
    workers_database: Database,
    monkeypatch: pytest.MonkeyPatch,
) -> list[Statement]:
    """What is asked about all games of a player or an app, and by the worker."""
    session = Session(workers_database)
    with sent(monkeypatch) as statements:
        for path in ("/v1/me/turns", "/v1/games?mine=true", "/v1/me/statistics"):
            four[0].get(path)
        host.get("/v1/games")
        host.get("/v1/events")
        context = Context(app.extensions["card_referee"].settings, session, clock)
        keep_time(context)
        with session.transaction():
            deliveries.claim(session, clock(), clock() + timedelta(1), (1, {}, 1), 1)
    session.close()
    return statements


asked = test_one_game.asked


def test_the_account_is_what_citus_says(
    cluster: psycopg.Connection, asked: list[Statement], across: list[Statement]
) -> None:
    refused = distribute(cluster)
    lines = ["Refused as `migrate` leaves them:", ""]
    lines += [f"- {why} ({times})" for why, times in Counter(refused.values()).most_common()]
    lines += ["", "What is in the way:", "", *remove_obstacles(cluster), ""]
    still = {table: why for table, why in distribute(cluster).items() if "already distributed" not in why}
    assert still == {}, "nothing else is in the way"
    for title, statements in (("About one game", asked), ("About many games", across)):
        lines += [f"{title}:", "", "| statement | planned for |", "| --- | --- |"]
        lines += [f"| {what} | {why} |" for what, why in planned(cluster, statements)]
        lines.append("")
    if os.environ.get("CITUS_WRITE"):
        before, _, rest = ACCOUNT.read_text().partition(BEGIN)
        ACCOUNT.write_text(f"{before}{BEGIN}{chr(10).join(lines)}{END}{rest.partition(END)[2]}")
    kept = ACCOUNT.read_text().partition(BEGIN)[2].partition(END)[0]
    assert kept.strip() == "\n".join(lines).strip()
