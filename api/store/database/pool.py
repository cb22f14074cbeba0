"""The pool: a process's connections to the database, and how long requests wait for one of them."""

from __future__ import annotations

import logging
import time

import psycopg
from psycopg_pool import ConnectionPool

from api.core.config import Settings, libpq
from api.store.database.connections import BoundedConnection, PooledConnection, set_up

TIMEOUT = 5  # seconds for a free connection, or for a new one
MOST_WAITING = 4000  # requests that wait for a connection, in a process that takes 10,000 from callers
LEAST = 0.5  # seconds for an answer, even if the connection came late
IDLE = 60.0  # seconds after which one unused connection is closed
RECONNECT = 0.5  # seconds between attempts while requests wait and the database is down

# If the pool fails, so does a request or a job, which reports it.
logging.getLogger("psycopg.pool").setLevel(logging.ERROR)


class Pool:
    """The pool. The process that uses it creates it, after gevent has patched everything.

    Requests that find no free connection get the next ones in the order in which they asked. While the
    database is down, they wait equally long for its return. A connection on which no answer comes for
    `silence` seconds is closed.
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
            max_idle=IDLE,
            max_waiting=MOST_WAITING,
            timeout=timeout,
            reconnect_timeout=RECONNECT,
            reconnect_failed=self._try_again,
            open=False,  # its threads begin with the first connection: a process may still fork
        )
        self._asked = 0.0

    def checkout(self, until: float | None = None) -> PooledConnection:
        """Take a connection for use until a monotonic time at most; return it later with `give_back`.

        Raises PoolTimeout if none comes in time.
        """
        self._asked = time.monotonic()
        if self._pool.closed:
            self._pool.open()
        if until is None:
            connection = self._pool.getconn()
            connection.silence = self._silence
        else:
            connection = self._pool.getconn(until - self._asked)
            connection.silence = max(LEAST, until - time.monotonic())
        return connection

    def _try_again(self, pool: ConnectionPool[PooledConnection]) -> None:
        """Connect again while requests may be waiting; the pool itself would wait for the next request."""
        if time.monotonic() - self._asked < TIMEOUT:
            pool.check()

    def give_back(self, connection: PooledConnection) -> None:
        """Return a connection to the pool. If it is dead, so are the others: the database was restarted.

        A connection that had less time than usual may only have been slow.
        """
        slow = connection.silent and connection.silence < self._silence
        if connection.closed and not slow:
            self._pool.drain()
        self._pool.putconn(connection)

    def connect(self) -> psycopg.Connection:
        """Open a connection outside the pool, for notifications; nothing on it waits for the disk."""
        connection = BoundedConnection.connect(
            self._direct, autocommit=True, connect_timeout=TIMEOUT, keepalives_idle=30
        )
        connection.silence = self._silence
        if set_up(connection, self._silence).direct:
            connection.execute("SET synchronous_commit = off")
        return connection

    def counted(self) -> dict[str, int]:
        """Return how many connections are open, and how many requests wait for one."""
        known = self._pool.get_stats()
        return {"open": known["pool_size"], "awaited": known.get("requests_waiting", 0)}

    def close(self) -> None:
        """Close every connection."""
        self._pool.close()
