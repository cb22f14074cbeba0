"""Row-level security: the service sees the rows of one app at a time, and the games that are not private.

The setting `card_referee.app` of a connection names the app for which it works
(`store/database/connections.py`). PostgreSQL hides the rows of every other app from the service's reads and
writes, even if one of our statements forgets to. The worker's role works for every app. No policy restricts
the owner, so that backups are complete.

Tables declare what is theirs (`store/tables/columns.py`). Every `migrate` restores the policies that differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256

import psycopg
from sqlalchemy import Connection, text

from api.core.config import StartError, libpq
from api.core.lines import logger
from api.features import load_features
from api.run.embedded.roles import SERVICE, WORKER
from api.store.tables import metadata
from api.store.tables.columns import Access, access_of

log = logger("card_referee.start")

load_features()  # with their tables

OWN: dict[str, Access] = {
    table.name: access_of(table) for table in metadata.sorted_tables if access_of(table).own is not None
}
"""The tables whose rows belong to apps."""

FUNCTIONS = (
    "token_holder(bytea)",
    "note_visits(uuid[], timestamptz[])",
    "app_of_game(uuid)",
    "app_of_player(uuid)",
    "knows_commitment(bytea)",
    "work_due()",
    "make_parts_of_log()",  # for a worker without a role of its own
)
WORKERS_FUNCTIONS = ("make_parts_of_log()",)

# Kept as the comment of one of them: the policies as they were declared, and as PostgreSQL shows them.
KEPT = """
    SELECT (SELECT obj_description(oid, 'pg_policy') FROM pg_policy
            WHERE polrelid = 'games'::regclass AND polname = 'read'),
        md5(string_agg(p::text, '' ORDER BY p.tablename, p.policyname))
    FROM pg_policies p WHERE p.schemaname = 'public'
"""
PRESENT = "SELECT tablename, policyname FROM pg_policies WHERE schemaname = 'public'"
BLIND = """
    SELECT row_security_active('games') AND NOT EXISTS (
        SELECT FROM pg_roles WHERE rolname = %(worker)s AND pg_has_role(oid, 'USAGE'))
"""
SEES_ALL = """
    SELECT NOT row_security_active('games') AND EXISTS (SELECT FROM pg_roles WHERE rolname = %(service)s)
"""
UNPROTECTED = """
    SELECT relname FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relname = ANY(:tables) AND NOT relrowsecurity
"""


def is_current(connection: Connection, roles: Sequence[str]) -> bool:
    """Return whether `protect` has no table to change."""
    if SERVICE not in roles:
        return True
    comment, state = connection.execute(text(KEPT)).one()
    return comment == f"{_declared(roles)} {state}" and not _unprotected(connection)


def protect(connection: Connection, roles: Sequence[str]) -> None:
    """Create the policies, in the open transaction; none are needed if the service runs as the owner.

    Correct policies are not touched, because changing one takes a lock that makes every move wait.
    """
    if SERVICE not in roles:
        return
    if not is_current(connection, roles):
        for table, name in connection.execute(text(PRESENT)).all():
            connection.execute(text(f"DROP POLICY {name} ON {table}"))
        for (table, name), definition in _policies(roles).items():
            connection.exec_driver_sql(f"CREATE POLICY {name} ON {table} {definition}")
        _, state = connection.execute(text(KEPT)).one()
        connection.execute(text(f"COMMENT ON POLICY read ON games IS '{_declared(roles)} {state}'"))
    for table in _unprotected(connection):
        connection.execute(text(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY"))
    for function in FUNCTIONS:
        connection.execute(text(f"REVOKE ALL ON FUNCTION {function} FROM PUBLIC"))
        connection.execute(text(f"GRANT EXECUTE ON FUNCTION {function} TO {SERVICE}"))
    for function in WORKERS_FUNCTIONS if WORKER in roles else ():
        connection.execute(text(f"GRANT EXECUTE ON FUNCTION {function} TO {WORKER}"))


def require_worker(address: str) -> None:
    """Raise StartError if the job worker would see no rows at this address; not if the database is down."""
    try:
        with psycopg.connect(libpq(address), connect_timeout=10) as connection:
            row = connection.execute(BLIND, {"worker": WORKER}).fetchone()
    except psycopg.Error:
        return
    if row and row[0]:
        raise StartError(
            "The job worker works for every app, but its login sees one app's rows at a time: "
            f"let WORKER_DATABASE_URL be a login that is a member of {WORKER}."
        )


def say_if_off(address: str) -> None:
    """Print a warning if a web process sees the rows of all apps although the service has a role."""
    with suppress(psycopg.Error), psycopg.connect(libpq(address), connect_timeout=10) as connection:
        row = connection.execute(SEES_ALL, {"service": SERVICE}).fetchone()
        if row and row[0]:
            log.warning(
                "The login of DATABASE_URL sees the rows of every app, so the database does not "
                f"keep apps apart: let it be a login that is a member of {SERVICE}, not the owner.",
            )


def _policies(roles: Sequence[str]) -> dict[tuple[str, str], str]:
    policies = {}
    for table, declared in OWN.items():
        condition = declared.own
        if (
            declared.seen is not None
        ):  # one for each command: every policy that applies adds a subquery to a move's plan
            policies[table, "read"] = f"FOR SELECT TO {SERVICE} USING ({declared.seen})"
            policies[table, "add"] = f"FOR INSERT TO {SERVICE} WITH CHECK ({condition})"
            policies[table, "change"] = f"FOR UPDATE TO {SERVICE} USING ({condition})"
            if declared.deletes:
                policies[table, "remove"] = f"FOR DELETE TO {SERVICE} USING ({condition})"
        else:
            policies[table, "own"] = f"TO {SERVICE} USING ({condition})"
    if WORKER in roles:
        policies |= {(table, "worker"): f"TO {WORKER} USING (true)" for table in OWN}
    return policies


def _declared(roles: Sequence[str]) -> str:
    return sha256(repr(_policies(roles)).encode()).hexdigest()[:16]


def _unprotected(connection: Connection) -> list[str]:
    return list(connection.execute(text(UNPROTECTED), {"tables": list(OWN)}).scalars())
