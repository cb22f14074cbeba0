"""Rate limits, counted in the memory of each web process: a request costs no trip to anywhere.

With several processes a caller has at most as many times the limit; a proxy in front can count exactly.
The algorithm is GCRA: one time a caller, no windows whose edge lets twice as much through.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import NamedTuple

MOST_CALLERS = 50_000  # remembered at once; the ones that are due nothing are forgotten first


class Standing(NamedTuple):
    """Where a caller stands: requests left at once, seconds until all are, seconds to wait if none is."""

    left: int
    reset: int
    wait: int


class Limit:
    """`count` requests in `seconds`, for each caller; `name` is what the headers call it."""

    def __init__(
        self, name: str, count: int, seconds: int, now: Callable[[], float] = time.monotonic
    ) -> None:
        self.name = name
        self.policy = f'"{name}";q={count};w={seconds}'
        self._window = float(seconds)
        self._step = seconds / count
        self._now = now
        self._full: dict[str, float] = {}  # caller → when all of its requests are back

    def take(self, caller: str) -> Standing:
        """Count a request, unless there is none left (`wait` is not 0)."""
        now = self._now()
        full = max(self._full.get(caller, now), now) + self._step
        if full - now > self._window + 1e-9:
            wait = math.ceil(full - now - self._window)
            return Standing(0, math.ceil(full - self._step - now), max(1, wait))
        if len(self._full) >= MOST_CALLERS:
            self._forget(now)
        self._full[caller] = full
        return Standing(int((self._window - (full - now)) / self._step + 1e-9), math.ceil(full - now), 0)

    def _forget(self, now: float) -> None:
        self._full = {caller: full for caller, full in self._full.items() if full > now}
        if len(self._full) >= MOST_CALLERS:  # an attack from everywhere: begin anew rather than fill up
            self._full.clear()
