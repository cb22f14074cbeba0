"""The web processes of a server share its connections evenly, even while some of them end."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

import psutil
import pytest

from tests.servers.receiver import eventually
from tests.servers.serving import TIMEOUT, Server, free_directory, serve

pytestmark = pytest.mark.long

CONNECTIONS = 40


@pytest.fixture
def pair() -> Iterator[Server]:
    with free_directory() as directory, serve(directory, WORKERS="2", COMPUTE_WORKERS="0") as running:
        yield running


def shares(server: Server) -> dict[int, int]:
    """Return how many connections each process has."""
    port = urlsplit(server.url).port
    found = {}
    for process in psutil.Process(server.process.pid).children(recursive=True):
        with contextlib.suppress(psutil.Error):
            count = sum(
                connection.status == "ESTABLISHED" and connection.laddr.port == port
                for connection in process.net_connections("tcp")
            )
            if count:
                found[process.pid] = count
    return found


def connect(server: Server, stack: contextlib.ExitStack) -> None:
    """Open connections one after another, each with a request, and keep them."""
    parts = urlsplit(server.url)
    assert parts.port is not None
    for _ in range(CONNECTIONS):
        made = stack.enter_context(
            socket.create_connection((str(parts.hostname), parts.port), timeout=TIMEOUT)
        )
        made.sendall(b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n")
        assert made.recv(65536).startswith(b"HTTP/1.1 200")


def evenly(server: Server) -> bool:
    """Return whether two processes share new connections."""
    assert eventually(lambda: not shares(server))
    with contextlib.ExitStack() as stack:
        connect(server, stack)
        found = shares(server).values()
        assert sum(found) == CONNECTIONS
        return len(found) == 2 and max(found) - min(found) <= CONNECTIONS // 4


def test_connections_are_shared_evenly(pair: Server) -> None:
    # On a busy machine the second process may start later, or not run when a connection is left to it.
    assert eventually(lambda: evenly(pair))
    with contextlib.ExitStack() as stack:
        connect(pair, stack)
        before = shares(pair)
        os.kill(min(before), signal.SIGKILL)
        assert eventually(lambda: min(before) not in shares(pair))
    assert eventually(lambda: evenly(pair)), "the process that replaced the killed one gets no connections"
