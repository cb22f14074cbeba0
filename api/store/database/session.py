"""The database: one pool for each process, one session for each request.

Statements run directly on psycopg's connections. Outside `transaction`, every statement is a transaction of
its own.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeVar
from uuid import UUID

import psycopg
import sqlalchemy
from sqlalchemy.sql import ClauseElement

from api.core import metrics
from api.core.config import Settings
from api.store.database.connections import (
    SILENCE,
    TIMEOUT,
    Pool,
    PooledConnection,
    pipelined_transaction,
    written_out,
)
from api.store.database.encryption import INSTALLATION, Cipher, Undecipherable, WrongKeys
from api.store.database.known import TAKE_SPACE, Copies, DiskMark, Heartbeat
from api.store.database.publishing import DELIVERIES, FEED, Publisher, notice

CHECK_KEYS_EVERY = 5.0  # seconds
STATE = """
    SELECT (SELECT prefix FROM encryption), (SELECT secret FROM installation),
        (SELECT coalesce(max(epoch), 0) FROM restorations)
"""
UNDONE = (
    psycopg.DataError,
    psycopg.IntegrityError,
    psycopg.errors.DeadlockDetected,
    psycopg.errors.DiskFull,
    psycopg.errors.LockNotAvailable,
)
"""Errors of statements that undo their transaction, even if the COMMIT was sent together with them."""
Values = Sequence[Any] | Mapping[str, Any]
Changed = TypeVar("Changed")


class Database(Pool):
    """The pool, and everything else of the database that a process has. For the arguments see `Pool`."""

    def __init__(self, settings: Settings, timeout: float = TIMEOUT, silence: float = SILENCE) -> None:
        super().__init__(settings, timeout, silence)
        self.cipher = Cipher(settings.encryption_secrets())
        self.secret: bytes | None = None
        self.epoch: int | None = None
        self._state_holds_until = 0.0
        self.publisher = Publisher(self.connect)
        self.disk = DiskMark(os.environ.get(metrics.SHARED))
        self.heartbeat = Heartbeat()
        self.copies = Copies()

    def checkout(self, until: float | None = None) -> PooledConnection:
        """Take a connection, see `Pool`. Raises WrongKeys if the database is encrypted with another key.

        This is checked every few seconds and on each new connection, with the epoch, because a key may be
        rotated, a backup restored, or a standby promoted, meanwhile.
        """
        connection = super().checkout(until)
        if not connection.known or time.monotonic() >= self._state_holds_until:
            try:
                self._read_state(connection)
                connection.known = True
            except BaseException:
                self.give_back(connection)
                raise
        return connection

    def _read_state(self, connection: psycopg.Connection) -> None:
        with suppress(psycopg.ProgrammingError):  # an older schema; see `api.system`
            row = psycopg.Connection.execute(connection, STATE).fetchone()
            assert row is not None
            prefix, secret, self.epoch = row
            refusal = self.cipher.refusal(prefix)
            if refusal is not None:
                raise WrongKeys(f"{refusal}.")
            with suppress(Undecipherable):  # a damaged row: only codes to sign in need it
                self.secret = self.cipher.open(secret or b"", INSTALLATION, INSTALLATION) or None
        self._state_holds_until = time.monotonic() + CHECK_KEYS_EVERY

    def close(self) -> None:
        """Send the remaining notices and close every connection."""
        self.publisher.close()
        super().close()


class Session:
    """One request's (or one job's) use of the database; it takes a connection when it first needs one.

    It sees the rows of one app, or of none (`api.run.row_security`). A connection of the pool remembers the
    app that it was last set to, and is only set again for another app.
    """

    __slots__ = (
        "_app_id",
        "_connection",
        "_database",
        "_deliveries",
        "_in_transaction",
        "_pending",
        "_until",
        "committing",
    )

    def __init__(self, database: Database | None, app_id: UUID | None = None) -> None:
        self._database = database
        self._app_id = app_id
        self._connection: psycopg.Connection | None = None
        self._until: float | None = None
        self._in_transaction = False
        self._pending: dict[UUID, int] = {}
        self._deliveries = False
        self.committing = False
        """Whether a COMMIT was sent: after that, an error does not mean that nothing was changed."""

    @classmethod
    def over(cls, connection: sqlalchemy.Connection) -> Session:
        """Return a session in the transaction that the caller has opened, and will commit, by SQLAlchemy."""
        session = cls(None)
        driver = connection.connection.driver_connection
        assert isinstance(driver, psycopg.Connection)
        session._connection = driver
        session._in_transaction = True
        return session

    @property
    def cipher(self) -> Cipher:
        """Return the cipher of the values that the database keeps secret."""
        assert self._database is not None
        return self._database.cipher

    @property
    def secret(self) -> bytes:
        """Return the secret of this installation. Raises WrongKeys."""
        assert self.connection is not None  # which reads it
        assert self._database is not None
        if self._database.secret is None:
            raise WrongKeys("The secret of the installation is missing or cannot be read.")
        return self._database.secret

    @property
    def epoch(self) -> int:
        """Return the epoch of the database, as it was some seconds ago at most: the last restoration's."""
        assert self._database is not None
        if self._database.epoch is None:
            assert self.connection is not None  # which reads it
        return self._database.epoch or 0

    @property
    def copies(self) -> Copies:
        """The copies of games that this process has."""
        return Copies() if self._database is None else self._database.copies

    @property
    def heartbeat(self) -> Heartbeat:
        """What this process knows of outages."""
        return Heartbeat() if self._database is None else self._database.heartbeat

    @property
    def disk_is_full(self) -> bool:
        """Return whether a write found the disk full, and none has shown since that it is not."""
        return self._database is not None and self._database.disk.full

    def finds_space(self) -> bool:
        """Try to write a megabyte to the disk; return whether that worked, or cannot be tried."""
        assert self._database is not None
        try:
            with self.transaction():
                self.execute(TAKE_SPACE)
        except psycopg.errors.DiskFull:
            return False
        except (psycopg.errors.InsufficientPrivilege, psycopg.errors.ReadOnlySqlTransaction):
            pass
        self._database.disk.clear()
        return True

    @property
    def connection(self) -> psycopg.Connection:
        """The psycopg connection of this session."""
        if self._connection is None:
            self._see(self._app_id)
        assert self._connection is not None
        return self._connection

    @property
    def distributed(self) -> bool:
        """Return whether the tables are distributed over the machines of a Citus cluster."""
        connection = self.connection
        return isinstance(connection, PooledConnection) and connection.distributed

    def _take(self) -> PooledConnection:
        """Take a connection, if the session has none; it may still be set to another app."""
        if self._connection is None:
            assert self._database is not None, "this session is closed"
            self._connection = self._database.checkout(self._until)
        assert isinstance(self._connection, PooledConnection)
        return self._connection

    def see(self, app_id: UUID | None) -> None:
        """See this app's rows from now on (None: no app's). Raises RuntimeError in a transaction."""
        if app_id != self._app_id:
            self._see(app_id)

    def _see(self, app_id: UUID | None) -> None:
        self._change(lambda connection: connection.see(app_id))
        self._app_id = app_id

    def expect_within(self, seconds: float) -> None:
        """Limit the time that the database has to answer. Call it before the first statement."""
        self._until = time.monotonic() + seconds

    def take_time(self, silence: float = SILENCE) -> None:
        """Let the statements of the open transaction take as long as those of batch jobs."""
        self._take().take_time(silence)

    def expect(self, app_id: UUID | None) -> None:
        """See this app's rows from the first statement on. Call it before that statement."""
        assert self._connection is None
        self._app_id = app_id

    def enter(self, app: str, look_up: str, values: Sequence[Any]) -> tuple[Any, ...]:
        """Look something up, see the rows of the `app` that it names from now on, and return the row.

        `app` and `look_up` are the first column of a SELECT and the rest of it; the row begins with the app.
        Raises RuntimeError in a transaction.
        """
        row = self._change(lambda connection: connection.enter(app, look_up, values))
        self._app_id = row[0]
        return row

    def _change(self, change: Callable[[PooledConnection], Changed]) -> Changed:
        """Change which app's rows the connection shows."""
        if self._in_transaction:
            raise RuntimeError("a rollback would bring back whose rows were seen before")
        connection = self._take()
        try:
            return change(connection)
        except BaseException:  # it would be unknown which app's rows it shows
            self.close()
            raise

    def execute(self, statement: str | ClauseElement, values: Values = ()) -> psycopg.Cursor[tuple[Any, ...]]:
        """Run one statement: one of SQLAlchemy's, or text.

        SQLAlchemy's statements contain their values; `values` are those of parameters without one.
        """
        if not isinstance(statement, str):
            statement, own = written_out(statement)
            values = {**own, **values} if isinstance(values, Mapping) else own
        return self.connection.execute(statement, values)

    def execute_each(self, statement: str, values: Sequence[Sequence[Any]]) -> list[tuple[Any, ...] | None]:
        """Run a statement once with each of these values; return the first row of each.

        All of them are sent before the first answer is awaited.
        """
        if len(values) == 1:
            return [self.connection.execute(statement, values[0]).fetchone()]
        with self.connection.cursor() as cursor:
            cursor.executemany(statement, values, returning=True)
            rows = [cursor.fetchone()]
            while cursor.nextset():
                rows.append(cursor.fetchone())
        return rows

    def execute_all(self, statement: str, values: Sequence[Sequence[Any]]) -> None:
        """Run a statement that returns nothing once with each of these values, all sent together."""
        with self.connection.cursor() as cursor:
            cursor.executemany(statement, values)

    @contextmanager
    def transaction(self, pipelined: bool = False) -> Iterator[None]:
        """Commit at the end of the block, roll back if it raises; after a commit, wake subscribers.

        A `pipelined` one waits only for rows that it reads; other statements fail later or at its end.
        Raises RuntimeError inside another transaction, which could silently undo what is done in this one.
        """
        if self._in_transaction:
            raise RuntimeError("this session is in a transaction already")
        connection = self.connection  # it is set to its app before the transaction begins
        transaction = pipelined_transaction(connection) if pipelined else connection.transaction()
        self._in_transaction, ended, before = True, False, self.committing
        try:
            with transaction:
                if isinstance(connection, PooledConnection) and connection.shared:
                    connection.see_in_transaction()
                yield
                self.committing = ended = True
            if ended:  # not if the block rolls back with `psycopg.Rollback`, which ends here
                self._publish()
        except UNDONE as error:
            self.committing = before
            self._note_full_disk(error)
            raise
        finally:
            self._in_transaction = False
            self._pending.clear()
            self._deliveries = False

    def execute_and_commit(self, statement: str, values: Values) -> tuple[Any, ...] | None:
        """Run a statement that is a transaction by itself; return its row.

        Raises RuntimeError in a transaction, of which the statement would be a part.
        """
        if self._in_transaction:
            raise RuntimeError("what is in a transaction is not committed by a statement")
        connection = self.connection
        self.committing = True
        try:
            row = connection.execute(statement, values).fetchone()
        except UNDONE as error:
            self.committing = False  # nothing was written
            self._note_full_disk(error)
            raise
        self.committing = row is not None
        return row

    def _note_full_disk(self, error: psycopg.Error) -> None:
        if isinstance(error, psycopg.errors.DiskFull) and self._database is not None:
            self._database.disk.mark()

    def publish(self, app_id: UUID, game_id: UUID, version: int) -> None:
        """Wake the subscribers of a game, and of all games of the app, when the new version is committed."""
        versions = {game_id: version, app_id: FEED}
        if self._database is None:
            for changed in versions.items():
                self.execute("SELECT pg_notify(%s, %s)", notice(*changed))
            self.execute("SELECT pg_notify(%s, %s)", (DELIVERIES, str(app_id)))
            return
        self._pending |= versions
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
        """Return the connection to the pool."""
        if self._database is not None and isinstance(self._connection, PooledConnection):
            connection, self._connection = self._connection, None
            self._database.give_back(connection)


def scalar(session: Session, statement: str | ClauseElement, values: Values = ()) -> Any:
    """Return the first column of the first row, or None without rows."""
    row = session.execute(statement, values).fetchone()
    return row[0] if row else None
