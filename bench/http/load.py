"""Clients in one thread that send prepared requests one after another, as fast as they are answered.

They use raw sockets and prepared bytes: on a small machine, a real HTTP client would use most of the time
that is measured.
"""

from __future__ import annotations

import contextlib
import selectors
import socket
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import psutil

UNCHANGED = b"HTTP/1.1 304"
SERVED = (b"HTTP/1.1 200", b"HTTP/1.1 201", UNCHANGED)


def request(
    method: str,
    path: str,
    token: str | None = None,
    body: bytes | None = None,
    key: str | None = None,
    known: str | None = None,
) -> bytes:
    """Return a request as the bytes that are sent; `known` is the ETag of what the client has."""
    lines = [f"{method} {path} HTTP/1.1", "Host: bench"]
    if token:
        lines.append(f"Authorization: Bearer {token}")
    if key:
        lines.append(f"Idempotency-Key: {key}")
    if known:
        lines.append(f"If-None-Match: {known}")
    if body is not None:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, "", ""]).encode() + (body or b"")


class Last(bytes):
    """A request that ends something; its time is also noted apart."""


@dataclass
class Measured:
    """The requests that were answered, and the seconds that each took."""

    seconds: float
    latencies: list[float] = field(default_factory=list)
    lasts: list[float] = field(default_factory=list)
    """Those of the latencies that belong to a `Last` request."""
    processor: float = 0.0
    """Processor seconds that all servers together took for them."""

    @property
    def rate(self) -> float:
        """Return requests per second."""
        return len(self.latencies) / self.seconds

    @property
    def cost(self) -> float:
        """Return milliseconds of processor time per request."""
        return self.processor / len(self.latencies) * 1000

    def percentile(self, percent: int) -> float:
        """Return a percentile of the times, in milliseconds."""
        return statistics.quantiles(self.latencies, n=100)[percent - 1] * 1000


class Client:
    """One connection with at most one open request."""

    def __init__(self, address: tuple[str, int], requests: Iterator[bytes]) -> None:
        self.requests = requests
        self.socket = socket.create_connection(address)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.answer = b""
        self.sent = 0.0
        self.ends = False

    def send(self) -> bool:
        """Send the next request; return whether there was one."""
        request = next(self.requests, None)
        if request is None:
            return False
        self.ends = isinstance(request, Last)
        self.sent = time.perf_counter()
        self.socket.sendall(request)
        return True

    def receive(self) -> bool:
        """Read what has arrived; return True when the answer is complete. Fails unless it is in SERVED."""
        chunk = self.socket.recv(65536)
        assert chunk, f"the server closed the connection: {self.answer[:200]!r}"
        self.answer += chunk
        head = self.answer.find(b"\r\n\r\n")
        if head < 0:
            return False
        at = self.answer.lower().find(b"content-length:", 0, head)
        assert self.answer.startswith(SERVED), self.answer[:900]
        length = int(self.answer[at + 15 : self.answer.find(b"\r\n", at)]) if self._has_body() else 0
        if len(self.answer) < head + 4 + length:
            return False
        self.answer = b""
        return True

    def _has_body(self) -> bool:
        return not self.answer.startswith(UNCHANGED)


def processor_time() -> float:
    """Return the seconds of processor time of all our descendant processes."""
    total = 0.0
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            times = process.cpu_times()
            total += times.user + times.system
    return total


def run(address: tuple[str, int], clients: list[Iterator[bytes]], seconds: float) -> Measured:
    """Let every client send for this many seconds, or until it has sent everything."""
    before = processor_time()
    selector = selectors.DefaultSelector()
    subscribers = [Client(address, requests) for requests in clients]
    for client in subscribers:
        selector.register(client.socket, selectors.EVENT_READ, client)
    found = Measured(seconds)
    begun = time.perf_counter()
    waiting = sum(client.send() for client in subscribers)
    while waiting:
        for key, _ in selector.select(0.1):
            client = key.data
            if not client.receive():
                continue
            now = time.perf_counter()
            in_time = now - begun < seconds
            if in_time:
                found.latencies.append(now - client.sent)
                if client.ends:
                    found.lasts.append(now - client.sent)
            if not (in_time and client.send()):
                waiting -= 1
    for client in subscribers:
        client.socket.close()
    found.processor = processor_time() - before
    return found
