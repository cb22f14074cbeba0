"""Connections, and which app's rows each of them shows.

A connection of our own keeps the app in a setting of its session, which is set again only for another app.
Behind a pooler in transaction mode, such as PgBouncer, the server's session belongs to another client after
every transaction. Therefore each transaction carries the setting there, which ends with it; no statement is
prepared; and LISTEN is impossible.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar
from uuid import UUID

import psycopg
from psycopg.abc import PQGen
from psycopg.errors import _WaitTimeout
from psycopg.pq import TransactionStatus

from api.core import tracing

APP_SETTING = "card_referee.app"  # the app whose rows a connection sees, see api.run.row_security
UNKNOWN = "unknown"
STATEMENT_TIMEOUT = 30_000  # milliseconds
SILENCE = 60.0  # seconds; a working database ends every statement long before that
WAKE_UP = 0.1  # seconds between two checks for Ctrl-C, like psycopg's own

Answer = TypeVar("Answer")


def _set_app(value: str, local: bool) -> str:
    setting = f"set_config('{APP_SETTING}', coalesce({value}::text, ''), {'true' if local else 'false'})"
    return f"nullif({setting}, '')::uuid"


def _set_timeouts(local: str, silence: float) -> str:
    """Return settings that make the server end, and undo, long statements before we stop waiting for them."""
    most = int(1000 * silence)
    limits = {
        "statement_timeout": min(STATEMENT_TIMEOUT, most * 9 // 10),
        "lock_timeout": min(STATEMENT_TIMEOUT // 2, most * 8 // 10),
    }
    return ", ".join(f"set_config('{name}', '{value}', {local})" for name, value in limits.items())


SEE = f"SELECT {_set_app('%s', False)}"
# Not set by `options` at connect, which poolers refuse. A session that another client uses afterwards keeps
# only the time zone, which poolers follow.
SET_UP = """
    SELECT direct, EXISTS (SELECT FROM pg_catalog.pg_extension WHERE extname = 'citus'),
        set_config('TimeZone', 'UTC', false), {timeouts}
    FROM (SELECT pg_backend_pid() = %s AS direct) AS found
"""


class Silent(psycopg.OperationalError):
    """The database has not answered for too long: it is frozen, or cannot be reached."""


class BoundedConnection(psycopg.Connection):
    """A connection that waits for an answer for a limited time, and is closed after that."""

    silence = SILENCE
    """The longest wait for an answer, in seconds."""
    silent = False
    """It was closed because no answer came."""

    def wait(self, gen: PQGen[Answer], interval: float = WAKE_UP, timeout: float | None = None) -> Answer:
        """Do what psycopg does. Raises Silent if no timeout was given and no answer comes."""
        if timeout is not None:  # waiting for notices, which need not come
            return super().wait(gen, interval, timeout)
        try:
            return super().wait(gen, interval, self.silence)
        except _WaitTimeout:
            self.silent = True
            self.close()
            raise Silent(f"no answer within {self.silence:.1f} seconds") from None


class Destination(NamedTuple):
    """Where a connection leads: to the server itself, or to a pooler; and to the coordinator of a cluster?"""

    direct: bool
    distributed: bool


def set_up(connection: psycopg.Connection, silence: float = SILENCE) -> Destination:
    """Set time zone and time limits of a new connection; return where it leads.

    Poolers report process ids of their own, so behind one, the answering process has a different id. Where
    the extension Citus exists, `migrate` has distributed the tables.
    """
    statement = SET_UP.format(timeouts=_set_timeouts("NOT direct", silence))
    row = psycopg.Connection.execute(connection, statement, (connection.info.backend_pid,)).fetchone()
    assert row is not None
    return Destination(*row[:2])


@contextmanager
def pipelined_transaction(connection: psycopg.Connection) -> Iterator[None]:
    """Run a transaction that sends BEGIN together with the first statement, and COMMIT with the last.

    psycopg's own `transaction` waits for the answers to both, even in a pipeline.
    """
    try:
        with connection.pipeline():
            connection.execute("BEGIN")
            yield
            connection.execute("COMMIT")
    except BaseException as error:
        if not connection.closed:
            connection.rollback()
        if not isinstance(error, psycopg.Rollback):
            raise


class PooledConnection(BoundedConnection):
    """A connection of the pool, which remembers the app whose rows it shows."""

    app_id: UUID | str | None = None
    shared = False
    """Whether there is a pooler: then each transaction may use another session of the server."""
    distributed = False
    """Whether the tables are distributed over the machines of a Citus cluster."""
    known = False
    """Whether keys and history were read on it: after a failover, they may be others."""

    def set_up(self, silence: float) -> None:
        """Set up a new connection, and find out whether it is shared."""
        self.silence, self.known = silence, False
        self._see_in_transaction = f"SELECT {_set_app('%s', True)}, {_set_timeouts('true', silence)}"
        direct, self.distributed = set_up(self, silence)
        self.shared = not direct
        if self.shared:
            self.prepare_threshold = None

    def execute(self, query: Any, params: Any = None, **more: Any) -> psycopg.Cursor[tuple[Any, ...]]:
        """Run a statement, with a span if it belongs to a trace."""
        if not self.shared or self.info.transaction_status != TransactionStatus.IDLE:
            return self._run(query, params, **more)
        with self.pipeline():  # a pipeline is one transaction, and one round trip
            self.see_in_transaction()
            return self._run(query, params, **more)

    def _run(self, query: Any, params: Any, **more: Any) -> psycopg.Cursor[tuple[Any, ...]]:
        if not tracing.active():
            return super().execute(query, params, **more)
        with tracing.statement(query):
            return super().execute(query, params, **more)

    def see_in_transaction(self) -> None:
        """Show the app's rows in this transaction, with our time limits."""
        super().execute(self._see_in_transaction, (self.app_id,))

    def take_time(self, silence: float = SILENCE) -> None:
        """Let the statements of this transaction take as long as those of batch jobs."""
        self.silence = silence
        super().execute(f"SELECT {_set_timeouts('true', SILENCE)}")

    def see(self, app_id: UUID | None) -> None:
        """Show this app's rows from now on. Only outside transactions."""
        if self.shared:
            self.app_id = app_id
        elif self.app_id != app_id:
            self._enter(SEE, (app_id,))

    def enter(self, app: str, look_up: str, values: Sequence[Any]) -> tuple[Any, ...]:
        """Return the first row of a look-up, and show the rows of the `app` that it names from now on."""
        return self._enter(f"SELECT {_set_app(app, self.shared)}, {look_up}", values)

    def _enter(self, statement: str, values: Sequence[Any]) -> tuple[Any, ...]:
        self.app_id = UNKNOWN  # until it succeeds
        run = self._run if self.shared else self.execute  # this look-up needs no app's rows
        row = run(statement, values).fetchone()
        assert row is not None
        self.app_id = row[0]
        return row
