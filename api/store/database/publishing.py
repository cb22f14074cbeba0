"""Waking subscribers and workers after a commit: with PostgreSQL's NOTIFY, or over Redis or Valkey.

A notice has a game's id and version, and never a card. It is sent right after the commit, not inside the
transaction: a transaction that notifies holds a lock on the whole server until it is on disk, so commits
queue up one by one (measured: 6,000 a second become 300). If a process dies in between, subscribers find out
within their keep-alive time, and workers look every second. Workers get the ids of apps in whose games
something has happened, or nothing if something is queued for delivery.

PostgreSQL sends every notice to every process that listens. With Redis, if FANOUT_URL names one, there is a
channel for each game and each app, so a process gets only the notices of what is followed in it. If Redis is
down, notices go over PostgreSQL, to which every process listens anyway, for changed keys and tokens.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from uuid import UUID

import psycopg

PREFIX = "card-referee:"
TIMEOUT = 1.0  # seconds to connect, or to send something
AWAY = 5.0  # seconds for which a Redis that has failed is not used
PAUSE = 1.0  # seconds between attempts to listen
HEALTH = 10  # seconds of silence after which the connection is tested

log = logging.getLogger(__name__)

Wake = Callable[[UUID, int | None], None]
"""Called with an id and a version, or with None if anything may have happened."""


class Fanout:
    """One process's use of Redis. Its thread starts with the first subscription."""

    def __init__(self, url: str) -> None:
        import redis  # an optional dependency

        self._failures = (redis.RedisError, OSError)
        self._client = redis.Redis.from_url(
            url,
            socket_timeout=TIMEOUT,
            socket_connect_timeout=TIMEOUT,
            health_check_interval=HEALTH,
            decode_responses=True,
        )
        self._away_until = 0.0
        self._begun = False
        self._followed: Counter[UUID] = Counter()
        self._lock = threading.Lock()
        self._listening: Any = None  # the connection that listens

    def publish(self, pending: Mapping[UUID, int]) -> bool:
        """Announce what was committed; return whether Redis accepted it."""
        if time.monotonic() < self._away_until:
            return False
        try:
            with self._client.pipeline(transaction=False) as pipeline:
                for changed, version in pending.items():
                    pipeline.publish(f"{PREFIX}{changed}", version)
                pipeline.execute()
        except self._failures:
            self._away_until = time.monotonic() + AWAY
            return False
        return True

    def follow(self, changed: UUID, wake: Wake) -> None:
        """Call `wake` for every notice of a game or an app from now on. Each call needs a `leave` later."""
        with self._lock:
            if not self._begun:
                self._begun = True
                threading.Thread(target=self._listen, args=(wake,), name="fanout", daemon=True).start()
            self._followed[changed] += 1
            if self._followed[changed] == 1:
                self._send("subscribe", changed)

    def leave(self, changed: UUID) -> None:
        """End a subscription, when all its followers have left."""
        with self._lock:
            self._followed[changed] -= 1
            if not self._followed[changed]:
                del self._followed[changed]
                self._send("unsubscribe", changed)

    def _send(self, what: str, changed: UUID) -> None:
        """Send a change of subscriptions to Redis; if it fails, the thread subscribes to everything again."""
        if self._listening is not None:
            try:
                getattr(self._listening, what)(f"{PREFIX}{changed}")
            except self._failures:
                self._listening = None

    def _listen(self, wake: Wake) -> None:
        while True:
            try:
                listening: Any = self._client.pubsub()  # type: ignore[no-untyped-call]  # has no types
                with listening:
                    self._follow_all(listening)
                    while self._listening is listening:
                        self._take(listening.get_message(timeout=HEALTH / 2), wake)
            except self._failures:
                pass
            except Exception:
                log.exception("notices from Redis cannot be read")
            with self._lock:
                self._listening = None
            time.sleep(PAUSE)

    def _follow_all(self, listening: Any) -> None:
        with self._lock:
            # Never empty, because a connection without any subscription does not listen.
            listening.subscribe(PREFIX, *(f"{PREFIX}{changed}" for changed in self._followed))
            self._listening = listening

    def _take(self, message: dict[str, Any] | None, wake: Wake) -> None:
        """Pass a notice on; a new subscription counts as one, because it may have missed some before."""
        if message is None or message["channel"] == PREFIX:
            return
        changed = UUID(message["channel"].removeprefix(PREFIX))
        if message["type"] == "message":
            wake(changed, int(message["data"]) if message["data"].isdecimal() else None)
        elif message["type"] == "subscribe":
            wake(changed, None)


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
    """Receive every notice on this connection from now on."""
    connection.execute(f"LISTEN {CHANNEL}; LISTEN {FEEDS}")


class Publisher:
    """Sends a process's notices on its own connection; those that collect meanwhile share a statement."""

    def __init__(self, connect: Connect, fanout: Fanout | None = None) -> None:
        self._connect = connect
        self._fanout = fanout
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
            if pending and self._fanout is not None and self._fanout.publish(pending):
                pending = {}
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
