"""More connections than a server takes: the newest of whoever has most are closed."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from urllib.parse import urlsplit

import httpx
import pytest

from tests.servers.serving import TIMEOUT, Server, constants, free_directory, serve
from tests.support.raw import head
from tests.support.streams import STREAM

pytestmark = pytest.mark.long

MOST = 60  # connections
SOON = 5  # seconds, fewer than after which half requests end by themselves


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """Run a server with one web process and a place for few connections."""
    few = constants(worker_connections=MOST)
    with free_directory() as directory, serve(directory, WORKERS="1", **few) as running:
        yield running


def connect(server: Server, source: str) -> socket.socket:
    """Connect from one of the addresses of this machine."""
    parts = urlsplit(server.url)
    address = (parts.hostname or "", parts.port or 0)
    return socket.create_connection(address, timeout=TIMEOUT, source_address=(source, 0))


def ask(server: Server, source: str) -> bytes:
    """Return the status line of an answer; nothing if the connection is closed."""
    with closing(connect(server, source)) as one, suppress(ConnectionError, TimeoutError):
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
            one = stack.enter_context(closing(connect(server, f"127.0.1.{number % networks}")))
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
            one = stack.enter_context(closing(connect(server, f"127.0.1.{number % 12}")))
            with suppress(ConnectionError):
                one.sendall(wanted)
                opened.append(one.recv(12))
        assert opened.count(b"HTTP/1.1 200") >= MOST // 2
        for innocent in range(5):
            assert ask(server, f"127.0.2.{innocent}") == b"HTTP/1.1 200 OK"
