"""The pool: a process's connections to the database, and how long anybody waits for one of them."""

from __future__ import annotations

import logging
import time

import psycopg
from psycopg_pool import ConnectionPool

from api.core.config import Settings, libpq
from api.store.database.connections import BoundedConnection, PooledConnection, set_up

TIMEOUT = 5  # seconds for a free connection, or for a new one
MOST_WAITING = 4000  # requests that wait for a connection, in a process that takes 10,000 from callers
LEAST = 0.5  # seconds for an answer on a connection that came late
RECONNECT = 0.5  # seconds between attempts while somebody waits and the database is away

# What fails for it fails for a request or a job too, which says so.
logging.getLogger("psycopg.pool").setLevel(logging.ERROR)


class Pool:
    """The pool; made by the process that uses it, after gevent has patched what there is to patch.

    Whoever finds no free connection is handed the next one in the order of asking. While the database is away
    they wait as long for it to come back. A connection on which no answer comes for `silence` seconds is
    closed.
    """

    def __init__(self, settings: Settings, timeout: float, silence: float) -> None:
        self._address = libpq(settings.database_url)
        self._direct = libpq(settings.direct_database_url) or self._address
        self._silence = silence
        self._pool = ConnectionPool(
            self._address,
            connection_class=PooledConnection,
            kwargs={"autocommit": True, "connect_timeout": TIMEOUT},
            configure=lambda connection: connection.set_up(silence),
            min_size=0,
            max_size=settings.pool_size,
            max_waiting=MOST_WAITING,
            timeout=timeout,
            reconnect_timeout=RECONNECT,
            reconnect_failed=self._try_again,
            open=False,  # its threads begin with the first connection: a process may still fork
        )
        self._asked = 0.0

    def checkout(self, until: float | None = None) -> PooledConnection:
        """Take a connection, to be given back by `give_back`, for use until a monotonic time at most.

        Raises PoolTimeout where none comes in time.
        """
        self._asked = time.monotonic()
        self._pool.open()
        if until is None:
            connection = self._pool.getconn()
            connection.silence = self._silence
        else:
            connection = self._pool.getconn(until - self._asked)
            connection.silence = max(LEAST, until - time.monotonic())
        return connection

    def _try_again(self, pool: ConnectionPool[PooledConnection]) -> None:
        """Connect again while somebody may be waiting; the pool would wait for the next who asks."""
        if time.monotonic() - self._asked < TIMEOUT:
            pool.check()

    def give_back(self, connection: PooledConnection) -> None:
        """Put a connection back. Where it is dead, so are the others: the database was restarted."""
        if connection.closed:
            self._pool.drain()
        self._pool.putconn(connection)

    def connect(self) -> psycopg.Connection:
        """Make a connection outside the pool, for notifications: nothing on it waits for the disk."""
        connection = BoundedConnection.connect(
            self._direct, autocommit=True, connect_timeout=TIMEOUT, keepalives_idle=30
        )
        connection.silence = self._silence
        if set_up(connection, self._silence):
            connection.execute("SET synchronous_commit = off")
        return connection

    def close(self) -> None:
        """Close every connection."""
        self._pool.close()
