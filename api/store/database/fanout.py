"""Notices over Redis or Valkey, if FANOUT_URL names one: a channel for each game and each app.

PostgreSQL sends every notice to every process that listens. With Redis, a process gets only the notices of
what is followed in it. If Redis is down, notices go over PostgreSQL, to which every process listens anyway,
for changed keys and tokens. Like those, they carry an id and a version, but never a card.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

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
