"""The keys that encrypt hidden cards and secrets: checked at every start, rotated by a command.

Those of the embedded database lie in a file beside it, outside the cluster: a dump or a copy of the cluster
comes without them.
"""

from __future__ import annotations

import base64
import dataclasses
import secrets
import sys
from pathlib import Path

import psycopg

from api.core.config import Settings, StartError, libpq
from api.core.lines import logger
from api.core.readers import KEY_BYTES
from api.run import resealing
from api.run.embedded.data_dir import KEY_FILE, write_private
from api.run.reaching import TIMEOUT, as_owner
from api.store import watch
from api.store.database.encryption import Cipher
from api.store.database.session import CHECK_KEYS_EVERY

log = logger("card_referee.start")

PAUSE = 2 * CHECK_KEYS_EVERY  # seconds in which processes notice that they do not have the newest key
UNKNOWN = "This database is encrypted with a key that {where} does not have; without it nothing can be read."
WITHOUT = (
    "ENCRYPTION_KEYS is not set, so seeds, hidden cards and secrets are stored as they are. Make a key with: "
    'python3 -c "import base64, secrets; print(base64.b64encode(secrets.token_bytes(32)).decode())"'
)


def require(settings: Settings) -> None:
    """Raise StartError if web or worker must not use the database, because it is encrypted with another key.

    Do nothing while the database does not answer, and if its schema is older, which readiness reports. Both
    are checked again at each use of the database.
    """
    try:
        with psycopg.connect(libpq(settings.database_url), connect_timeout=TIMEOUT) as connection:
            refusal = Cipher(settings.encryption_secrets()).refusal(resealing.current(connection))
    except psycopg.Error:
        return
    if refusal is not None:
        raise StartError(f"{refusal}.")


def require_known(connection: psycopg.Connection, settings: Settings) -> Cipher:
    """Return the cipher. Raises StartError if the database is encrypted with a key that we do not have."""
    cipher = Cipher(settings.encryption_secrets())
    stands = resealing.current(connection)
    if stands is not None and not cipher.knows(stands):
        raise StartError(UNKNOWN.format(where=_where(settings)))
    return cipher


def ensure(settings: Settings) -> None:
    """Encrypt a database that has just got its first key; warn if there is none. Raises StartError.

    The StartError says that the database is encrypted with a key that we do not have.
    """
    with as_owner(settings, autocommit=True) as connection:
        cipher = require_known(connection, settings)
        first = resealing.current(connection) is None
        if cipher.prefix is None:
            log.warning(WITHOUT)
        elif resealing.is_complete(connection):
            return
        elif _reseal(connection, cipher)[0] and first:
            for table in dict.fromkeys(part.table for part in resealing.sealed_parts()):
                connection.execute(f"VACUUM (FULL) {table}")  # so that no plain rows remain in the files


def rotate(settings: Settings, *, alone: bool = False) -> int:
    """Encrypt everything with the newest key; return how many rows had another. Raises StartError.

    Running processes must have the key, unless it is known that we are `alone`.
    Rows that none of the keys opens are named and left as they are; the StartError counts them.
    """
    if not settings.encryption_keys:
        raise StartError("ENCRYPTION_KEYS is not set: put a new key in front of the old ones.")
    with as_owner(settings, autocommit=True) as connection:
        cipher = require_known(connection, settings)
        assert cipher.prefix is not None
        without = [] if alone else watch.without_key(connection, cipher.prefix)
        if without:
            raise StartError(
                f"Running processes do not have the newest key ({', '.join(without)}): "
                "give all of them the new ENCRYPTION_KEYS first. Those that were killed count for 15 s."
            )
        changed, unreadable = _reseal(connection, cipher)
    if unreadable:
        raise StartError(
            f"Encrypted {changed} rows anew; {len(unreadable)} row{'s' * (len(unreadable) > 1)} cannot be "
            "read with any of the keys."
        )
    return changed


def rotate_file(settings: Settings) -> int:
    """Create a new key for the embedded database, use it, and delete the old ones. Raises StartError.

    No other process may use the data directory, because a running server would not know the new key.
    """
    file = settings.data_dir / KEY_FILE
    old = tuple(file.read_text().split())
    keys = (base64.b64encode(secrets.token_bytes(KEY_BYTES)).decode(), *old)
    write_private(file, "\n".join(keys) + "\n", None)
    changed = rotate(dataclasses.replace(settings, encryption_keys=keys), alone=True)
    write_private(file, keys[0] + "\n", None)
    return changed


def _reseal(connection: psycopg.Connection, cipher: Cipher) -> tuple[int, list[str]]:
    """Seal everything with the newest key; name the rows that cannot be read on standard error."""
    changed, unreadable = resealing.reseal(connection, cipher, PAUSE)
    for name in unreadable:
        print(f"{name} cannot be read with any of the keys", file=sys.stderr, flush=True)
    return changed, unreadable


def _where(settings: Settings) -> str:
    file: Path = settings.data_dir / KEY_FILE
    return str(file) if file.exists() else "ENCRYPTION_KEYS"
