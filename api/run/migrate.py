"""Checks the database and its version, and runs all migrations in one transaction."""

from __future__ import annotations

import re
from pathlib import Path

import psycopg
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, create_engine, make_url, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

import migrations
from api.core.config import Settings, StartError, libpq
from api.run import distribution, encryption_keys, feed_cursors, log_keys, rights, row_security
from api.run.embedded.roles import SERVICE, WORKER
from api.store.database.session import Session
from api.store.game import feed, log

OLDEST = 14
LOCK = 7_305_001  # an arbitrary advisory lock: only one `migrate` runs at a time
TIMEOUT = 10  # seconds for a connection


def check_server(url: str) -> None:
    """Raise StartError, which names no password, without a database or before PostgreSQL 14."""
    try:  # by psycopg itself: what SQLAlchemy asks at its first connection, an old server may not know
        with psycopg.connect(libpq(url), connect_timeout=TIMEOUT) as connection:
            number = connection.info.server_version
    except psycopg.Error as error:
        raise StartError(f"The database at {_place(url)} cannot be reached: {_words(error)}") from None
    if number < OLDEST * 10_000:
        raise StartError(
            f"The database at {_place(url)} is PostgreSQL {number // 10_000}; {OLDEST} or newer is needed."
        )


def upgrade(settings: Settings) -> None:
    """Upgrade the schema to the newest revision, all or nothing. Raises StartError if that is impossible."""
    url = settings.owner_database_url
    check_server(url)
    engine = create_engine(url, poolclass=NullPool, connect_args={"connect_timeout": TIMEOUT})
    try:
        with engine.begin() as connection:
            connection.execute(text(f"SELECT pg_advisory_xact_lock({LOCK})"))
            known = {script.revision for script in ScriptDirectory.from_config(config()).walk_revisions()}
            present = set(MigrationContext.configure(connection).get_current_heads())
            if present - known:
                raise StartError(
                    f"The database at {_place(url)} was migrated by a newer release than this one."
                )
            cluster = distribution.is_cluster(connection)
            roles = [] if cluster else _roles(connection)
            command.upgrade(config(connection), "head")
            rights.grant(connection, roles)
            if cluster:
                distribution.distribute(connection)
            else:
                row_security.protect(connection, roles)
                feed.continue_ticks(connection)
                log.make_parts_ahead(Session.over(connection))
    except DBAPIError as error:
        raise StartError(f"The database at {_place(url)} cannot be migrated: {_words(error.orig)}") from None
    finally:
        engine.dispose()
    encryption_keys.ensure(settings)
    log_keys.ensure(settings)
    feed_cursors.ensure(settings)


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
    made = Config()
    made.set_main_option("script_location", str(Path(migrations.__file__).parent).replace("%", "%%"))
    made.set_main_option("path_separator", "os")
    made.attributes["connection"] = connection
    return made


def _place(address: str) -> str:
    """Which database, without user or password."""
    url = make_url(address)
    where = url.host or url.query.get("host") or "the local socket"
    return f"{where}{f':{url.port}' if url.port else ''}/{url.database or ''}"


def _words(error: BaseException | None) -> str:
    """Return the driver's reason on one line, without its questions, as the end of a sentence."""
    text = re.sub(r"\s*Is the server running .*?\?", "", str(error).replace("\n", " "))
    return re.sub(r"\s+", " ", text).strip().rstrip(".") + "."
