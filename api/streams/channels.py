"""Waiting for entries: one listener for each process, one channel for each game or app, many subscribers.

A waiting subscriber needs no database connection. When a game changes, the first of its subscribers to wake
reads the new entries and all share them, so many subscribers of one game cost one query for each move.
Entries are kept in their stored form; `following` decides what a subscriber may see of them.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from datetime import datetime
from functools import partial
from typing import Any, Generic, NamedTuple, Protocol, TypeVar
from uuid import UUID

import psycopg

import referee.records
from api.core import metrics
from api.core.json import loads
from api.feature import Hook
from api.games.views import Visibility
from api.http import queue
from api.http.visits import Visits
from api.store import log
from api.store.database import publishing as notices
from api.store.database.session import Database, Session
from api.store.log import StoredEntry

KEEP_ALIVE = 15.0  # seconds between two keep-alives; a subscriber then also reads the log itself
LINGER = 5.0  # seconds that the listener stays without subscribers
KEPT = 256  # entries of a game, or of an app, that subscribers share
RETRIES, PAUSE = 5, 1.0  # a database that restarts is back within this many pauses (seconds)
AWAY = (psycopg.OperationalError, psycopg.InterfaceError)


class Item(Protocol):
    """An entry that subscribers share; `place` is its place in their reading order."""

    @property
    def place(self) -> Any:
        """Its place in the order."""

    @property
    def stored(self) -> StoredEntry:
        """The stored entry."""


Kept = TypeVar("Kept", bound=Item)
Found = TypeVar("Found")


class Fresh(NamedTuple):
    """An entry of a game, read once for all subscribers; its place is its seq."""

    stored: StoredEntry
    place: int
    public: referee.records.Members

    @property
    def type(self) -> str:
        """Return what has happened."""
        kind: str = self.public["type"]
        return kind


class Follower(NamedTuple):
    """Somebody who follows a game of an app: a player, or a stream; without a seat, they are `watching`."""

    app_id: UUID
    game_id: UUID
    who: UUID
    watching: bool


followed: Hook[[Mapping[Follower, datetime]], None] = Hook()
"""Hears who followed which games, and when each did last."""


class Watch:
    """Watches a stream's credential: whether it may have changed since it was last read."""

    __slots__ = ("changed", "channel")

    def __init__(self, channel: Channel[Any]) -> None:
        self.channel = channel
        self.changed = True  # it was read before the listener began

    def notice(self) -> None:
        """Note a change and wake the stream."""
        self.changed = True
        self.channel.advance()


class Channel(Generic[Kept]):
    """A game, or all games of an app, that is followed: its newest entries and its waiting subscribers.

    `read` returns the entries after a place, at most a chunk of them. `end` is the place of an existing
    entry, preferably the newest.
    """

    def __init__(
        self, live: Live, app_id: UUID, read: Callable[[Session, Any], list[Kept]], end: Any
    ) -> None:
        self.subscribers = 0
        self._live = live
        self._app_id = app_id
        self._read_after = read
        self._kept: deque[Kept] = deque()
        self._floor = end  # entries after it, up to the end, are kept
        self._end = end  # the place of the newest known entry
        self._stale = True  # there may be newer entries
        self._looked = 0.0
        self._waiters = threading.Event()  # set once, then replaced by another
        self._reading = threading.Lock()
        self._shown: OrderedDict[tuple[Any, Visibility], bytes] = OrderedDict()

    def advance(self, version: int | None = None) -> None:
        """Wake the subscribers: the game is at this version, or at an unknown one (None)."""
        if version is None or version > self._end:
            self._stale = True
            self.wake()

    def wake(self) -> None:
        """Wake the subscribers."""
        waiters, self._waiters = self._waiters, threading.Event()
        waiters.set()

    def wait(self, after: Any, timeout: float, watch: Watch | None = None) -> bool:
        """Wait for entries after this place, or for a change of the watched credential.

        Return whether there may be any, False after `timeout` seconds.
        """
        waiters = self._waiters  # taken before reading, so that no later wake is missed
        if self._is_ready(after, watch):
            return True
        with queue.waiting():
            return waiters.wait(max(0.0, self.limit(timeout)))

    def limit(self, timeout: float) -> float:
        """Return how long a subscriber may wait that wants to wait so many seconds."""
        return timeout

    def _is_ready(self, after: Any, watch: Watch | None) -> bool:
        """Return whether there may be entries after this place, or the watched credential has changed."""
        changed = watch is not None and watch.changed
        return self._stale or self._end > after or changed or self._live.closing

    def look(self) -> None:
        """Read the log again if that was not done for a while, because notifications can get lost."""
        if time.monotonic() - self._looked > self._live.keep_alive / 2:
            self._stale = True

    def after(self, place: Any) -> list[Kept]:
        """Return the entries after this place, oldest first; empty if there are none yet."""
        if self._stale:
            with self._reading:  # the second caller finds what the first has read
                if self._stale:
                    self._catch_up()
        if place >= self._end:
            return []
        entries = list(self._kept)
        if place < self._floor:  # checked last, because more may have been read than is kept
            return self._read(place)
        return [entry for entry in entries if entry.place > place]

    def _catch_up(self) -> None:
        self._stale = False  # later notifications wake again
        try:
            entries = self._read(self._end)
        except BaseException:
            self._stale = True
            raise
        self._looked = time.monotonic()
        if entries:
            self._keep(entries)
            self._stale = self._stale or len(entries) == log.CHUNK
            self.wake()

    def _keep(self, entries: list[Kept]) -> None:
        for entry in entries:
            if len(self._kept) >= KEPT:
                self._floor = self._kept[0].place
                self._kept.popleft()
            self._kept.append(entry)
        self._end = entries[-1].place

    def _read(self, place: Any) -> list[Kept]:
        return self._live.use(self._app_id, lambda session: self._read_after(session, place))

    def shown(self, entry: Kept, visibility: Visibility, show: Callable[[Kept, Visibility], bytes]) -> bytes:
        """Return an entry as all subscribers with the same visibility see it, created once for all."""
        key = (entry.place, visibility)
        event = self._shown.get(key)
        if event is None:
            event = self._shown[key] = show(entry, visibility)
            if len(self._shown) > KEPT:
                self._shown.popitem(last=False)
        return event


def of_game(game_id: UUID, session: Session, seq: int) -> list[Fresh]:
    """Return what subscribers of a game share of its log after an entry."""
    rows = log.page(session, game_id, seq, log.CHUNK)
    return [Fresh(entry, entry.seq, loads(entry.public)) for entry in rows]


class Live:
    """The channels of one process, and the thread (under gevent: the greenlet) that wakes them."""

    def __init__(self, database: Database, connections: int, keep_alive: float = KEEP_ALIVE) -> None:
        self.database = database
        self.keep_alive = keep_alive
        self.closing = False
        self.followers: Visits[Follower] = Visits(followed)
        self._channels: dict[UUID, Channel[Any]] = {}  # by the id of a game or an app
        self._watches: dict[UUID, set[Watch]] = {}
        self._lock = threading.Lock()
        self._listener: threading.Thread | None = None
        # At most half of the pool is for subscribers: many that wake together must not delay moves.
        self._turns = threading.BoundedSemaphore(max(1, connections // 2))

    def close(self) -> None:
        """End all streams, because the process ends; subscribers connect again."""
        self.closing = True
        with self._lock:
            channels = list(self._channels.values())
        for channel in channels:
            channel.wake()

    @contextmanager
    def session(self, app_id: UUID | None) -> Iterator[Session]:
        """Use the database for a moment, as this app, when it is this subscriber's turn."""
        with self._turns, closing(Session(self.database, app_id)) as session:
            yield session

    def use(self, app_id: UUID | None, read: Callable[[Session], Found]) -> Found:
        """Return what a subscriber reads as this app; read again while the database restarts."""
        for attempt in range(RETRIES):
            try:
                with self.session(app_id) as session:
                    return read(session)
            except AWAY:
                if attempt == RETRIES - 1:
                    raise
            time.sleep(PAUSE)
        raise AssertionError

    def subscribe(self, app_id: UUID, game_id: UUID, seen: int) -> AbstractContextManager[Channel[Fresh]]:
        """Hold the channel of an app's game; `seen` is the seq of an entry, preferably the newest."""
        return self.keep_open(game_id, lambda: Channel(self, app_id, partial(of_game, game_id), seen))

    @contextmanager
    def keep_open(self, followed: UUID, make: Callable[[], Channel[Kept]]) -> Iterator[Channel[Kept]]:
        """Hold the channel of a game or an app, which is created if there is none."""
        with self._lock:
            channel = self._channels.get(followed)
            if channel is None:
                channel = self._channels[followed] = make()
            channel.subscribers += 1
            if self._listener is None:
                self._listener = threading.Thread(target=self._listen, name="listener", daemon=True)
                self._listener.start()
        metrics.subscribers.inc()
        try:
            yield channel
        finally:
            metrics.subscribers.dec()
            with self._lock:
                channel.subscribers -= 1
                if not channel.subscribers:
                    del self._channels[followed]

    @contextmanager
    def watch(self, channel: Channel[Any], credential_id: UUID | None) -> Iterator[Watch | None]:
        """Watch the credential of a channel's subscriber; None if it has none."""
        if credential_id is None:
            yield None
            return
        watch = Watch(channel)
        with self._lock:
            self._watches.setdefault(credential_id, set()).add(watch)
        try:
            yield watch
        finally:
            with self._lock:
                self._watches[credential_id].discard(watch)
                if not self._watches[credential_id]:
                    del self._watches[credential_id]

    def _listen(self) -> None:
        """Wake the subscribers of what changed, while there are any; after a lost connection, wake all."""
        while True:
            try:
                with self.database.connect() as connection:
                    notices.listen(connection)
                    self._wake_all()
                    while True:
                        for changed, version in notices.received(connection, LINGER):
                            self._wake(changed, version)
                        if self._leave():
                            return
            except psycopg.Error:
                if self._leave():
                    return
                time.sleep(PAUSE)

    def _wake(self, changed: UUID, version: int | None) -> None:
        """Wake the subscribers of this game or app or, without a version, those with this credential."""
        if version is not None:
            self.database.copies.forget(changed, version)
            self._advance(changed, version)
            return
        with self._lock:
            watches = list(self._watches.get(changed, ()))
        for watch in watches:
            watch.notice()

    def _advance(self, changed: UUID, version: int | None) -> None:
        """Wake the subscribers of this game or app, which is at this version, or at an unknown one (None)."""
        with self._lock:
            channel = self._channels.get(changed)
        if channel is not None:
            channel.advance(version)

    def _wake_all(self) -> None:
        with self._lock:
            channels = list(self._channels.values())
            watches = [watch for each in self._watches.values() for watch in each]
        for watch in watches:
            watch.changed = True
        for channel in channels:
            channel.advance()

    def _leave(self) -> bool:
        with self._lock:
            if self._channels:
                return False
            self._listener = None
            return True
