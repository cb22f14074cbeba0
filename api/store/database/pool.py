"""First come, first served, where SQLAlchemy's pool lets whoever happens to run take what was given back.

With more requests than connections that made some wait for seconds while others were served again and again.
"""

from __future__ import annotations

import threading
from collections import deque


class InFlightLimit:
    """So many places; who finds none free waits in line, and is handed the next one given back."""

    def __init__(self, places: int) -> None:
        self._free = places
        self._waiting: deque[threading.Lock] = deque()
        self._lock = threading.Lock()

    def enter(self, timeout: float) -> bool:
        """Take a place; False where there was none for `timeout` seconds."""
        with self._lock:
            if self._free:
                self._free -= 1
                return True
            called = threading.Lock()
            called.acquire()
            self._waiting.append(called)
        try:
            if called.acquire(timeout=timeout):
                return True
        except BaseException:
            self._give_up(called)
            raise
        return not self._give_up(called, keep=True)

    def _give_up(self, called: threading.Lock, keep: bool = False) -> bool:
        """Leave the line; False where a place was handed over meanwhile, which is left unless to `keep`."""
        with self._lock:
            if called in self._waiting:
                self._waiting.remove(called)
                return True
        if not keep:
            self.leave()
        return False

    def leave(self) -> None:
        """Return the place back."""
        with self._lock:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._free += 1
