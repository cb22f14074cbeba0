"""App keys from the command line, for operators, before any key exists."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

import psycopg
from sqlalchemy import Connection, create_engine, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from api.callers import keys as service
from api.core import names
from api.core.config import Settings, StartError
from api.store.database.locks import Lock

DEFAULT = "default"
SCOPES = ("read", "write")


@contextmanager
def connected(settings: Settings) -> Iterator[Connection]:
    """Open a transaction as the owner, because an operator sees every app. Raises StartError if it fails."""
    engine = create_engine(
        settings.owner_database_url, poolclass=NullPool, connect_args={"connect_timeout": 10}
    )
    try:
        with engine.begin() as connection:
            yield connection
    except (DBAPIError, psycopg.Error) as error:
        cause = error.orig if isinstance(error, DBAPIError) else error
        reason = str(cause).strip().splitlines()[0]
        raise StartError(f"The database refused: {reason.rstrip('.')}.") from None
    finally:
        engine.dispose()


def make_default(settings: Settings, file: Path | None) -> str:
    """Create the app `default` with its first key if there is no app; return the key, or "".

    The key is written to `file` (unless None), readable only by its owner, before it is valid. Raises
    StartError.
    """
    with connected(settings) as connection:
        connection.execute(text(f"SELECT pg_advisory_xact_lock({Lock.FIRST_KEY.value})"))
        if service.list_keys(connection):
            return ""
        key = service.create_app_key(connection, DEFAULT, list(SCOPES), None)[1]
        if file is not None:
            _write(file, key)
        return key


def _write(file: Path, key: str) -> None:
    """Write a secret to a file that is newly created, so nobody else can have prepared it."""
    try:
        file.parent.mkdir(mode=0o711, parents=True, exist_ok=True)
        file.unlink(missing_ok=True)
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "w") as opened:
            opened.write(f"{key}\n")
    except OSError as error:
        raise StartError(f"The first app key cannot be written to {file}: {error.strerror}.") from None


def create(
    settings: Settings, name: str, scopes: list[str], expires: timedelta | None, key_name: str | None = None
) -> tuple[str, str]:
    """Create an app key; return (id, key). Raises StartError for an invalid name."""
    if not names.is_name(name) or not (key_name is None or names.is_name(key_name)):
        raise StartError(
            f"The name of an app or a key has 1 to {names.LONGEST} characters. {names.REQUIREMENT}"
        )
    with connected(settings) as connection:
        return service.create_app_key(connection, name, scopes, expires, key_name)


def listing(settings: Settings, name: str | None = None) -> list[str]:
    """Return a line of JSON for each key, without the key itself, of which only a hash is stored.

    Raises StartError if no app has this name.
    """
    with connected(settings) as connection:
        rows = [row for row in map(dict, service.list_keys(connection)) if name in (None, row["name"])]
    if name is not None and not rows:
        raise StartError(f"There is no app {name}.")
    return [json.dumps(row, default=_plain) for row in rows]


def revoke(settings: Settings, key_id: str, keep_tokens: bool) -> None:
    """Revoke a key and, unless `keep_tokens`, its tokens. Raises StartError if there is no such key."""
    with connected(settings) as connection:
        if not service.revoke_key(connection, key_id, keep_tokens):
            raise StartError(f"There is no app key {key_id}.")


def _plain(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
