"""What counts requests and open streams, in files that all web processes of this server share.

The requests of each caller are counted in a table in shared memory, because every request is counted twice:
a count takes 5 µs. In SQLite it took 11 µs, and among four processes one count in a hundred waited for 4 to
12 ms, in which its process does nothing else. SQLite keeps the few counts of what callers hold. What a
process that dies was doing is at worst not counted. The counts are worth nothing once the server stops.
The library `limits` shares counts only by another server; in the memory of one process it takes 13 µs.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import sqlite3
import threading
import time
from collections.abc import Callable
from hashlib import blake2b
from struct import Struct
from types import TracebackType

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
