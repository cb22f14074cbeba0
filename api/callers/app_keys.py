"""App keys from the command line, for operators, before any key exists."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import psycopg
from sqlalchemy import Connection, create_engine, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from api.callers.keys import make_key
from api.core import names
from api.core.clock import new_id
from api.core.config import Settings, StartError
from api.http import tokens
from api.store import credentials
from api.store.database.locks import Lock
from api.store.database.session import Session

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
        if credentials.all_keys(Session.over(connection)):
            return ""
        key = create_app_key(connection, DEFAULT, list(SCOPES), None)[1]
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
        return create_app_key(connection, name, scopes, expires, key_name)


def create_app_key(
    connection: Connection,
    name: str,
    scopes: list[str],
    expires: timedelta | None,
    key_name: str | None = None,
) -> tuple[str, str]:
    """Create a key for the app of this name, and the app if there is none yet; return (id, key).

    To rotate keys, create a second one: both are valid until the old one is revoked.
    """
    session, now = Session.over(connection), datetime.now(UTC)
    app_id = credentials.ensure_app(session, new_id(), name, now)
    new, key = make_key(secrets.token_bytes, scopes, now, tokens.expiry(now, expires), key_name)
    credentials.insert(session, new, app_id, None, tokens.digest(key))
    return str(new.id), key


def listing(settings: Settings, name: str | None = None) -> list[str]:
    """Return a line of JSON for each key, without the key itself, of which only a hash is stored.

    Raises StartError if no app has this name.
    """
    with connected(settings) as connection:
        keys = credentials.all_keys(Session.over(connection))
    rows = [row for row in keys if name in (None, row["name"])]
    if name is not None and not rows:
        raise StartError(f"There is no app {name}.")
    return [json.dumps(row, default=_plain) for row in rows]


def revoke(settings: Settings, key_id: str, keep_tokens: bool) -> None:
    """Revoke a key and, unless `keep_tokens`, its tokens. Raises StartError if there is no such key."""
    unknown = StartError(f"There is no app key {key_id}.")
    try:
        revoked = UUID(key_id)
    except ValueError:
        raise unknown from None
    with connected(settings) as connection:
        session = Session.over(connection)
        if credentials.app_key(session, revoked, None) is None:
            raise unknown
        credentials.revoke_key(session, revoked, datetime.now(UTC), keep_tokens)


def _plain(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
