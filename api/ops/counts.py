"""Counts that all web processes of a server share, in a file, without another server.

SQLite keeps them: a statement takes some 15 µs, nothing waits for the disk, and what a process that dies
was doing is undone. The counts are worth nothing once the server stops.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from math import floor
from typing import Any

from limits.storage import Storage
from limits.storage.base import SlidingWindowCounterSupport

PRUNE_EVERY = 1000  # after this many new callers, those with expired counts are deleted

TABLES = """
CREATE TABLE IF NOT EXISTS counts (
    key TEXT PRIMARY KEY, slot INTEGER, previous INTEGER, current INTEGER, expires INTEGER
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS counts_by_age ON counts (expires);
CREATE TABLE IF NOT EXISTS held (
    caller TEXT, pid INTEGER, count INTEGER, PRIMARY KEY (caller, pid)
) WITHOUT ROWID;
"""
# The current slot and the previous one, at `slot`.
PREVIOUS = "CASE WHEN slot = :slot THEN previous WHEN slot = :slot - 1 THEN current ELSE 0 END"
CURRENT = "CASE WHEN slot = :slot THEN current ELSE 0 END"
ADD = f"""
INSERT INTO counts VALUES (:key, :slot, 0, :amount, :expires)
ON CONFLICT (key) DO UPDATE SET previous = {PREVIOUS}, current = {CURRENT} + :amount, slot = :slot,
    expires = :expires
WHERE CAST(({PREVIOUS}) * :weight AS INTEGER) + ({CURRENT}) + :amount <= :limit
RETURNING previous, current
"""
READ = f"SELECT {PREVIOUS}, {CURRENT} FROM counts WHERE key = :key"


def connect(path: str) -> sqlite3.Connection:
    """Open the file, or create it."""
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA page_size = 512")  # the smallest size, because each count writes whole pages
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = OFF")
    connection.executescript(TABLES)
    return connection


class SharedCounts(Storage, SlidingWindowCounterSupport):
    """A storage for `limits` with only the sliding windows that we use."""

    STORAGE_SCHEME = None

    def __init__(self, path: str) -> None:
        super().__init__()
        self._connection = connect(path)
        self._lock = threading.Lock()
        self._new = 0

    @property
    def base_exceptions(self) -> type[Exception]:
        """Return the exceptions of the storage."""
        return sqlite3.Error

    def acquire_sliding_window_entry(self, key: str, limit: int, expiry: int, amount: int = 1) -> bool:
        """Add `amount` unless the weighted count would exceed `limit`; return whether it was added."""
        if amount > limit:
            return False
        values = self._values(key, expiry)
        values.update(amount=amount, limit=limit, expires=(values["slot"] + 2) * expiry)
        with self._lock:
            row = self._connection.execute(ADD, values).fetchone()
            if row is not None and row[0] == 0 and row[1] == amount:
                self._prune()
        return row is not None

    def get_sliding_window(self, key: str, expiry: int) -> tuple[int, float, int, float]:
        """Return the previous count, its remaining time, the current count, and its remaining time."""
        values = self._values(key, expiry)
        with self._lock:
            previous, current = self._connection.execute(READ, values).fetchone() or (0, 0)
        left = values["weight"] * expiry
        return previous, left if previous else 0.0, current, left + expiry

    def clear_sliding_window(self, key: str, expiry: int) -> None:
        """Delete a key."""
        self.clear(key)

    def clear(self, key: str) -> None:
        """Delete a key."""
        self._connection.execute("DELETE FROM counts WHERE key = ?", (key,))

    def reset(self) -> int | None:
        """Delete every key; return how many."""
        return self._connection.execute("DELETE FROM counts").rowcount

    def check(self) -> bool:
        """Return whether the file can be read."""
        return self._connection.execute("SELECT true").fetchone() is not None

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """Raise NotImplementedError: `limits` declares this method, but sliding windows never call it."""
        raise NotImplementedError

    def get(self, key: str) -> int:
        """Raise NotImplementedError: `limits` declares this method, but sliding windows never call it."""
        raise NotImplementedError

    def get_expiry(self, key: str) -> float:
        """Raise NotImplementedError: `limits` declares this method, but sliding windows never call it."""
        raise NotImplementedError

    def _values(self, key: str, expiry: int) -> dict[str, Any]:
        now = time.time()
        slot = floor(now / expiry)
        return {"key": key, "slot": slot, "weight": 1 - (now / expiry - slot)}

    def _prune(self) -> None:
        """Delete callers that have not called for two windows; a blocked caller is never deleted."""
        self._new += 1
        if self._new >= PRUNE_EVERY:
            self._new = 0
            self._connection.execute("DELETE FROM counts WHERE expires < ?", (floor(time.time()),))


class Held:
    """Counts what callers hold, such as open streams, in all processes together."""

    def __init__(self, path: str | None) -> None:
        """If `path` is None, it counts only in this process."""
        self._connection = connect(path or ":memory:")
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
