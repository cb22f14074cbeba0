"""The secret of the installation, created at the first start, and whether the database was restored.

A database that was restored is another one (another cluster, another timeline after a recovery, or another
database in the cluster). Where nothing was lost, as in most failovers, noting that changes nothing.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psycopg

from api.core.config import Settings, StartError
from api.run import encryption_keys
from api.run.reaching import as_owner
from api.store.database.encryption import INSTALLATION
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
RESTORING = "restoring"  # a table that is there while a backup is loaded, also after that was killed
UNRESTORED = "A backup was being restored into it, and that did not end: run `referee-api restore` again."
# The end of loading a backup: the next `ensure` notes a restoration, even into the same database.
LOADED = f"UPDATE public.installation SET database = ''; DROP TABLE public.{RESTORING}"
# Epochs follow the clock, so that none comes again where the same backup is restored twice.
RESTORED = """
    INSERT INTO restorations (epoch, tick, at)
    SELECT greatest(coalesce(max(epoch), 0) + 1, (extract(epoch FROM clock_timestamp()) * 1e6)::bigint),
        %s, now()
    FROM restorations
"""


@contextmanager
def restoring(settings: Settings) -> Iterator[None]:
    """Mark an empty database while a backup is loaded into it; whoever loads it takes the mark away.

    A failure takes it away, too, as everything else is rolled back; only when this is killed does it stay.
    """
    with as_owner(settings) as connection:
        connection.execute(f"CREATE TABLE IF NOT EXISTS public.{RESTORING} ()")
    try:
        yield
    except StartError:
        with as_owner(settings) as connection:
            connection.execute(f"DROP TABLE IF EXISTS public.{RESTORING}")
        raise


def ensure(settings: Settings) -> None:
    """Create the secret if there is none, and note a restoration if this is another database than before."""
    with as_owner(settings) as connection:
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (Lock.INSTALLATION.value,))
        row = connection.execute("SELECT database FROM installation").fetchone()
        here = _here(connection) or (row[0] if row else "")
        if row is None:
            cipher = encryption_keys.require_known(connection, settings)
            secret = cipher.seal(secrets.token_bytes(KEY_BYTES), INSTALLATION, INSTALLATION)
            connection.execute("INSERT INTO installation (secret, database) VALUES (%s, %s)", (secret, here))
        elif row[0] != here:
            (tick,) = connection.execute(NEWEST_TICK).fetchone() or (None,)
            if tick is not None and _cluster_and_database(row[0]) == _cluster_and_database(here):
                (unbroken,) = connection.execute(UNBROKEN, {"tick": tick}).fetchone() or (None,)
                tick = tick if unbroken is None else unbroken
            if tick is not None:
                connection.execute(RESTORED, (tick,))
            connection.execute("UPDATE installation SET database = %s", (here,))


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
