"""Checks the database and its version, and runs all migrations in one transaction, also while it is used.

Migrations and policies lock tables against everybody, in an order of their own; requests and workers lock the
same tables in others. So all these locks are taken at once, before anything is changed, and given up sooner
than PostgreSQL looks for a deadlock: then nobody's transaction is ever aborted, and it is tried again.
"""

from __future__ import annotations

import random
import time
from pathlib import Path

import psycopg
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, create_engine, text
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.pool import NullPool

import migrations
from api.core.config import Settings, StartError, libpq
from api.features import load_features
from api.run import encryption_keys, installation, rights, row_security, rulesets
from api.run.embedded.roles import SERVICE, WORKER
from api.run.reaching import TIMEOUT, place, words
from api.run.worker import CLOCKWORK
from api.store import distribution, feed, log
from api.store.database.encryption import Undecipherable
from api.store.database.locks import Lock
from api.store.database.session import Session
from api.store.watch import newest

OLDEST = 14
OLDEST_CODE = "CREATE OR REPLACE FUNCTION oldest_code() RETURNS text LANGUAGE sql IMMUTABLE"
PATIENCE = 60  # seconds in which to find the tables of a database in use free for a moment
CITUS = "citus.sql"  # functions that replace others on a cluster
# Less than `deadlock_timeout`, for all tables together.
LOCK_LIMIT = """
    SELECT set_config('statement_timeout', greatest(setting::int * 3 / 4, 1)::text, true)
    FROM pg_settings WHERE name = 'deadlock_timeout'
"""
# `alembic_version` stays readable: readiness asks for it.
LOCKED = """
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


def check_server(url: str) -> None:
    """Raise StartError, which names no password, without a database or before PostgreSQL 14."""
    try:  # by psycopg itself: what SQLAlchemy asks at its first connection, an old server may not know
        with psycopg.connect(libpq(url), connect_timeout=TIMEOUT) as connection:
            number = connection.info.server_version
    except psycopg.Error as error:
        raise StartError(f"The database at {place(url)} cannot be reached: {words(error)}") from None
    if number < OLDEST * 10_000:
        raise StartError(
            f"The database at {place(url)} is PostgreSQL {number // 10_000}; {OLDEST} or newer is needed."
        )


def upgrade(settings: Settings) -> None:
    """Upgrade the schema to the newest revision, all or nothing. Raises StartError if that is impossible.

    The service may run meanwhile: requests wait for a moment if tables change.
    """
    rulesets.require_loaded()
    url = settings.owner_database_url
    check_server(url)
    engine = create_engine(url, poolclass=NullPool, connect_args={"connect_timeout": TIMEOUT})
    end = time.monotonic() + PATIENCE
    try:
        while not _upgraded(engine, settings):
            if time.monotonic() > end:
                raise StartError(_in_use(engine, place(url)))
            time.sleep(random.uniform(0.1, 0.5))
    except (DBAPIError, psycopg.Error) as error:
        reason = words(error.orig if isinstance(error, DBAPIError) else error)
        raise StartError(f"The database at {place(url)} cannot be migrated: {reason}") from None
    except Undecipherable as error:
        raise StartError(f"The database at {place(url)} cannot be migrated: {words(error)}") from None
    finally:
        engine.dispose()
    encryption_keys.ensure(settings)
    installation.ensure(settings)
    load_features(*settings.features).prepare(settings)


def _upgraded(engine: Engine, settings: Settings) -> bool:
    """Upgrade everything in one transaction; return False if others had tables locked."""
    with engine.begin() as connection:
        connection.execute(text(f"SELECT pg_advisory_xact_lock({Lock.MIGRATE.value})"))
        _require_known(connection, place(settings.owner_database_url))
        if distribution.is_cluster(connection):
            connection.exec_driver_sql(distribution.SETTINGS)  # for migrations of distributed tables, too
            command.upgrade(config(connection), "head")
            _put_functions(connection, settings, cluster=True)
            rights.grant(connection, [])
            distribution.distribute(connection)
            return True
        roles = _roles(connection)
        changes = _heads(connection) != {newest()} or not row_security.is_current(connection, roles)
        if changes and not lock_tables(connection):
            return False
        command.upgrade(config(connection), "head")
        _put_functions(connection, settings, cluster=False)
        rights.grant(connection, roles)
        row_security.protect(connection, roles)
        feed.continue_ticks(connection)
        log.make_parts_ahead(Session.over(connection))
    return True


def lock_tables(connection: Connection) -> bool:
    """Lock every table against everybody else until the transaction ends; return False if others have them.

    Then the caller must end the transaction.
    """
    tables = connection.exec_driver_sql(LOCKED).scalar_one()
    if not tables:
        return True
    connection.exec_driver_sql(LOCK_LIMIT)
    try:
        connection.exec_driver_sql(f"LOCK TABLE {tables} IN ACCESS EXCLUSIVE MODE")
    except OperationalError:  # the time was up
        return False
    connection.exec_driver_sql("SET LOCAL statement_timeout TO DEFAULT")
    return True


def _holders(connection: Connection) -> list[str]:
    """Return the programs with transactions of more than a second, which may be in the way."""
    return list(connection.exec_driver_sql(HOLDERS).scalars())


def _heads(connection: Connection) -> set[str]:
    return set(MigrationContext.configure(connection).get_current_heads())


def _in_use(engine: Engine, place: str) -> str:
    with engine.connect() as connection:
        names = _holders(connection)
    by = f" ({', '.join(names)})" if names else ""
    return (
        f"The database at {place} is in use, and its tables could not be locked for a moment within "
        f"{PATIENCE} s{by}. Nothing was changed: try again when long "
        "transactions, such as a backup, have ended, or stop web and worker."
    )


def _require_known(connection: Connection, place: str) -> None:
    """Raise StartError if this release does not know the database's schema, or a restoration was killed."""
    mark = text("SELECT to_regclass(:mark)")
    if connection.execute(mark, {"mark": f"public.{installation.RESTORING}"}).scalar_one() is not None:
        raise StartError(f"The database at {place} is not whole. {installation.UNRESTORED}")
    known = {script.revision for script in ScriptDirectory.from_config(config()).walk_revisions()}
    for revision in sorted(_heads(connection) - known):
        raise StartError(
            f"The database at {place} has schema {revision}, which this release does not know: a newer "
            "release migrated it, or a build from before the first one."
        )


def _put_functions(connection: Connection, settings: Settings, cluster: bool) -> None:
    """Create the functions in the database, or replace them by those of this release."""
    folder = Path(migrations.__file__).with_name("functions")
    files = sorted(file for file in folder.glob("*.sql") if file.name != CITUS)
    generated = [work_due(settings, cluster), f"{OLDEST_CODE} AS $$ SELECT '{migrations.OLDEST_CODE}' $$"]
    own = [folder / CITUS] if cluster else []
    for statements in [*(file.read_text() for file in [*files, *own]), *generated]:
        connection.connection.cursor().execute(statements)


def work_due(settings: Settings, cluster: bool) -> str:
    """Return the definition of the function that counts what is due, as core and features declare it.

    What waits for a feature that is switched off is not late: nobody is to do it.
    """
    features = load_features(*settings.features)
    dues = [*(job.due for job in CLOCKWORK if job.due), *features.due(settings)]
    counted = " UNION ALL ".join(
        f"SELECT '{due.name}', count(*), min({due.since}::timestamptz) FROM {due.rows}"
        for due in dues
        if due.cluster or not cluster
    )
    return (
        "CREATE OR REPLACE FUNCTION work_due(OUT work text, OUT waiting bigint, OUT since timestamptz)"
        " RETURNS SETOF record LANGUAGE sql STABLE SECURITY DEFINER"
        f" SET search_path = pg_catalog, public, pg_temp AS $$ {counted} $$"
    )


def make_roles(settings: Settings) -> None:
    """Make the service's roles in a database that may not have them yet."""
    engine = create_engine(settings.owner_database_url, poolclass=NullPool)
    with engine.begin() as connection:
        _roles(connection)
    engine.dispose()


def _roles(connection: Connection) -> list[str]:
    """Return the service's roles that exist."""
    return [role for role in (SERVICE, WORKER) if _has_role(connection, role)]


def _has_role(connection: Connection, role: str) -> bool:
    """Return whether a role of the service exists, after trying to create it; without, the owner serves."""
    exists = text("SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = :name)")
    may = text("SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user")
    if connection.execute(exists, {"name": role}).scalar_one():
        return True
    if not connection.execute(may).scalar_one():
        return False
    connection.execute(text(f"CREATE ROLE {role} NOLOGIN"))
    return True


def config(connection: Connection | None = None) -> Config:
    """Return what alembic needs to know; its steps run on `connection`."""
    settings = Config()
    settings.set_main_option("script_location", str(Path(migrations.__file__).parent).replace("%", "%%"))
    settings.set_main_option("path_separator", "os")
    settings.attributes["connection"] = connection
    return settings
