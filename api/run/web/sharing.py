"""How the web processes of a server share its socket and its connections.

All of them wait at one socket, and the kernel chooses which one to wake: of 64 connections, one process got
all on a quiet machine, and 42 on a busy one, though each accepted one at a time; with this, both get 32. Each
process publishes how many it has, and one that has more than another leaves new connections to the others
for a moment. With separate sockets (SO_REUSEPORT), the connections that wait at one would be lost when its
process ends.
"""

from __future__ import annotations

import mmap
import socket

from api.core.config import StartError

SLOTS = 256  # more than there are processes, including those that are ending
NOBODY = -1
BACKLOG = 2048


def reserve(host: str, port: int) -> socket.socket:
    """Return a socket at an address; port 0 takes any free one. Raises StartError if it cannot be opened.

    The first web process that can answer lets it listen. Until then, whoever connects is refused at once, and
    a proxy asks another server.
    """
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, socket.SOCK_STREAM)
    except OSError as error:
        raise StartError(f"The host {host} is not known here: {error.strerror}.") from None
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except OSError as error:
        listener.close()
        raise StartError(
            f"Port {port} on {host} cannot be used: {error.strerror}; choose another with --port."
        ) from None
    return listener


class Connections:
    """The number of connections of each process, in shared memory. Created before the processes start."""

    def __init__(self) -> None:
        self._counts = memoryview(mmap.mmap(-1, 4 * SLOTS)).cast("i")
        for slot in range(SLOTS):
            self._counts[slot] = NOBODY

    def publish(self, process: int, count: int) -> None:
        """Record how many connections the process of this number has."""
        self._counts[process % SLOTS] = count

    def forget(self, process: int) -> None:
        """Forget a process that has ended."""
        self._counts[process % SLOTS] = NOBODY

    def ahead(self, process: int) -> bool:
        """Return whether another process has fewer connections."""
        own = self._counts[process % SLOTS]
        return any(NOBODY < count < own for count in self._counts)
