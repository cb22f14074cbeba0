"""Rate limits, weighted by the cost of requests.

Each web process counts by itself, and then has its part of every limit, or the library `limits` counts for
all of them in RATE_LIMIT_STORAGE. A caller is identified by its verified key or token, or else by its
address; the address of every request is counted as well. If the store fails, requests are let through.
"""

from __future__ import annotations

import logging
import math
import time
from typing import Any, NamedTuple, Self, cast

from limits import RateLimitItemPerSecond
from limits.storage import Storage, storage_from_string
from limits.strategies import SlidingWindowCounterRateLimiter
from werkzeug.exceptions import TooManyRequests

from api.core.config import Settings
from api.core.readers import requests_and_seconds
from api.http.admission import LIMITS, WAIT, address_of

Environ = dict[str, Any]
Header = tuple[str, str]
MOST_CHECKS = 6000  # of an address in a minute
STANDINGS = "card_referee.standings"
log = logging.getLogger(__name__)

STORAGE_TIMEOUT, STORAGE_PAUSE = 1, 5  # seconds to wait for a remote store, to avoid it after a failure


class Standing(NamedTuple):
    """A caller's quota: requests left now, seconds until there are more, seconds to wait if none is left."""

    left: int
    reset: int
    wait: int


class Memory:
    """Counts in one process, in sliding windows: a request of the window before counts less and less.

    The library's memory takes seven times as long, and goes through all callers after each request.
    """

    def __init__(self) -> None:
        self._windows: dict[tuple[str, int], Window] = {}

    def take(self, limit: Limit, caller: str, cost: int) -> Standing:
        """Count a request if it fits (`wait` is 0)."""
        number, passed = divmod(time.time(), limit.seconds)
        window = self._windows.get((limit.name, limit.seconds))
        if window is None or window.number != number:
            window = Window.after(window, number)
            self._windows[limit.name, limit.seconds] = window
        remaining = limit.seconds - passed
        before, now = window.before.get(caller, 0), window.now.get(caller, 0)
        used = math.floor(before * remaining / limit.seconds + now)
        taken = used + cost <= limit.count
        if taken:
            window.now[caller], used = now + cost, used + cost
        more = min(remaining, remaining % (limit.seconds / before)) if before else remaining
        reset = max(1, math.ceil(more)) if used else 0
        return Standing(max(0, limit.count - used), reset, 0 if taken else reset)


class Window(NamedTuple):
    """What a limit's callers have used in a window of time, and in the one before."""

    number: float
    now: dict[str, int]
    before: dict[str, int]

    @classmethod
    def after(cls, last: Window | None, number: float) -> Self:
        """Return a new window; whoever came in neither is forgotten."""
        return cls(number, {}, last.now if last is not None and last.number == number - 1 else {})


class Store:
    """Where all processes count, in sliding windows; if it has failed, it is not asked for some seconds."""

    def __init__(self, storage: Storage) -> None:
        self._limiter = SlidingWindowCounterRateLimiter(storage)
        self._failures = storage.base_exceptions
        self._away_until = 0.0

    def take(self, limit: Limit, caller: str, cost: int) -> Standing:
        """Count a request if it fits (`wait` is 0)."""
        item = RateLimitItemPerSecond(limit.count, limit.seconds, namespace=limit.name)
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

    def __init__(self, name: str, count: int, seconds: int, store: Memory | Store) -> None:
        self.name = name
        self.count, self.seconds = count, seconds
        self.policy = f'"{name}";q={count};w={seconds}'
        self._store = store

    def take(self, caller: str, cost: int = 1) -> Standing:
        """Count a request of this cost, unless too little is left (`wait` is not 0)."""
        return self._store.take(self, caller, min(cost, self.count))


class Limits:
    """The limits of all requests."""

    def __init__(self, settings: Settings) -> None:
        address = settings.rate_limit_storage
        waits = {"socket_timeout": STORAGE_TIMEOUT, "socket_connect_timeout": STORAGE_TIMEOUT}
        self._store = Store(cast(Storage, storage_from_string(address, **waits))) if address else Memory()
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
