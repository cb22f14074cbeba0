"""The keys that sign receipts, and the key of feed cursors: created at the first start.

Private keys are stored encrypted in the database, where every web process finds them; a command retires the
newest, and those of retired keys are deleted. `migrate` notes here, too, that a backup was restored: a
database that was restored is another one (another cluster, another timeline after a recovery, or another
database in the cluster). Where nothing was lost, as in most failovers, noting that changes nothing.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta

import psycopg
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import referee.clocks
import referee.proofs
from api.core.config import Settings
from api.run import encryption_keys
from api.run.reaching import as_owner
from api.store.database.encryption import CURSOR_KEY, LOG_KEY, Cipher
from api.store.database.locks import Lock
from api.store.feed import NEWEST_TICK

KEY_BYTES = 32
# The cluster, its timeline, and the database in it.
HERE = """
    SELECT system_identifier::text || '/' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) || '/' || (
        SELECT oid FROM pg_database WHERE datname = current_database())
    FROM pg_control_system()
"""
# On another timeline, what was lost may have begun before the newest transaction that was not. A transaction
# that was lost looks like one that was rolled back: so readers go back to before the first of either.
UNBROKEN = """
    SELECT min(x) - 1 + feed_offset()
    FROM generate_series(greatest(%(tick)s - feed_offset() - 10000, 3), %(tick)s - feed_offset()) AS x
    WHERE pg_xact_status(x::text::xid8) = 'aborted'
"""
FORGET = """
    DO $$ BEGIN
        IF to_regclass('cursor_key') IS NOT NULL THEN UPDATE cursor_key SET database = ''; END IF;
    END $$
"""
RESTORED = "INSERT INTO restorations (epoch, tick, at) VALUES (%s, %s, now())"

OVERLAP = timedelta(minutes=1)  # a web process may use a retired key for half as long


def ensure(settings: Settings) -> None:
    """Create the first key; if SERVER_NAME has changed, replace the key of the old name."""
    with _owner(settings) as connection:
        name = _name(connection)
        if name is None or settings.server_name not in ("", name):
            _replace(connection, settings, settings.server_name or f"card-referee-{secrets.token_hex(4)}")


def rotate(settings: Settings, restored: bool = False) -> str:
    """Retire the newest key and create another one; return it in C2SP's form. Raises StartError.

    `restored` says that the reason is the restoration of a backup.
    """
    with _owner(settings) as connection:
        name = settings.server_name or _name(connection) or f"card-referee-{secrets.token_hex(4)}"
        return _replace(connection, settings, name, restored)


def listing(settings: Settings) -> list[str]:
    """Return a line for each key, newest first: the key in C2SP's form, and its time of use."""
    with _owner(settings) as connection:
        rows = connection.execute(
            "SELECT name, public_key, valid_from, valid_until FROM log_keys"
            " ORDER BY valid_until IS NULL DESC, valid_until DESC"
        ).fetchall()
    return [
        " ".join(
            [
                referee.proofs.Key(name, bytes(public)).vkey,
                *map(referee.clocks.timestamp, filter(None, times)),
            ]
        )
        for name, public, *times in rows
    ]


def _name(connection: psycopg.Connection) -> str | None:
    row = connection.execute("SELECT name FROM log_keys WHERE valid_until IS NULL").fetchone()
    return row[0] if row else None


def _replace(connection: psycopg.Connection, settings: Settings, name: str, restored: bool = False) -> str:
    cipher, now = encryption_keys.require_known(connection, settings), datetime.now(UTC)
    key = Ed25519PrivateKey.generate()
    public = key.public_key().public_bytes_raw()
    private = cipher.seal(key.private_bytes_raw(), public, LOG_KEY)
    endorsement = _endorse(connection, cipher, referee.proofs.Key(name, public))
    connection.execute(
        "UPDATE log_keys SET valid_until = %s, private_key = NULL, restored = %s WHERE valid_until IS NULL",
        (now + OVERLAP, restored),
    )
    connection.execute(
        "INSERT INTO log_keys (public_key, name, private_key, valid_from, endorsement)"
        " VALUES (%s, %s, %s, %s, %s)",
        (public, name, private, now, endorsement),
    )
    return referee.proofs.Key(name, public).vkey


def _endorse(connection: psycopg.Connection, cipher: Cipher, new: referee.proofs.Key) -> str | None:
    """Let the newest key sign which key follows it; return the note, or None if there is no key yet."""
    row = connection.execute(
        "SELECT name, public_key, private_key FROM log_keys WHERE valid_until IS NULL"
    ).fetchone()
    if row is None:
        return None
    old = referee.proofs.Key(row[0], bytes(row[1]))
    private = Ed25519PrivateKey.from_private_bytes(cipher.open(bytes(row[2]), old.public, LOG_KEY))
    text = referee.proofs.succession(old, new)
    return referee.proofs.signed_note(text, old, private.sign(text.encode()))


@contextmanager
def _owner(settings: Settings) -> Iterator[psycopg.Connection]:
    """Open a transaction as the owner; two of them take turns."""
    with as_owner(settings) as connection:
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (Lock.LOG_KEYS.value,))
        yield connection


def ensure_cursor_key(settings: Settings) -> None:
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
            if tick is not None and _cluster_and_database(row[0]) == _cluster_and_database(here):
                (unbroken,) = connection.execute(UNBROKEN, {"tick": tick}).fetchone() or (None,)
                tick = tick if unbroken is None else unbroken
            if tick is not None:
                connection.execute(RESTORED, (secrets.randbits(63), tick))
                rotate(settings, restored=True)  # so that receipts of what was lost are told apart
            connection.execute("UPDATE cursor_key SET database = %s", (here,))


def _cluster_and_database(place: str) -> tuple[str, str]:
    """Return which cluster and database a place is, on whatever timeline."""
    return place.partition("/")[0], place.rpartition("/")[2]


def _here(connection: psycopg.Connection) -> str:
    """Return which database this is; empty where the owner may not know."""
    with suppress(psycopg.errors.InsufficientPrivilege), connection.transaction():
        row = connection.execute(HERE).fetchone()
        assert row is not None
        return str(row[0])
    return ""


def forget_place(settings: Settings) -> None:
    """Let the next `ensure_cursor_key` note a restoration, even into the same database."""
    with as_owner(settings) as connection:
        connection.execute(FORGET)
