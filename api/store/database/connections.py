"""Connections, and whose rows each of them shows.

A connection of our own keeps the app in a setting of its session, which is set anew only for another app.
Behind a pooler in transaction mode, such as PgBouncer, the server's session belongs to somebody else after
every transaction. So there the setting goes along with each transaction, and ends with it; no statement is
prepared; and nobody can LISTEN.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar
from uuid import UUID

import psycopg
from psycopg.abc import PQGen
from psycopg.errors import _WaitTimeout
from psycopg.pq import TransactionStatus

from api.core import tracing

APP_SETTING = "card_referee.app"  # whose rows a connection sees, see api.run.row_security
UNKNOWN = "unknown"
STATEMENT_TIMEOUT = 30_000  # milliseconds
SILENCE = 60.0  # seconds; a database that works has ended every statement long before
WAKE_UP = 0.1  # seconds between two looks for Ctrl-C, as psycopg's own

Answer = TypeVar("Answer")


def _set_app(value: str, local: bool) -> str:
    setting = f"set_config('{APP_SETTING}', coalesce({value}::text, ''), {'true' if local else 'false'})"
    return f"nullif({setting}, '')::uuid"


def _set_timeouts(local: str, silence: float) -> str:
    """Let the server end what takes long before we would call it silent: then nothing of it stands."""
    most = int(1000 * silence)
    limits = {
        "statement_timeout": min(STATEMENT_TIMEOUT, most * 9 // 10),
        "lock_timeout": min(STATEMENT_TIMEOUT // 2, most * 8 // 10),
    }
    return ", ".join(f"set_config('{name}', '{value}', {local})" for name, value in limits.items())


SEE = f"SELECT {_set_app('%s', False)}"
# Not by `options` at connect, which poolers refuse. A session that is somebody else's afterwards keeps the
# time zone alone, which poolers follow.
SET_UP = """
    SELECT direct, set_config('TimeZone', 'UTC', false), {timeouts}
    FROM (SELECT pg_backend_pid() = %s AS direct) AS found
"""


class Silent(psycopg.OperationalError):
    """The database has said nothing for too long: it is frozen, or the way to it is."""


class BoundedConnection(psycopg.Connection):
    """A connection that waits for an answer only for so long; then it is closed."""

    silence = SILENCE
    """Seconds."""

    def wait(self, gen: PQGen[Answer], interval: float = WAKE_UP, timeout: float | None = None) -> Answer:
        """Do what psycopg does. Raises Silent where nobody has said how long to wait, and no answer comes."""
        if timeout is not None:  # notices: there need not be any
            return super().wait(gen, interval, timeout)
        try:
            return super().wait(gen, interval, self.silence)
        except _WaitTimeout:
            self.close()
            raise Silent(f"no answer within {self.silence:.1f} seconds") from None


def set_up(connection: psycopg.Connection, silence: float = SILENCE) -> bool:
    """Set time zone and time limits of a new connection; return whether it leads to the server itself.

    Behind a pooler, which makes up its own, it is not the process that let us in that answers.
    """
    statement = SET_UP.format(timeouts=_set_timeouts("NOT direct", silence))
    row = psycopg.Connection.execute(connection, statement, (connection.info.backend_pid,)).fetchone()
    assert row is not None
    return bool(row[0])


@contextmanager
def pipelined_transaction(connection: psycopg.Connection) -> Iterator[None]:
    """Send BEGIN together with the first statement, and COMMIT with the last.

    psycopg's own `transaction` waits for both of them, in a pipeline too.
    """
    try:
        with connection.pipeline():
            connection.execute("BEGIN")
            yield
            connection.execute("COMMIT")
    except BaseException:
        if not connection.closed:
            connection.rollback()
        raise


class PooledConnection(BoundedConnection):
    """A connection of the pool, which remembers whose rows it shows."""

    app_id: UUID | str | None = None
    shared = False
    """A pooler stands between: after each transaction the server's session may be another one."""

    def set_up(self, silence: float) -> None:
        """Set up a new connection, and find out whether it is shared."""
        self.silence = silence
        self._see_in_transaction = f"SELECT {_set_app('%s', True)}, {_set_timeouts('true', silence)}"
        self.shared = not set_up(self, silence)
        if self.shared:
            self.prepare_threshold = None

    def execute(self, query: Any, params: Any = None, **more: Any) -> psycopg.Cursor[tuple[Any, ...]]:
        """Run a statement, as a span of the trace that it belongs to, if any."""
        if not self.shared or self.info.transaction_status != TransactionStatus.IDLE:
            return self._run(query, params, **more)
        with self.pipeline():  # up to its end it is one transaction, and one round trip
            self.see_in_transaction()
            return self._run(query, params, **more)

    def _run(self, query: Any, params: Any, **more: Any) -> psycopg.Cursor[tuple[Any, ...]]:
        if not tracing.active():
            return super().execute(query, params, **more)
        with tracing.statement(query):
            return super().execute(query, params, **more)

    def see_in_transaction(self) -> None:
        """See the app's rows in this transaction, with our time limits."""
        super().execute(self._see_in_transaction, (self.app_id,))

    def see(self, app_id: UUID | None) -> None:
        """See this app's rows from here on. Only outside transactions."""
        if self.shared:
            self.app_id = app_id
        elif self.app_id != app_id:
            self._enter(SEE, (app_id,))

    def enter(self, app: str, look_up: str, values: Sequence[Any]) -> tuple[Any, ...]:
        """Return the first row of a look-up, and see the rows of the `app` that it names from here on."""
        return self._enter(f"SELECT {_set_app(app, self.shared)}, {look_up}", values)

    def _enter(self, statement: str, values: Sequence[Any]) -> tuple[Any, ...]:
        self.app_id = UNKNOWN  # should it fail
        run = self._run if self.shared else self.execute  # nobody's rows are looked at
        row = run(statement, values).fetchone()
        assert row is not None
        self.app_id = row[0]
        return row
