"""The database: one pool a process, one session a request.

Statements are written out and run on psycopg's connections, taken from SQLAlchemy's pool: between a
move and the disk nothing else stands. Outside `transaction` every statement is a transaction of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import UUID

import psycopg
from sqlalchemy import Connection, create_engine, event
from sqlalchemy.exc import TimeoutError
from sqlalchemy.pool import ConnectionPoolEntry, PoolProxiedConnection

from api.core.config import Settings, libpq
from api.store.database.encryption import Cipher
from api.store.database.pool import InFlightLimit
from api.store.database.publishing import CHANNEL, DELIVERIES, Publisher, payload

APP_SETTING = "card_referee.app"  # whose rows a connection sees, see api.run.row_security
SET_APP = f"nullif(set_config('{APP_SETTING}', coalesce({{}}::text, ''), false), '')::uuid"
SEE = f"SELECT {SET_APP.format('%s')}"
UNKNOWN = "unknown"

TIMEOUT = 5  # seconds for a free connection, or for a new one
STATEMENT_TIMEOUT = 30_000  # milliseconds
OPTIONS = f"-c TimeZone=UTC -c statement_timeout={STATEMENT_TIMEOUT} -c lock_timeout={STATEMENT_TIMEOUT // 2}"


class Database:
    """The pool; made by the process that uses it, after gevent has patched what there is to patch."""

    def __init__(self, settings: Settings) -> None:
        self._address = libpq(settings.database_url)
        self.cipher = Cipher(settings.encryption_secrets())
        self.publisher = Publisher(self.connect)
        self._engine = create_engine(
            settings.database_url,
            pool_size=settings.pool_size,
            max_overflow=0,
            pool_timeout=TIMEOUT,
            connect_args={"connect_timeout": TIMEOUT, "options": OPTIONS},
        )
        event.listen(self._engine, "connect", _prepare)
        self._in_flight = InFlightLimit(settings.pool_size)

    def checkout(self) -> PoolProxiedConnection:
        """Take a connection, to be given back by `give_back`. Raises TimeoutError where all stay taken."""
        if not self._in_flight.enter(TIMEOUT):
            raise TimeoutError("every connection to the database is in use")
        try:
            return self._engine.raw_connection()
        except BaseException:
            self._in_flight.leave()
            raise

    def give_back(self, connection: PoolProxiedConnection) -> None:
        """Return a connection back."""
        try:
            connection.close()
        finally:
            self._in_flight.leave()

    def connect(self) -> psycopg.Connection:
        """Make a connection beside the pool, for notices: nothing on it waits for the disk."""
        options = f"{OPTIONS} -c synchronous_commit=off"
        return psycopg.connect(
            self._address, autocommit=True, connect_timeout=TIMEOUT, options=options, keepalives_idle=30
        )

    def forget_connections(self) -> None:
        """Drop what the pool holds: after a restart of the database every connection in it is dead."""
        self._engine.dispose()

    def close(self) -> None:
        """Send what is left to send and close every connection."""
        self.publisher.close()
        self.forget_connections()


def _prepare(connection: psycopg.Connection, record: ConnectionPoolEntry) -> None:
    connection.autocommit = True
    record.info[APP_SETTING] = None


class Session:
    """One request's (or one job's) use of the database; takes a connection when it first needs one.

    It sees the rows of one app, or of none (`api.run.row_security`). Whose rows a connection of the pool was
    last set to is kept with it, so that it is set anew only for another app.
    """

    __slots__ = (
        "_app_id",
        "_connection",
        "_database",
        "_deliveries",
        "_in_transaction",
        "_pending",
        "_proxy",
    )

    def __init__(self, database: Database | None, app_id: UUID | None = None) -> None:
        self._database = database
        self._app_id = app_id
        self._proxy: PoolProxiedConnection | None = None
        self._connection: psycopg.Connection | None = None
        self._in_transaction = False
        self._pending: dict[UUID, int] = {}
        self._deliveries = False

    @classmethod
    def over(cls, connection: Connection) -> Session:
        """Work in the transaction that somebody else opened, and will commit, through SQLAlchemy."""
        session = cls(None)
        driver = connection.connection.driver_connection
        assert isinstance(driver, psycopg.Connection)
        session._connection = driver
        session._in_transaction = True
        return session

    @property
    def cipher(self) -> Cipher:
        """Return what seals and opens the values that the database keeps secret."""
        assert self._database is not None
        return self._database.cipher

    @property
    def connection(self) -> psycopg.Connection:
        """The psycopg connection of this session."""
        if self._connection is None:
            proxy, connection = self._take()
            if proxy.info.get(APP_SETTING, UNKNOWN) != self._app_id:
                self._set(SEE, (self._app_id,))
            return connection
        return self._connection

    def _take(self) -> tuple[PoolProxiedConnection, psycopg.Connection]:
        """Take a connection unless there is one; it may still be set to another app."""
        if self._proxy is None or self._connection is None:
            assert self._database is not None, "this session is closed"
            self._proxy = self._database.checkout()
            driver = self._proxy.driver_connection
            assert isinstance(driver, psycopg.Connection)
            self._connection = driver
        return self._proxy, self._connection

    def see(self, app_id: UUID | None) -> None:
        """See this app's rows from here on, with None no app's. Raises RuntimeError in a transaction."""
        if app_id != self._app_id:
            self._set(SEE, (app_id,))

    def enter(self, look_up: str, values: Sequence[Any]) -> tuple[Any, ...]:
        """Run a look-up whose row begins with SET_APP, see that app's rows from here on, and return the row.

        Raises RuntimeError in a transaction.
        """
        return self._set(look_up, values)

    def _set(self, statement: str, values: Sequence[Any]) -> tuple[Any, ...]:
        if self._in_transaction:
            raise RuntimeError("a rollback would bring back whose rows were seen before")
        proxy, connection = self._take()
        proxy.info.pop(APP_SETTING, None)
        try:
            row = connection.execute(statement, values).fetchone()
            assert row is not None
        except BaseException:  # nobody knows whose rows it would see
            self.close()
            raise
        self._app_id = proxy.info[APP_SETTING] = row[0]
        return row

    def execute(self, statement: str, values: Sequence[Any] = ()) -> psycopg.Cursor[tuple[Any, ...]]:
        """Run one statement."""
        return self.connection.execute(statement, values)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit at the end of the block, roll back when it raises, then wake subscribers.

        Raises RuntimeError within another one: a transaction that joins silently is undone by somebody else.
        """
        if self._in_transaction:
            raise RuntimeError("this session is in a transaction already")
        connection = self.connection  # set to its app before the transaction begins
        self._in_transaction = True
        try:
            with connection.transaction():
                yield
            self._publish()
        finally:
            self._in_transaction = False
            self._pending.clear()
            self._deliveries = False

    def publish(self, game_id: UUID, version: int) -> None:
        """Wake whoever follows this game as soon as its new version is committed."""
        if self._database is None:
            self.execute(f"SELECT pg_notify('{CHANNEL}', %s)", (payload(game_id, version),))
            return
        self._pending[game_id] = version
        if not self._in_transaction:
            self._publish()

    def wake_workers(self) -> None:
        """Wake the workers as soon as what was queued for delivery is committed."""
        if self._database is None:
            self.execute(f"NOTIFY {DELIVERIES}")
            return
        self._deliveries = True
        if not self._in_transaction:
            self._publish()

    def _publish(self) -> None:
        if self._database is None:
            return
        if self._pending:
            self._database.publisher.publish(self._pending)
            self._pending.clear()
        if self._deliveries:
            self._database.publisher.wake_workers()
            self._deliveries = False

    def close(self) -> None:
        """Return the connection back."""
        if self._proxy is not None and self._database is not None:
            proxy, self._proxy, self._connection = self._proxy, None, None
            self._database.give_back(proxy)
