"""The key of feed cursors, created at the first start, and the restorations of backups, noticed by `migrate`.

A database that was restored is another one: another cluster, another timeline after a recovery, or another
database in the cluster. Where nothing was lost, as in most failovers, noticing that changes nothing.
"""

from __future__ import annotations

import secrets
from contextlib import suppress

import psycopg

from api.core.config import Settings
from api.run import encryption_keys, log_keys
from api.run.reaching import as_owner
from api.store.database.encryption import CURSOR_KEY
from api.store.database.locks import Lock
from api.store.game.feed import NEWEST_TICK

KEY_BYTES = 32
# The cluster, its timeline, and the database in it.
HERE = """
    SELECT system_identifier::text || '/' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) || '/' || (
        SELECT oid FROM pg_database WHERE datname = current_database())
    FROM pg_control_system()
"""
FORGET = """
    DO $$ BEGIN
        IF to_regclass('cursor_key') IS NOT NULL THEN UPDATE cursor_key SET database = ''; END IF;
    END $$
"""
RESTORED = "INSERT INTO restorations (epoch, tick, at) VALUES (%s, %s, now())"


def ensure(settings: Settings) -> None:
    """Create the key if there is none, and note a restoration if this is another database than before."""
    with as_owner(settings) as connection:
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (Lock.CURSOR_KEY.value,))
        row = connection.execute("SELECT database FROM cursor_key").fetchone()
        here = _here(connection) or (row[0] if row else "")
        if row is None:
            cipher = encryption_keys.require_known(connection, settings)
            secret = cipher.seal(secrets.token_bytes(KEY_BYTES), CURSOR_KEY, CURSOR_KEY)
            connection.execute("INSERT INTO cursor_key (secret, database) VALUES (%s, %s)", (secret, here))
        elif row[0] != here:
            (tick,) = connection.execute(NEWEST_TICK).fetchone() or (None,)
            if tick is not None:
                connection.execute(RESTORED, (secrets.randbits(63), tick))
                log_keys.rotate(settings, restored=True)  # so that receipts of what was lost are told apart
            connection.execute("UPDATE cursor_key SET database = %s", (here,))


def _here(connection: psycopg.Connection) -> str:
    """Return which database this is; empty where the owner may not know."""
    with suppress(psycopg.errors.InsufficientPrivilege), connection.transaction():
        row = connection.execute(HERE).fetchone()
        assert row is not None
        return str(row[0])
    return ""


def forget(settings: Settings) -> None:
    """Let the next `ensure` note a restoration, even into the same database."""
    with as_owner(settings) as connection:
        connection.execute(FORGET)
