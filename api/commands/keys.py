"""App keys from the command line: the operator's way in, before any key exists."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

import psycopg
from sqlalchemy import Connection, create_engine, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from api.config import Settings, StartError
from api.services import keys as service
from api.services import names

DEFAULT = "default"
SCOPES = ("read", "write", "audit")
LOCK = 7_305_002  # two servers that start on the same empty database make one key, not two


@contextmanager
def connected(settings: Settings) -> Iterator[Connection]:
    """One transaction as the service. Raises StartError where the database fails."""
    engine = create_engine(settings.database_url, poolclass=NullPool, connect_args={"connect_timeout": 10})
    try:
        with engine.begin() as connection:
            yield connection
    except (DBAPIError, psycopg.Error) as error:
        cause = error.orig if isinstance(error, DBAPIError) else error
        reason = str(cause).strip().splitlines()[0]
        raise StartError(f"The database refused: {reason.rstrip('.')}.") from None
    finally:
        engine.dispose()


def make_default(settings: Settings) -> str:
    """The key of the app `default`, made where there is no app yet; else an empty string."""
    with connected(settings) as connection:
        connection.execute(text(f"SELECT pg_advisory_xact_lock({LOCK})"))
        if service.list_keys(connection):
            return ""
        return service.create_app_key(connection, DEFAULT, list(SCOPES), None)[1]


def create(settings: Settings, name: str, scopes: list[str], expires: timedelta | None) -> tuple[str, str]:
    """A new app key: (id, key). The key is shown now or never. Raises StartError for an unusable name."""
    if not names.is_name(name):
        raise StartError(f"The name of an app has 1 to {names.LONGEST} characters. {names.REQUIREMENT}")
    with connected(settings) as connection:
        return service.create_app_key(connection, name, scopes, expires)


def listing(settings: Settings) -> list[str]:
    """One line of JSON a key; no key itself, for only its hash is kept."""
    with connected(settings) as connection:
        return [json.dumps(dict(row), default=_plain) for row in service.list_keys(connection)]


def revoke(settings: Settings, key_id: str) -> None:
    """Raises StartError where there is no such key."""
    with connected(settings) as connection:
        if not service.revoke_key(connection, key_id):
            raise StartError(f"There is no app key {key_id}.")


def _plain(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
