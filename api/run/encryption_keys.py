"""The keys that encrypt hidden cards and secrets: checked by `migrate`, rotated by a command.

Those of the embedded database lie in a file beside it, outside the cluster: a dump or a copy of the cluster
comes without them.
"""

from __future__ import annotations

import base64
import dataclasses
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from api.core.config import Settings, StartError, libpq
from api.core.readers import KEY_BYTES
from api.run.embedded.data_dir import KEY_FILE, write_private
from api.store.database import resealing
from api.store.database.encryption import Cipher, Undecipherable

TIMEOUT = 10  # seconds for a connection
UNKNOWN = "This database is encrypted with a key that {where} does not have; without it nothing can be read."
WITHOUT = (
    "ENCRYPTION_KEYS is not set, so seeds, hidden cards and secrets are stored as they are. Make a key with: "
    'python3 -c "import base64, secrets; print(base64.b64encode(secrets.token_bytes(32)).decode())"'
)


def ensure(settings: Settings) -> None:
    """Encrypt a database that has just got its first key; warn if there is none. Raises StartError.

    The StartError says that the database is encrypted with a key that we do not have.
    """
    cipher = Cipher(settings.encryption_secrets())
    with _owner(settings) as connection:
        stands = resealing.current(connection)
        if stands is not None and not cipher.knows(stands):
            raise StartError(UNKNOWN.format(where=_where(settings)))
        if cipher.prefix is None:
            print(WITHOUT, file=sys.stderr, flush=True)
        elif stands is None and _reseal(connection, cipher, settings):
            for table in dict.fromkeys(sealed.table for sealed in resealing.SEALED):
                connection.execute(f"VACUUM (FULL) {table}")  # so that no plain rows remain in the files


def rotate(settings: Settings) -> int:
    """Encrypt everything with the newest key; return how many rows had another. Raises StartError."""
    cipher = Cipher(settings.encryption_secrets())
    if cipher.prefix is None:
        raise StartError("ENCRYPTION_KEYS is not set: put a new key in front of the old ones.")
    with _owner(settings) as connection:
        return _reseal(connection, cipher, settings)


def rotate_file(settings: Settings) -> int:
    """Create a new key for the embedded database, use it, and delete the old ones. Raises StartError.

    No other process may use the data directory, because a running server would not know the new key.
    """
    file = settings.data_dir / KEY_FILE
    old = tuple(file.read_text().split())
    keys = (base64.b64encode(secrets.token_bytes(KEY_BYTES)).decode(), *old)
    write_private(file, "\n".join(keys) + "\n", None)
    changed = rotate(dataclasses.replace(settings, encryption_keys=keys))
    write_private(file, keys[0] + "\n", None)
    return changed


def _reseal(connection: psycopg.Connection, cipher: Cipher, settings: Settings) -> int:
    try:
        return resealing.reseal(connection, cipher)
    except Undecipherable:
        raise StartError(UNKNOWN.format(where=_where(settings))) from None


def _where(settings: Settings) -> str:
    file: Path = settings.data_dir / KEY_FILE
    return str(file) if file.exists() else "ENCRYPTION_KEYS"


@contextmanager
def _owner(settings: Settings) -> Iterator[psycopg.Connection]:
    address = libpq(settings.owner_database_url)
    with psycopg.connect(address, autocommit=True, connect_timeout=TIMEOUT) as connection:
        yield connection
