"""Rate limits, weighted by the cost of requests.

The library `limits` counts: in the memory of each web process, which then has its part of every limit, or for
all of them in RATE_LIMIT_STORAGE. A caller is identified by its verified key or token, or else by its
address; the address of every request is counted as well. If the store fails, requests are let through.
"""

from __future__ import annotations

import logging
import math
import time
from threading import Timer
from typing import Any, NamedTuple, cast

from limits import RateLimitItemPerSecond
from limits.storage import MemoryStorage, Storage, storage_from_string
from limits.strategies import SlidingWindowCounterRateLimiter
from werkzeug.exceptions import TooManyRequests

from api.core.config import Settings
from api.core.readers import requests_and_seconds
from api.http.admission import LIMITS, WAIT, address_of

Environ = dict[str, Any]
Header = tuple[str, str]
MOST_CHECKS = 6000  # of an address in a minute
SWEEP = 10  # seconds after which a process drops counts that have expired
STANDINGS = "card_referee.standings"
log = logging.getLogger(__name__)

STORAGE_TIMEOUT, STORAGE_PAUSE = 1, 5  # seconds to wait for a remote store, to avoid it after a failure


class Standing(NamedTuple):
    """A caller's quota: requests left now, seconds until there are more, seconds to wait if none is left."""

    left: int
    reset: int
    wait: int


class Swept(Timer):
    """Stands for the timer of the library's memory, which would go through all callers 100 times a second.

    With 71,000 callers, that took 3 ms of each request.
    """

    def is_alive(self) -> bool:
        """Return that no other timer is needed: `Memory` looks itself."""
        return True


class Memory(MemoryStorage):
    """Counts in one process; from time to time it forgets whom it need not know any more."""

    def __init__(self) -> None:
        super().__init__()
        self.timer = Swept(0, print)  # is never started
        self._next = time.time() + SWEEP

    def incr(self, key: str, expiry: float, amount: int = 1) -> int:
        """Count, and drop what has expired."""
        if time.time() >= self._next:
            self._next = time.time() + SWEEP
            for known in [*self.expirations]:
                self.get(known)  # drops it
        return super().incr(key, expiry, amount)


class Store:
    """Where requests are counted, in sliding windows; one that has failed is not asked for some seconds."""

    def __init__(self, storage: Storage) -> None:
        self._limiter = SlidingWindowCounterRateLimiter(storage)
        self._failures = storage.base_exceptions
        self._away_until = 0.0

    def take(self, item: RateLimitItemPerSecond, caller: str, cost: int) -> Standing:
        """Count a request if it fits (`wait` is 0)."""
        if time.monotonic() < self._away_until:
            return Standing(item.amount, 0, 0)
        try:
            taken = self._limiter.hit(item, caller, cost=cost)
            more, left = self._limiter.get_window_stats(item, caller)
        except self._failures as error:
            log.warning("rate limits are not counted: %s", type(error).__name__)
            self._away_until = time.monotonic() + STORAGE_PAUSE
            return Standing(item.amount, 0, 0)
        reset = max(1, math.ceil(more - time.time())) if left < item.amount else 0
        return Standing(left, reset, 0 if taken else reset)


class Limit:
    """`count` requests in `seconds`, for each caller; `name` is its name in the headers."""

    def __init__(self, name: str, count: int, seconds: int, store: Store) -> None:
        self.name = name
        self.count = count
        self.policy = f'"{name}";q={count};w={seconds}'
        self._item = RateLimitItemPerSecond(count, seconds, namespace=name)
        self._store = store

    def take(self, caller: str, cost: int = 1) -> Standing:
        """Count a request of this cost, unless too little is left (`wait` is not 0)."""
        return self._store.take(self._item, caller, min(cost, self.count))


class Limits:
    """The limits of all requests."""

    def __init__(self, settings: Settings) -> None:
        address = settings.rate_limit_storage
        waits = {"socket_timeout": STORAGE_TIMEOUT, "socket_connect_timeout": STORAGE_TIMEOUT}
        storage = cast(Storage, storage_from_string(address, **waits)) if address else Memory()
        self._store = Store(storage)
        self._parts = 1 if address else settings.workers
        self._token = self.limit("token", settings.rate_limit)
        self._address = self.limit("address", settings.address_rate_limit)
        self._checks = Limit("checks", MOST_CHECKS, 60, self._store)
        policies = [limit.policy for limit in (self._token, self._address) if limit]
        self._policy = ("RateLimit-Policy", ", ".join(policies))

    def limit(self, name: str, text: str | None) -> Limit | None:
        """Return this process's part of a limit such as `600 per minute`, or None without one."""
        if not text:
            return None
        count, seconds = requests_and_seconds(text)
        return Limit(name, math.ceil(count / self._parts), seconds, self._store)

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

    def count(self, name: str, rate: str | None, caller: str) -> None:
        """Count a request of a kind that has a limit of its own. Raises TooManyRequests."""
        limit = self.limit(name, rate)
        if limit is not None and (wait := limit.take(caller).wait):
            raise TooManyRequests(retry_after=wait)

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
