"""The connections of a server: its web processes share them evenly, and the newest of whoever has most go."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from urllib.parse import urlsplit

import httpx
import psutil
import pytest

from tests.servers.receiver import eventually
from tests.servers.serving import TIMEOUT, Server, constants, free_directory, serve
from tests.support.raw import head
from tests.support.streams import STREAM

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


MOST = 60  # connections
SOON = 5  # seconds, fewer than after which half requests end by themselves


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """Run a server with one web process and a place for few connections."""
    few = constants(worker_connections=MOST)
    with free_directory() as directory, serve(directory, WORKERS="1", **few) as running:
        yield running


def connect_from(server: Server, source: str) -> socket.socket:
    """Connect from one of the addresses of this machine."""
    parts = urlsplit(server.url)
    address = (parts.hostname or "", parts.port or 0)
    return socket.create_connection(address, timeout=TIMEOUT, source_address=(source, 0))


def ask(server: Server, source: str) -> bytes:
    """Return the status line of an answer; nothing if the connection is closed."""
    with closing(connect_from(server, source)) as one, suppress(ConnectionError, TimeoutError):
        one.settimeout(SOON)
        one.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        return one.recv(100).partition(b"\r\n")[0]
    return b""


HALVES: dict[str, bytes] = {
    "idle": b"",
    "a part of a head": b"GET /v1/me HT",
    "a part of a body": head("/v1/referee/replays", None, "Content-Length: 1000") + b"{",
}


@pytest.mark.beside("connections")
@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("networks", [1, 12])
def test_half_requests_leave_connections_to_others(server: Server, half: str, networks: int) -> None:
    with ExitStack() as stack:
        for number in range(5 * MOST):
            one = stack.enter_context(closing(connect_from(server, f"127.0.1.{number % networks}")))
            one.sendall(HALVES[half])
        for innocent in range(5):
            assert ask(server, f"127.0.2.{innocent}") == b"HTTP/1.1 200 OK"


@pytest.mark.beside("connections")
def test_streams_of_many_networks_leave_connections_to_others(server: Server) -> None:
    game = {"ruleset": "pies", "seats": [{"open": True}] * 4, "visibility": "public"}
    headers = {"Authorization": f"Bearer {server.key}"}
    made = httpx.post(f"{server.url}/v1/games", json=game, headers=headers)
    path = f"/v1/games/{made.json()['id']}/events"
    wanted = f"GET {path} HTTP/1.1\r\nHost: x\r\nAccept: {STREAM}\r\n\r\n".encode()
    with ExitStack() as stack:
        opened = []
        for number in range(12 * 40):
            one = stack.enter_context(closing(connect_from(server, f"127.0.1.{number % 12}")))
            with suppress(ConnectionError):
                one.sendall(wanted)
                opened.append(one.recv(12))
        assert opened.count(b"HTTP/1.1 200") >= MOST // 2
        for innocent in range(5):
            assert ask(server, f"127.0.2.{innocent}") == b"HTTP/1.1 200 OK"
