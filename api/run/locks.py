"""The locks of a `migrate` that changes tables of a database in use.

Migrations and policies lock tables against everybody, in an order of their own; requests and workers lock the
same tables in others. So `migrate` takes all these locks at once, before it changes anything, and gives up
sooner than PostgreSQL looks for a deadlock: then nobody's transaction is ever aborted, and it tries again.
"""

from __future__ import annotations

from sqlalchemy import Connection
from sqlalchemy.exc import OperationalError

# Less than `deadlock_timeout`, for all tables together.
LIMIT = """
    SELECT set_config('statement_timeout', greatest(setting::int * 3 / 4, 1)::text, true)
    FROM pg_settings WHERE name = 'deadlock_timeout'
"""
# `alembic_version` stays readable: readiness asks for it.
TABLES = """
    SELECT string_agg(oid::regclass::text, ', ' ORDER BY relname) FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
        AND relname <> 'alembic_version'
"""
HOLDERS = """
    SELECT DISTINCT coalesce(nullif(a.application_name, ''), a.usename, a.pid::text)
    FROM pg_locks l JOIN pg_class c ON c.oid = l.relation JOIN pg_stat_activity a USING (pid)
    WHERE c.relnamespace = 'public'::regnamespace AND l.granted AND l.pid <> pg_backend_pid()
        AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND a.xact_start < now() - interval '1 second'
    ORDER BY 1
"""


def lock_tables(connection: Connection) -> bool:
    """Lock every table against everybody else until the transaction ends; return False if others have them.

    Then the caller must end the transaction.
    """
    tables = connection.exec_driver_sql(TABLES).scalar_one()
    if not tables:
        return True
    connection.exec_driver_sql(LIMIT)
    try:
        connection.exec_driver_sql(f"LOCK TABLE {tables} IN ACCESS EXCLUSIVE MODE")
    except OperationalError:  # the time was up
        return False
    connection.exec_driver_sql("SET LOCAL statement_timeout TO DEFAULT")
    return True


def holders(connection: Connection) -> list[str]:
    """Return the programs with transactions of more than a second, which may be in the way."""
    return list(connection.exec_driver_sql(HOLDERS).scalars())
