"""Distributes the tables over the machines of a Citus cluster, by game; nothing on a plain PostgreSQL.

What concerns one game is on one machine, kept responses are distributed by their owner, and what statements
about a game read beside it is on every machine. All other tables stay on the coordinator.
`docs/guides/citus.md` says what differs from a plain PostgreSQL.
"""

from __future__ import annotations

import psycopg
from sqlalchemy import Connection, text

from api.core.config import Settings, StartError, libpq
from api.store.tables import metadata
from api.store.tables.columns import MANAGED, REFERENCE, access_of
from api.store.tables.games import games

HAS_CITUS = text("SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')")
# Only what was not distributed by an earlier `migrate`.
DISTRIBUTED = text("SELECT logicalrelid::text FROM pg_dist_partition")

SETTINGS = """
    SET LOCAL citus.multi_shard_modify_mode TO 'sequential';
    SET LOCAL citus.enable_unsafe_triggers TO on
"""

# Each shard is a part of the log already.
ONE_LOG = """
    CREATE TABLE entries_whole (LIKE entries INCLUDING STORAGE);
    INSERT INTO entries_whole SELECT * FROM entries;
    DROP TABLE entries;
    ALTER TABLE entries_whole RENAME TO entries;
    ALTER TABLE entries ADD CONSTRAINT entries_pkey PRIMARY KEY (game_id, seq);
    CREATE INDEX entries_in_order ON entries (app_id, tick, game_id, seq);
    CREATE UNIQUE INDEX entries_by_request ON entries (game_id, request) WHERE request IS NOT NULL;
    CREATE TRIGGER append_only
        BEFORE UPDATE OF game_id, seq, public, hash, app_id, tick, request, fingerprint OR DELETE OR TRUNCATE
        ON entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
    CREATE TRIGGER append_only_unless_resealed BEFORE UPDATE ON entries FOR EACH STATEMENT
        WHEN (current_setting('card_referee.resealing', true) IS DISTINCT FROM 'on')
        EXECUTE FUNCTION refuse_change()
"""

# Triggers that use another table; statements do the same (`citus.py`).
TRIGGERS = {
    "games": ("leaf_of_new_game", "leaf_of_ended_game", "log_stays"),
}

# What is unique in an app, for which no machine can answer (`citus.py`).
CLAIMED = ("claimed_external_ids",)
CLAIMS = """
    CREATE TABLE claimed_external_ids (
        app_id uuid, external_id text, game_id uuid, PRIMARY KEY (app_id, external_id, game_id));
    INSERT INTO claimed_external_ids SELECT app_id, external_id, id FROM games WHERE external_id IS NOT NULL;
    CREATE UNIQUE INDEX claimed_external_id ON claimed_external_ids (app_id, external_id);
    CREATE INDEX claimed_by_game ON claimed_external_ids (game_id);
"""

# What Citus refuses: policies with subqueries, foreign keys between machines, and unique keys without the
# column by which their table is distributed.
IN_THE_WAY = (
    """
    SELECT format('DROP POLICY %I ON %I', policyname, tablename) FROM pg_policies WHERE schemaname = 'public'
    """,
    """
    SELECT format('ALTER TABLE %I DISABLE ROW LEVEL SECURITY', relname) FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relrowsecurity
    """,
    """
    SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) FROM pg_constraint
    WHERE contype = 'f' AND connamespace = 'public'::regnamespace AND conparentid = 0
    """,
    """
    SELECT format('DROP INDEX %s; %s', i.indexrelid::regclass,
        replace(pg_get_indexdef(i.indexrelid), 'CREATE UNIQUE INDEX', 'CREATE INDEX'))
    FROM pg_index i JOIN unnest(CAST(:tables AS text[]), CAST(:columns AS text[])) AS d (name, by)
        ON to_regclass(d.name) = i.indrelid
    JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attname = d.by
    WHERE i.indisunique AND NOT i.indisprimary AND NOT a.attnum = ANY (i.indkey)
    """,
)


def placed(kind: str) -> list[str]:
    """List the tables that are `REFERENCE` or `MANAGED`, without those of CLAIMS."""
    return [table.name for table in metadata.sorted_tables if access_of(table).citus == kind]


def hashed() -> dict[str, str]:
    """Return the tables that are distributed, each with its column; that of games comes first."""
    placed = {table.name: access_of(table).citus for table in metadata.sorted_tables}
    columns = {name: column for name, column in placed.items() if column not in (None, REFERENCE, MANAGED)}
    return {games.name: "id"} | {name: str(column) for name, column in columns.items()}


def is_cluster(connection: Connection) -> bool:
    """Return whether the database is the coordinator of a Citus cluster."""
    exists: bool = connection.execute(HAS_CITUS).scalar_one()
    return exists


def refuse(settings: Settings, command: str) -> None:
    """Raise StartError if a command cannot do its work on a cluster; not if the database is down."""
    try:
        with psycopg.connect(libpq(settings.owner_database_url), connect_timeout=10) as connection:
            row = connection.execute(HAS_CITUS.text).fetchone()
    except psycopg.Error:
        return
    if row and row[0]:
        raise StartError(
            f"{command} reads one database, and this one is spread over the machines of a Citus cluster: "
            "use the tools of Citus and PostgreSQL on each of them."
        )


def _prepare(connection: Connection) -> None:
    """Replace what a distributed table cannot have, before the first table is distributed."""
    run = connection.exec_driver_sql
    for script in (ONE_LOG, CLAIMS):
        run(script)
    for table, triggers in TRIGGERS.items():
        for trigger in triggers:
            run(f"DROP TRIGGER {trigger} ON {table}")
    names = {"tables": [*hashed()], "columns": [*hashed().values()]}
    for query in IN_THE_WAY:
        statements = connection.execute(text(query), names if ":tables" in query else {})
        for statement in statements.scalars().all():
            run(statement)


def distribute(connection: Connection) -> None:
    """Distribute the tables that are not distributed yet, in the open transaction."""
    done = {*connection.execute(DISTRIBUTED).scalars()}
    run = connection.exec_driver_sql
    if games.name not in done:
        _prepare(connection)
    for table in placed(REFERENCE):
        if table not in done:
            run("SELECT create_reference_table(%s)", (table,))
    for table in (*CLAIMED, *placed(MANAGED)):
        if table not in done:
            run("SELECT citus_add_local_table_to_metadata(%s)", (table,))
    for table, column in hashed().items():
        if table not in done:
            beside = "default" if table == games.name else games.name
            run("SELECT create_distributed_table(%s, %s, colocate_with => %s)", (table, column, beside))
