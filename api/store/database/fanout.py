"""Notices over Redis or Valkey, where FANOUT_URL names one: a channel for each game and each app.

PostgreSQL brings every notice to every process that listens. Here a process gets those alone that somebody
follows in it. Where Redis is away, notices go over PostgreSQL, to which every process listens as well, for
changed keys and tokens. Like those, they carry an id and a version and never a card.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any
from uuid import UUID

if TYPE_CHECKING:
    from redis import Redis
    from redis.client import PubSub

PREFIX = "card-referee:"
TIMEOUT = 1.0  # seconds for a connection, or for something to be taken
AWAY = 5.0  # seconds in which a Redis that has failed is not asked again
PAUSE = 1.0  # seconds between attempts to listen
HEALTH = 10  # seconds of silence after which the connection is tried

Wake = Callable[[UUID, int | None], None]
"""Called with an id and a version, or with None where there may be anything."""


class Fanout:
    """One process's use of Redis. Its thread begins with the first who follows something."""

    def __init__(self, url: str) -> None:
        import redis  # an extra

        self._failures = (redis.RedisError, OSError)
        self._client: Redis = redis.Redis.from_url(
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
        self._listening: PubSub | None = None

    def publish(self, pending: Mapping[UUID, int]) -> bool:
        """Announce what was committed; returns whether Redis took it."""
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
        """Call `wake` for every notice of a game or an app from here on; each call is paired with `leave`."""
        with self._lock:
            if not self._begun:
                self._begun = True
                threading.Thread(target=self._listen, args=(wake,), name="fanout", daemon=True).start()
            self._followed[changed] += 1
            if self._followed[changed] == 1:
                self._tell("subscribe", changed)

    def leave(self, changed: UUID) -> None:
        """Follow it no more, once everybody who did has left."""
        with self._lock:
            self._followed[changed] -= 1
            if not self._followed[changed]:
                del self._followed[changed]
                self._tell("unsubscribe", changed)

    def _tell(self, what: str, changed: UUID) -> None:
        """Pass a change on to Redis; where that is away, the thread subscribes to everything anew."""
        if self._listening is not None:
            try:
                getattr(self._listening, what)(f"{PREFIX}{changed}")
            except self._failures:
                self._listening = None

    def _listen(self, wake: Wake) -> None:
        while True:
            try:
                listening: PubSub = self._client.pubsub()  # type: ignore[no-untyped-call]  # has no types
                with listening:
                    self._follow_all(listening)
                    while self._listening is listening:
                        self._take(listening.get_message(timeout=HEALTH / 2), wake)
            except self._failures:
                pass
            with self._lock:
                self._listening = None
            time.sleep(PAUSE)

    def _follow_all(self, listening: PubSub) -> None:
        with self._lock:
            # Never empty: a connection without a subscription is none.
            listening.subscribe(PREFIX, *(f"{PREFIX}{changed}" for changed in self._followed))
            self._listening = listening

    def _take(self, message: dict[str, Any] | None, wake: Wake) -> None:
        """Pass a notice on; where a subscription begins, there may have been some before."""
        if message is None or message["channel"] == PREFIX:
            return
        changed = UUID(message["channel"].removeprefix(PREFIX))
        if message["type"] == "message":
            wake(changed, int(message["data"]))
        elif message["type"] == "subscribe":
            wake(changed, None)
