"""Counts that all web processes of a server share, in files, without another server.

The requests of each caller are counted in a table in shared memory, because every request is counted twice:
a count takes 3 µs (9 in SQLite). SQLite keeps the few counts of what callers hold. What a process that dies
was doing is at worst not counted. The counts are worth nothing once the server stops.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import sqlite3
import threading
import time
from hashlib import blake2b
from struct import Struct
from types import TracebackType

from limits.storage import Storage
from limits.storage.base import SlidingWindowCounterSupport

ROW = Struct("<16sqqq")  # a caller's hash, when the row expires, the counts of the previous and current slot
BUCKETS, ROWS = 1 << 15, 8  # a caller's row is one of those of its bucket
BUCKET = ROWS * ROW.size
SIZE = BUCKETS * BUCKET  # 10 MiB, of which only pages in use take memory
NAME = 16  # bytes

HELD = """
CREATE TABLE IF NOT EXISTS held (
    caller TEXT, pid INTEGER, count INTEGER, PRIMARY KEY (caller, pid)
) WITHOUT ROWID;
"""


class FileLock:
    """Keeps other threads and processes out of a block. The kernel releases it if the process dies."""

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


class SharedCounts(Storage, SlidingWindowCounterSupport):
    """A storage for `limits` with only the sliding windows that we use.

    It never forgets a count that still matters: if a bucket is full, a new caller gets the row with the
    smallest count, and begins with that count.
    """

    STORAGE_SCHEME = None

    def __init__(self, path: str | None) -> None:
        """`path` is the file that the processes share; None counts only in this process."""
        super().__init__()
        file = None
        if path is not None:
            file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
            os.ftruncate(file, SIZE)
        self._table = mmap.mmap(-1 if file is None else file, SIZE)
        self._lock = FileLock(file)
        # Nobody outside knows the path, which is random, and so nobody can choose addresses for a bucket.
        self._secret = blake2b((path or "").encode(), digest_size=NAME).digest()

    @property
    def base_exceptions(self) -> type[Exception]:
        """Return the exceptions of the storage."""
        return OSError

    def acquire_sliding_window_entry(self, key: str, limit: int, expiry: int, amount: int = 1) -> bool:
        """Add `amount` unless the weighted count would exceed `limit`; return whether it was added."""
        name, now = self._name(key), time.time()
        slot = int(now // expiry)
        weight = 1 - (now / expiry - slot)
        with self._lock:
            place, previous, current = self._find(name, now, expiry)
            fits = int(previous * weight) + current + amount <= limit
            if fits:
                ROW.pack_into(self._table, place, name, (slot + 2) * expiry, previous, current + amount)
        return fits

    def get_sliding_window(self, key: str, expiry: int) -> tuple[int, float, int, float]:
        """Return the previous count, its remaining time, the current count, and its remaining time."""
        now = time.time()
        with self._lock:
            _, previous, current = self._find(self._name(key), now, expiry)
        left = expiry - now % expiry
        return previous, left if previous else 0.0, current, left + expiry

    def clear_sliding_window(self, key: str, expiry: int) -> None:
        """Delete a key."""
        self.clear(key)

    def clear(self, key: str) -> None:
        """Delete a key."""
        name = self._name(key)
        with self._lock:
            for place in self._places(name):
                if ROW.unpack_from(self._table, place)[0] == name:
                    ROW.pack_into(self._table, place, bytes(NAME), 0, 0, 0)

    def reset(self) -> int | None:
        """Delete every key; return how many counted."""
        now = time.time()
        with self._lock:
            found = sum(1 for row in ROW.iter_unpack(self._table) if row[1] > now)
            self._table[:] = bytes(SIZE)
        return found

    def check(self) -> bool:
        """Return whether the table can be read."""
        return len(self._table) == SIZE

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """Raise NotImplementedError: `limits` declares this method, but sliding windows never call it."""
        raise NotImplementedError

    def get(self, key: str) -> int:
        """Raise NotImplementedError: `limits` declares this method, but sliding windows never call it."""
        raise NotImplementedError

    def get_expiry(self, key: str) -> float:
        """Raise NotImplementedError: `limits` declares this method, but sliding windows never call it."""
        raise NotImplementedError

    def _name(self, key: str) -> bytes:
        return blake2b(key.encode("utf-8", "replace"), digest_size=NAME, key=self._secret).digest()

    def _places(self, name: bytes) -> range:
        bucket = int.from_bytes(name[:4], "little") % BUCKETS * BUCKET
        return range(bucket, bucket + BUCKET, ROW.size)

    def _find(self, name: bytes, now: float, expiry: int) -> tuple[int, int, int]:
        """Return the place of a caller's row, and its counts in the previous and in the current slot.

        If there is none, the place is that of the row that the caller gets. Call only with the lock.
        """
        free, smallest = 0, None
        for place in self._places(name):
            known, expires, previous, current = ROW.unpack_from(self._table, place)
            if known == name:
                match int(now // expiry) - (expires // expiry - 2):  # slots since the last count
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
