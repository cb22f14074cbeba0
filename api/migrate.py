"""The schema: is there a database, is it new enough, and every migration in one transaction."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, create_engine, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

import migrations
from api.config import Settings, StartError
from api.postgres import SERVICE

OLDEST = 14
LOCK = 7_305_001  # an arbitrary advisory lock: two `migrate` at once take turns
PATIENCE = 10  # seconds for a connection

# What the service may do with every table the owner makes from here on. A migration that makes a table
# of the log takes UPDATE, DELETE and TRUNCATE away again; nobody but the owner may touch the schema.
SERVICE_RIGHTS = f"""
GRANT USAGE ON SCHEMA public TO {SERVICE};
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {SERVICE};
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO {SERVICE};
"""


def check_server(url: str) -> None:
    """Raises StartError, without any password, for no database or one older than PostgreSQL 14."""
    engine = _engine(url)
    try:
        with engine.connect() as connection:
            number = int(connection.execute(text("SHOW server_version_num")).scalar_one())
    except DBAPIError as error:
        raise StartError(f"The database at {_place(engine)} cannot be reached: {_words(error)}") from None
    finally:
        engine.dispose()
    if number < OLDEST * 10_000:
        raise StartError(
            f"The database at {_place(engine)} is PostgreSQL {number // 10_000}; {OLDEST} or newer is needed."
        )


def upgrade(settings: Settings) -> None:
    """Bring the schema to the newest revision, all or nothing. Raises StartError where that is impossible."""
    check_server(settings.owner_database_url)
    engine = _engine(settings.owner_database_url)
    try:
        with engine.begin() as connection:
            connection.execute(text(f"SELECT pg_advisory_xact_lock({LOCK})"))
            known = {script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions()}
            present = set(MigrationContext.configure(connection).get_current_heads())
            if present - known:
                raise StartError(
                    f"The database at {_place(engine)} was migrated by a newer release than this one."
                )
            separate = _has_service_role(connection)
            if separate:
                connection.execute(text(SERVICE_RIGHTS))
            command.upgrade(_config(connection), "head")
            if separate:
                connection.execute(text(f"REVOKE INSERT, UPDATE, DELETE ON alembic_version FROM {SERVICE}"))
    except DBAPIError as error:
        raise StartError(f"The database at {_place(engine)} cannot be migrated: {_words(error)}") from None
    finally:
        engine.dispose()


def is_current(connection: Connection) -> bool:
    """Does the schema stand at the newest revision that this code knows?"""
    heads = set(ScriptDirectory.from_config(_config()).get_heads())
    return set(MigrationContext.configure(connection).get_current_heads()) == heads


def _has_service_role(connection: Connection) -> bool:
    """Is there the service's own role? Made here where we may; without it the owner serves as well."""
    exists = text("SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = :name)")
    may = text("SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user")
    if connection.execute(exists, {"name": SERVICE}).scalar_one():
        return True
    if not connection.execute(may).scalar_one():
        return False
    connection.execute(text(f"CREATE ROLE {SERVICE} NOLOGIN"))
    return True


def _config(connection: Connection | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


def _engine(url: str) -> Engine:
    return create_engine(url, poolclass=NullPool, connect_args={"connect_timeout": PATIENCE})


def _place(engine: Engine) -> str:
    where = engine.url.host or engine.url.query.get("host") or "the local socket"
    return f"{where}{f':{engine.url.port}' if engine.url.port else ''}/{engine.url.database or ''}"


def _words(error: DBAPIError) -> str:
    """The driver's first line, as the end of a sentence."""
    lines = str(error.orig).strip().splitlines() or ["no reason given"]
    return lines[0].strip().rstrip(".") + "."
