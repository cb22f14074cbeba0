"""The keys that sign receipts: created at the first start, rotated by a command.

Private keys are stored encrypted in the database, where every web process finds them; those of retired keys
are deleted.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import psycopg
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import referee.clocks
import referee.proofs
from api.core.config import Settings
from api.run import encryption_keys
from api.run.reaching import as_owner
from api.store.database.encryption import LOG_KEY, Cipher
from api.store.database.locks import Lock

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
