"""Waking subscribers and workers after a commit, with PostgreSQL's NOTIFY.

A notice has a game's id and version, and never a card. It is sent right after the commit, not inside the
transaction: a transaction that notifies holds a lock on the whole server until it is on disk, so commits
queue up one by one (measured: 6,000 a second become 300). If a process dies in between, subscribers find out
within their keep-alive time, and workers look every second. Workers get the ids of apps in whose games
something has happened, or nothing if something is queued for delivery.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from uuid import UUID

import psycopg

CHANNEL, FEEDS, DELIVERIES = "games", "feeds", "deliveries"
FEED = 0  # the version in notices of an app, in one of whose games something has happened
CREDENTIAL = "credential"  # sent by a trigger on the table of keys and tokens, with the id
GATHER = 0.01  # seconds after each sending in which notices are collected for one statement
IDLE = 30.0  # seconds without notices after which the thread closes its connection
SEND = """
    SELECT pg_notify(split_part(notice, '=', 1), split_part(notice, '=', 2))
    FROM string_to_table(%s, ',') AS notice
"""  # a text, because psycopg takes long to write an array

Connect = Callable[[], psycopg.Connection]


def notice(changed: UUID, version: int) -> tuple[str, str]:
    """Return a notice: its channel, and what it carries."""
    return (FEEDS, str(changed)) if version == FEED else (CHANNEL, f"{changed} {version}")


def received(connection: psycopg.Connection, timeout: float) -> Iterator[tuple[UUID, int | None]]:
    """Yield (game, version), (app, FEED), or (credential, None) for a changed key or token, for each notice.

    Return when none has come for `timeout` seconds. What others send on these channels is ignored.
    """
    for message in connection.notifies(timeout=timeout):
        first, _, second = message.payload.partition(" ")
        try:
            read = (UUID(second), None) if first == CREDENTIAL else (UUID(first), int(second or FEED))
        except ValueError:
            continue
        yield read


def listen(connection: psycopg.Connection) -> None:
    """Receive every notice for subscribers on this connection from now on."""
    connection.execute(f"LISTEN {CHANNEL}; LISTEN {FEEDS}")


def listen_as_worker(connection: psycopg.Connection) -> None:
    """Receive every notice for workers on this connection from now on."""
    connection.execute(f"LISTEN {DELIVERIES}")


class Publisher:
    """Sends a process's notices on its own connection; those that collect meanwhile share a statement."""

    def __init__(self, connect: Connect) -> None:
        self._connect = connect
        self._pending: dict[UUID, int] = {}
        self._deliveries = False
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    def publish(self, pending: Mapping[UUID, int]) -> None:
        """Announce what was committed: game → version, app → FEED. Returns at once."""
        with self._changed:
            for changed, version in pending.items():
                self._pending[changed] = max(version, self._pending.get(changed, FEED))
            self._begin()

    def wake_workers(self) -> None:
        """Announce that something to deliver was committed. Returns at once."""
        with self._changed:
            self._deliveries = True
            self._begin()

    def _begin(self) -> None:
        """Start the thread, or wake it. Call only with the lock."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="announcer", daemon=True)
            self._thread.start()
        self._changed.notify()

    def close(self, timeout: float = 5.0) -> None:
        """Send the remaining notices, for at most `timeout` seconds."""
        with self._changed:
            thread, self._thread = self._thread, None
            self._changed.notify()
        if thread is not None:
            thread.join(timeout)

    def _work(self) -> None:
        connection: psycopg.Connection | None = None
        while True:
            with self._changed:
                mine = self._thread is threading.current_thread()
                if mine and not self._pending and not self._deliveries:
                    self._changed.wait(IDLE)
                    mine = self._thread is threading.current_thread()
                pending, self._pending = self._pending, {}
                deliveries, self._deliveries = self._deliveries, False
                if not pending and not deliveries:
                    if mine:
                        self._thread = None
                    break
            to_workers = [(DELIVERIES, str(app)) for app, version in pending.items() if version == FEED]
            notices = [*(notice(*item) for item in pending.items()), *to_workers]
            if not notices and not deliveries:
                continue
            connection = self._send(connection, notices, deliveries)
            time.sleep(GATHER)
        if connection is not None:
            connection.close()

    def _send(
        self, connection: psycopg.Connection | None, pending: list[tuple[str, str]], deliveries: bool
    ) -> psycopg.Connection | None:
        """Send; if it fails even on a new connection, the database is down, which listeners notice too."""
        for _ in range(2):
            try:
                connection = connection or self._connect()
                if pending:
                    connection.execute(SEND, (",".join(f"{channel}={news}" for channel, news in pending),))
                if deliveries:
                    connection.execute(f"NOTIFY {DELIVERIES}")
                return connection
            except psycopg.Error:
                if connection is not None:
                    connection.close()
                connection = None
        return None
