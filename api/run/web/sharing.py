"""How the web processes of a server share its connections.

All wait at one socket, and the kernel wakes them in an order of its own: of 64 connections one process may
get all. So each says how many it has, and one that has more than another leaves a connection to the others
for a moment. Sockets of their own (SO_REUSEPORT) would lose what waits at one when its process ends.
"""

from __future__ import annotations

import mmap

SLOTS = 256  # more than there are processes, those that are ending included
NOBODY = -1


class Connections:
    """How many connections each process has, in memory that all share. Made before they begin."""

    def __init__(self) -> None:
        self._counts = memoryview(mmap.mmap(-1, 4 * SLOTS)).cast("i")
        for slot in range(SLOTS):
            self._counts[slot] = NOBODY

    def note(self, process: int, count: int) -> None:
        """Record how many connections the process of this number has."""
        self._counts[process % SLOTS] = count

    def forget(self, process: int) -> None:
        """Forget a process that is gone."""
        self._counts[process % SLOTS] = NOBODY

    def ahead(self, process: int) -> bool:
        """Return whether some other process has fewer connections."""
        own = self._counts[process % SLOTS]
        return any(NOBODY < count < own for count in self._counts)
