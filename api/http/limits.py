"""Rate limits, weighted by the cost of requests, and limits on open streams.

They are counted in a store that all web processes share: files of this server (`SharedCounts`, `Held`), or,
by the library `limits`, RATE_LIMIT_STORAGE. A caller is identified by its verified key or token, or else by
its address; the address of every request is counted as well. If the store fails, requests are let through.

The requests of each caller are counted in a table in shared memory, because every request is counted twice:
a count takes 5 µs. In SQLite it took 11 µs, and among four processes one count in a hundred waited for 4 to
12 ms, in which its process does nothing else. SQLite keeps the few counts of what callers hold. What a
process that dies was doing is at worst not counted. The counts are worth nothing once the server stops.
The library `limits` shares counts only by another server; in the memory of one process it takes 13 µs.
"""

from __future__ import annotations

import fcntl
import logging
import math
import mmap
import os
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from ipaddress import ip_address, ip_network
from struct import Struct
from types import TracebackType
from typing import Any, NamedTuple, Protocol, cast

from limits import RateLimitItemPerSecond
from limits.storage import Storage, storage_from_string
from limits.strategies import SlidingWindowCounterRateLimiter
from werkzeug.exceptions import TooManyRequests

from api.core.config import Settings
from api.core.readers import requests_and_seconds
from api.http.queue import STRANGERS, Line

ROW = Struct("<16sqqq")  # a caller's hash, when the row expires, the counts of the previous and current slot
BUCKETS, ROWS = 1 << 14, 8  # a caller's row is one of those of its bucket
BUCKET = ROWS * ROW.size
SIZE = BUCKETS * BUCKET  # 5 MiB, of which only pages in use take memory
NAME = 16  # bytes

HELD = """
CREATE TABLE IF NOT EXISTS held (
    caller TEXT, pid INTEGER, count INTEGER, PRIMARY KEY (caller, pid)
) WITHOUT ROWID;
"""
Environ = dict[str, Any]
Header = tuple[str, str]
PLAYERS = 20  # so many players may have all streams of their app, and no fewer,
FEW_STREAMS = 10  # unless these are very few
MOST_CHECKS = 6000  # of an address in a minute
STREAM_PAUSE = 5  # seconds until a caller with too many streams may try again
log = logging.getLogger(__name__)


class FileLock:
    """Keeps other threads and processes out of a block.

    The kernel releases it if the process dies. While a process is stopped inside the block, others wait.
    """

    def __init__(self, file: int | None) -> None:
        """If `file` is None, it keeps out only threads."""
        self._file = file
        self._threads = threading.Lock()

    def __enter__(self) -> None:
        self._threads.acquire()
        try:
            if self._file is not None:
                fcntl.lockf(self._file, fcntl.LOCK_EX)
        except OSError:
            self._threads.release()
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            fcntl.lockf(self._file, fcntl.LOCK_UN)
        self._threads.release()


class SharedCounts:
    """Counts requests in sliding windows: those of this slot of time, and a part of the previous one's.

    It never forgets a count that still matters: if a bucket is full, a new caller gets the row with the
    smallest count, and begins with that count.
    """

    failures: type[Exception] | tuple[type[Exception], ...] = OSError

    def __init__(
        self, path: str | None, *, clock: Callable[[], float] = time.time, buckets: int = BUCKETS
    ) -> None:
        """`path` is the file that the processes share; None counts only in this process."""
        self._clock, self._buckets = clock, buckets
        file = None
        if path is not None:
            file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
            # On a full disk, a write to a page without space of its own would end the process.
            os.posix_fallocate(file, 0, SIZE)
        self._table = mmap.mmap(-1 if file is None else file, SIZE)
        self._lock = FileLock(file)
        # Nobody outside knows the path, which is random, and so nobody can choose addresses for a bucket.
        self._secret = blake2b((path or "").encode(), digest_size=NAME).digest()

    def take(self, name: str, caller: str, limit: int, seconds: int, cost: int) -> tuple[bool, int, float]:
        """Count a request of this cost, unless its caller would have more than `limit` in `seconds`.

        Return whether it was counted, how much is left, and the seconds until there is more.
        """
        key = f"{name}/{seconds}/{caller}".encode("utf-8", "replace")
        who = blake2b(key, digest_size=NAME, key=self._secret).digest()
        now = self._clock()
        slot = int(now // seconds)
        rest = (slot + 1) * seconds - now
        with self._lock:
            place, previous, current = self._find(who, slot, now, seconds)
            before = int(previous * rest / seconds)
            counted = before + current + cost <= limit
            if counted:
                current += cost
                ROW.pack_into(self._table, place, who, (slot + 2) * seconds, previous, current)
        more = min(rest, rest % (seconds / previous)) if previous else rest
        return counted, max(0, limit - before - current), more

    def _find(self, who: bytes, slot: int, now: float, seconds: int) -> tuple[int, int, int]:
        """Return the place of a caller's row, and its counts in the previous and in the current slot.

        If there is none, the place is that of the row that the caller gets. Call only with the lock.
        """
        bucket = int.from_bytes(who[:4], "little") % self._buckets * BUCKET
        free, smallest = bucket, None
        for place in range(bucket, bucket + BUCKET, ROW.size):
            known, expires, previous, current = ROW.unpack_from(self._table, place)
            if known == who:
                match slot - (expires // seconds - 2):  # slots since the last count
                    case 0:
                        return place, previous, current
                    case 1:
                        return place, current, 0
                return place, 0, 0
            count = previous + current if expires > now else 0
            if smallest is None or count < smallest:
                free, smallest = place, count
        return free, 0, smallest or 0


class Held:
    """Counts what callers hold, such as open streams, in all processes together."""

    def __init__(self, path: str | None) -> None:
        """If `path` is None, it counts only in this process."""
        self._connection = sqlite3.connect(path or ":memory:", isolation_level=None, check_same_thread=False)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = OFF")
        self._connection.execute(HELD)
        self._lock = threading.Lock()

    def take(self, caller: str, most: int) -> bool:
        """Count one more unless the caller has `most`; return whether it was counted."""
        with self._lock, self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            if self._count(caller) >= most:
                self._forget_dead(caller)
                if self._count(caller) >= most:
                    return False
            self._connection.execute(
                "INSERT INTO held VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET count = count + 1",
                (caller, os.getpid()),
            )
        return True

    def give_back(self, caller: str) -> None:
        """Count one less."""
        mine = (caller, os.getpid())
        with self._lock, self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.execute("UPDATE held SET count = count - 1 WHERE caller = ? AND pid = ?", mine)
            self._connection.execute("DELETE FROM held WHERE caller = ? AND pid = ? AND count < 1", mine)

    def _count(self, caller: str) -> int:
        rows = self._connection.execute("SELECT sum(count) FROM held WHERE caller = ?", (caller,))
        return int(rows.fetchone()[0] or 0)

    def _forget_dead(self, caller: str) -> None:
        """Delete the counts of processes that no longer exist."""
        rows = self._connection.execute("SELECT pid FROM held WHERE caller = ?", (caller,)).fetchall()
        for (pid,) in rows:
            try:
                os.kill(pid, 0)
            except ProcessLookupError:
                self._connection.execute("DELETE FROM held WHERE caller = ? AND pid = ?", (caller, pid))
            except PermissionError:
                continue


LIMITS, STANDINGS, WAIT = "card_referee.limits", "card_referee.standings", "card_referee.wait"
STORAGE_TIMEOUT, STORAGE_PAUSE = 1, 5  # seconds to wait for a remote store, to avoid it after a failure


class Standing(NamedTuple):
    """A caller's quota: requests left now, seconds until there are more, seconds to wait if none is left."""

    left: int
    reset: int
    wait: int


@dataclass
class StoreOutage:
    """When to ask a failed store again (`time.monotonic`); until then no request waits for it."""

    until: float = 0.0


class Counts(Protocol):
    """Counts of requests in sliding windows."""

    failures: type[Exception] | tuple[type[Exception], ...]

    def take(self, name: str, caller: str, limit: int, seconds: int, cost: int) -> tuple[bool, int, float]:
        """Count a request if it fits; return whether it does, what is left, and the seconds until more."""


class RemoteCounts:
    """Counts in a store outside of this server, by the library `limits`."""

    def __init__(self, storage: Storage) -> None:
        self._limiter = SlidingWindowCounterRateLimiter(storage)
        self.failures = storage.base_exceptions

    def take(self, name: str, caller: str, limit: int, seconds: int, cost: int) -> tuple[bool, int, float]:
        """Count a request if it fits; return whether it does, what is left, and the seconds until more."""
        item = RateLimitItemPerSecond(limit, seconds, namespace=name)
        taken = self._limiter.hit(item, caller, cost=cost)
        reset, left = self._limiter.get_window_stats(item, caller)
        return taken, left, reset - time.time()


class Limit:
    """`count` requests in `seconds`, for each caller; `name` is its name in the headers."""

    def __init__(
        self, name: str, count: int, seconds: int, counts: Counts, outage: StoreOutage | None = None
    ) -> None:
        self.name = name
        self.count = count
        self.policy = f'"{name}";q={count};w={seconds}'
        self._seconds = seconds
        self._counts = counts
        self._outage = outage or StoreOutage()

    def take(self, caller: str, cost: int = 1) -> Standing:
        """Count a request of this cost, unless too little is left (`wait` is not 0)."""
        if time.monotonic() < self._outage.until:
            return Standing(self.count, 0, 0)
        cost = min(cost, self.count)
        try:
            taken, left, more = self._counts.take(self.name, caller, self.count, self._seconds, cost)
        except self._counts.failures as error:
            log.warning("rate limits are not counted: %s", type(error).__name__)
            self._outage.until = time.monotonic() + STORAGE_PAUSE
            return Standing(self.count, 0, 0)
        reset = max(1, math.ceil(more)) if left < self.count else 0
        return Standing(left, reset, 0 if taken else reset)


class Limits:
    """The limits of all requests, and the open streams."""

    def __init__(self, settings: Settings, path: str | None) -> None:
        """`path` is the file that the web processes of this server share; None for a single process."""
        address = settings.rate_limit_storage
        self._counts: Counts = SharedCounts(path)
        if address:
            waits = {"socket_timeout": STORAGE_TIMEOUT, "socket_connect_timeout": STORAGE_TIMEOUT}
            self._counts = RemoteCounts(cast(Storage, storage_from_string(address, **waits)))
        self._outage = StoreOutage()
        self._held = Held(path and f"{path}.held")
        self._most_streams = settings.max_streams
        self._most_app_streams = settings.max_app_streams
        self._token = self.limit("token", settings.rate_limit)
        self._address = self.limit("address", settings.address_rate_limit)
        self._checks = Limit("checks", MOST_CHECKS, 60, self._counts, self._outage)
        policies = [limit.policy for limit in (self._token, self._address) if limit]
        self._policy = ("RateLimit-Policy", ", ".join(policies))

    def limit(self, name: str, text: str | None) -> Limit | None:
        """Return a limit from a setting such as `600 per minute`, or None without one."""
        return Limit(name, *requests_and_seconds(text), self._counts, self._outage) if text else None

    def count_address(self, environ: Environ, *, checks: bool = False) -> None:
        """Count a request whose caller is still unknown. Those that check the server are counted apart."""
        environ[STANDINGS] = {}
        if checks:
            environ[WAIT] = self._checks.take(address_of(environ)).wait
            return
        environ[LIMITS] = self
        self._take(environ, self._address, address_of(environ), 1)

    def count_caller(self, environ: Environ, credential: object | None, cost: int) -> None:
        """Count a request for its caller, and its cost beyond 1 for the address.

        Raises TooManyRequests.
        """
        if cost > 1:
            self._take(environ, self._address, address_of(environ), cost - 1)
        self._take(environ, self._token, _caller(environ, credential), cost)
        if WAIT in environ:
            raise TooManyRequests(retry_after=environ[WAIT])

    def hold_stream(self, line: Line, player: object | None = None) -> ExitStack:
        """Count a stream as open until what is returned is closed, for its `player`, too, if it is an app's.

        A player may have many tokens, and a few players do not get all streams of their app. Raises
        TooManyRequests.
        """
        caller, party = str(line.member), str(line.party)
        limited = [(caller, self._most_streams)]
        if line.party not in STRANGERS:
            if player is not None:
                limited.append((str(player), max(FEW_STREAMS, self._most_app_streams // PLAYERS)))
            limited.append((party, self._most_app_streams))
        with ExitStack() as taken:
            for name, most in limited:
                if not self._held.take(name, most):
                    raise TooManyRequests(retry_after=STREAM_PAUSE)
                taken.callback(self._held.give_back, name)
            return taken.pop_all()

    def headers(self, environ: Environ) -> list[Header]:
        """Return the headers with the quota of a request's caller."""
        standings = environ.get(STANDINGS)
        if not standings:
            return []
        shown = [(name, standings[name]) for name in ("token", "address") if name in standings]
        return [self._policy, ("RateLimit", ", ".join(f'"{n}";r={s.left};t={s.reset}' for n, s in shown))]

    def _take(self, environ: Environ, limit: Limit | None, caller: str, cost: int) -> None:
        if limit is None:
            return
        standing = environ[STANDINGS][limit.name] = limit.take(caller, cost)
        if standing.wait:
            environ[WAIT] = max(standing.wait, environ.get(WAIT, 0))


def _caller(environ: Environ, credential: object | None) -> str:
    return address_of(environ) if credential is None else str(credential)


def address_of(environ: Environ) -> str:
    """Return the caller's address; for IPv6 the network, which usually belongs to one customer."""
    return _network(environ.get("REMOTE_ADDR") or "")


@lru_cache(maxsize=4096)
def _network(text: str) -> str:
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return text
    if address.version == 4:
        return text
    return str(address.ipv4_mapped or ip_network((int(address), 64), strict=False))
