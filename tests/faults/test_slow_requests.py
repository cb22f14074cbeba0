"""Incomplete requests: only their senders wait."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, closing

import httpx
import pytest

from tests.servers.serving import TIMEOUT, Server, constants, free_directory, serve
from tests.support.raw import connect, head

pytestmark = pytest.mark.long

CONNECTIONS = 2
HALVES = 12  # more of each kind than there are connections to the database


@pytest.fixture(scope="module")
def narrow() -> Iterator[Server]:
    """Run a server with one process and two connections to its database."""
    with free_directory() as directory, serve(directory, POOL_SIZE=str(CONNECTIONS)) as running:
        yield running


@pytest.fixture(scope="module")
def hasty() -> Iterator[Server]:
    """Run a server that waits two seconds for a body."""
    with free_directory() as directory, serve(directory, **constants(body_timeout=2)) as running:
        yield running


def halves(token: str) -> dict[str, bytes]:
    """Return the sent part of a request, by the stage at which it stops."""
    length, chunked = "Content-Length: 1000", "Transfer-Encoding: chunked"
    return {
        "a part of the request line": b"POST /v1/pl",
        "a part of the head": head("/v1/players", token, length)[:-4],
        "the head alone": head("/v1/players", token, length),
        "a part of the body": head("/v1/players", token, length) + b'{"name": "',
        "a part of a chunk": head("/v1/players", token, chunked) + b'400\r\n{"name": "',
        "a chunk without the next": head("/v1/players", token, chunked) + b"2\r\n{}\r\n",
        "a part of a body with a wrong token": head("/v1/players", "cra_wrong", length) + b"{",
        "a part of a body with an idempotency key": head("/v1/players", token, length, "Idempotency-Key: a")
        + b"{",
        "a part of a large body": head("/v1/records", token, "Content-Length: 9000000") + b'{"a": "' * 50_000,
        "a part of anybody's body": head("/v1/referee/replays", None, length) + b"{",
        "a part of a body for nobody": head("/v1/nowhere", token, length) + b"{",
    }


def test_incomplete_requests_delay_nobody_else(narrow: Server) -> None:
    with ExitStack() as stack:
        for begun in halves(narrow.key).values():
            for _ in range(HALVES):
                client = stack.enter_context(closing(connect(narrow)))
                client.sendall(begun)
        with httpx.Client(base_url=narrow.url, timeout=TIMEOUT) as other:
            headers = {"Authorization": f"Bearer {narrow.key}"}
            for number in range(3 * CONNECTIONS):
                assert other.get("/v1/me", headers=headers).status_code == 200
                made = other.post("/v1/players", json={"name": f"Player {number}"}, headers=headers)
                assert made.status_code == 201, made.text
                assert other.get("/readyz").status_code == 200


@pytest.mark.parametrize(
    "stage", ["the head alone", "a part of the body", "a part of a chunk", "a part of a large body"]
)
def test_a_body_that_does_not_arrive_is_refused_in_time(hasty: Server, stage: str) -> None:
    with closing(connect(hasty)) as client:
        client.sendall(halves(hasty.key)[stage])
        answer = b""
        while chunk := client.recv(65536):  # to the end: the server closes the connection
            answer += chunk
    first, _, rest = answer.partition(b"\r\n\r\n")
    assert first.startswith(b"HTTP/1.1 408"), answer
    assert b"application/problem+json" in first
    assert json.loads(rest)["type"] == "/problems/request-timeout"


def test_a_body_that_arrives_slowly_but_in_time_is_served(narrow: Server) -> None:
    body = b'{"name": "Anna"}'
    with closing(connect(narrow)) as client:
        client.sendall(head("/v1/players", narrow.key, f"Content-Length: {len(body)}"))
        for at in range(len(body)):
            client.sendall(body[at : at + 1])
        assert client.recv(65536).startswith(b"HTTP/1.1 201")
