"""The rights of the service's roles in the database: only what their statements need.

Tables declare them (`store/tables/columns.py`). Every `migrate` grants them again, because a restored backup
may have no rights. Other tables are closed to both roles.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress

import psycopg
from sqlalchemy import Connection, text

from api.core.config import Settings, StartError, libpq
from api.features import load_features
from api.run.embedded.roles import SERVICE, WORKER
from api.store.database.connections import set_up
from api.store.tables import metadata
from api.store.tables.columns import access_of
from api.store.watch import newest

load_features()  # with their tables

RIGHTS: dict[str, dict[str, str]] = {
    "alembic_version": {SERVICE: "SELECT", WORKER: "SELECT"},
    **{
        table.name: {
            role: granted
            for role, granted in ((SERVICE, access_of(table).service), (WORKER, access_of(table).worker))
            if granted is not None
        }
        for table in metadata.sorted_tables
    },
}


def grant(connection: Connection, roles: Sequence[str]) -> None:
    """Grant the roles that exist exactly these rights, in the transaction that is open."""
    for statement in _statements(roles):
        connection.execute(text(statement))


def _statements(roles: Sequence[str]) -> list[str]:
    statements = ["REVOKE CREATE ON SCHEMA public FROM PUBLIC"]
    for role in roles:
        statements.append(f"GRANT USAGE ON SCHEMA public TO {role}")
        statements.append(f"REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {role}")
        statements.append(f"REVOKE ALL ON ALL SEQUENCES IN SCHEMA public FROM {role}")
        statements += [f"GRANT {of[role]} ON {table} TO {role}" for table, of in RIGHTS.items() if role in of]
    return statements


PRIVILEGES = """
    SELECT c.relname, p.name, '' FROM pg_class c, unnest(%(whole)s::text[]) AS p(name)
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
        AND has_table_privilege(c.oid, p.name)
    UNION ALL
    SELECT c.relname, p.name, a.attname FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    CROSS JOIN unnest(%(parts)s::text[]) AS p(name)
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
        AND has_column_privilege(c.oid, a.attnum, p.name) AND NOT has_table_privilege(c.oid, p.name)
"""
ROLES = """
    SELECT array(SELECT rolname::text FROM pg_roles
        WHERE rolname = ANY(%(roles)s) AND pg_has_role(oid, 'USAGE'))
    FROM pg_tables
    WHERE schemaname = 'public' AND tablename = 'games' AND NOT pg_has_role(tableowner, 'USAGE')
"""
WHOLE, PARTS = ["SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE"], ["SELECT", "INSERT", "UPDATE"]
Right = tuple[str, str, str]  # table, privilege, column ("": the whole table)


def require(address: str) -> None:
    """Raise StartError if the login at this address has more or fewer rights than its role needs.

    Do nothing for the owner, who has all rights, while the database does not answer, and if its schema is of
    another release, which readiness reports.
    """
    known: tuple[str, ...] | None = (newest(),)
    try:
        with psycopg.connect(libpq(address), autocommit=True, connect_timeout=10) as connection:
            row = connection.execute(ROLES, {"roles": [SERVICE, WORKER]}).fetchone()
            granted: set[Right] = {
                *connection.execute(PRIVILEGES, {"whole": WHOLE, "parts": PARTS}).fetchall()
            }
            with suppress(psycopg.errors.InsufficientPrivilege):
                known = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    except psycopg.Error:
        return
    if row is None or known != (newest(),):
        return
    declared = _declared(row[0])
    wrong = [f"{'no ' if right in declared else ''}{_named(right)}" for right in sorted(granted ^ declared)]
    if wrong:
        more = f" and {len(wrong) - 3} more" if len(wrong) > 3 else ""
        raise StartError(
            "The service has other rights in the database than it needs"
            f" ({', '.join(wrong[:3])}{more}); run referee-api migrate, as after every restore."
        )


def require_direct(settings: Settings) -> None:
    """Raise StartError if there is a pooler between us and the notices that we wait for.

    Do nothing while the database does not answer. A pooler that passes on whole sessions cannot be detected.
    """
    address = settings.direct_database_url or settings.database_url
    try:
        with psycopg.connect(libpq(address), autocommit=True, connect_timeout=10) as connection:
            direct = set_up(connection).direct
    except psycopg.Error:
        return
    if not direct:
        raise StartError(
            "A pooler such as PgBouncer stands before the database, and notices do not pass it: "
            "let DIRECT_DATABASE_URL lead to the database itself."
        )


def _declared(roles: Sequence[str]) -> set[Right]:
    rights = set()
    for table, of in RIGHTS.items():
        for role in roles:
            for what, columns in re.findall(r"(\w+)(?: \(([^)]*)\))?", of.get(role, "")):
                rights |= {(table, what, column) for column in columns.split(", ")}
    return {right for right in rights if not right[2] or (*right[:2], "") not in rights}


def _named(right: Right) -> str:
    table, what, column = right
    return f"{what} of {table}.{column}" if column else f"{what} on {table}"
