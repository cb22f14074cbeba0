"""Connections to PostgreSQL: how they run statements, how many there are, and the text of statements."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, NamedTuple, TypeVar
from uuid import UUID

import psycopg
import sqlalchemy
from psycopg.abc import PQGen
from psycopg.errors import _WaitTimeout
from psycopg.pq import TransactionStatus
from psycopg.waiting import Ready, Wait
from psycopg_pool import ConnectionPool
from sqlalchemy.sql import ClauseElement
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.util import LRUCache

from api.core.config import Settings, libpq

APP_SETTING = "card_referee.app"  # the app whose rows a connection sees, see api.run.row_security
UNKNOWN = "unknown"
STATEMENT_TIMEOUT = 30_000  # milliseconds
SILENCE = 60.0  # seconds; a working database ends every statement long before that
AT_ONCE = 100  # times that something is sent without letting others continue
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


def sending_at_once(gen: PQGen[Answer]) -> PQGen[Answer]:
    """Let psycopg send without asking whether the socket takes it, so often; then let others have a turn.

    In a pipeline it asks twice for each statement, and gevent answers only after a turn of everybody who can
    go on: with 8 clients, the last move of a game took 7 times as long as others. Where the socket is full,
    what was not sent is sent later.
    """
    left = AT_ONCE
    try:
        wanted = next(gen)
        while True:
            if wanted & Wait.W and left:
                left -= 1
                wanted = gen.send(Ready.W)
            else:
                ready, left = (yield wanted), AT_ONCE
                wanted = gen.send(ready)
    except StopIteration as done:
        answer: Answer = done.value
        return answer


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
            return super().wait(sending_at_once(gen), interval, self.silence)
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
        """Run a statement, as one of the app that it belongs to."""
        if not self.shared or self.info.transaction_status != TransactionStatus.IDLE:
            return super().execute(query, params, **more)
        with self.pipeline():  # a pipeline is one transaction, and one round trip
            self.see_in_transaction()
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
        run = super().execute if self.shared else self.execute  # this look-up needs no app's rows
        row = run(statement, values).fetchone()
        assert row is not None
        self.app_id = row[0]
        return row


TIMEOUT = 5  # seconds for a free connection, or for a new one
MOST_WAITING = 4000  # requests that wait for a connection, in a process that takes 10,000 from callers
LEAST = 0.5  # seconds for an answer, even if the connection came late
IDLE = 60.0  # seconds after which one unused connection is closed
RECONNECT = 0.5  # seconds between attempts while requests wait and the database is down

# If the pool or a pipeline fails, so does a request or a job, which reports it.
logging.getLogger("psycopg").setLevel(logging.ERROR)


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


DIALECT = sqlalchemy.make_url("postgresql+psycopg://").get_dialect()()
FORMS: LRUCache[Any, Any] = LRUCache(500)
"""Compiled statements by their form, as SQLAlchemy's engines keep them.

Their call for this is private. Compiling each time instead takes 0.4 ms more: a quarter of a keyed move's
processor time, and a third of a view's (740 of each, in turns, in one process).
"""


def written_out(statement: ClauseElement) -> tuple[str, Mapping[str, Any]]:
    """Return the text of an SQLAlchemy statement for psycopg, and its values."""
    compiled, own, *_ = statement._compile_w_cache(DIALECT, compiled_cache=FORMS, column_keys=[])
    assert isinstance(compiled, SQLCompiler)
    if compiled.post_compile_params:  # the text depends on how many values there are
        whole = statement.compile(dialect=DIALECT, compile_kwargs={"render_postcompile": True})
        return whole.string, whole.params
    return compiled.string, compiled.construct_params(extracted_parameters=own, _check=False)


@cache
def text_of(statement: ClauseElement) -> str:
    """Return the text of a constant of this program: a statement to which all values are given later."""
    return written_out(statement)[0]
