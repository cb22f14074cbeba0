"""Limits of which each web process of a server has its part."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import httpx
import pytest

from tests.servers.serving import TIMEOUT, Server, free_directory, serve
from tests.support.streams import STREAM

pytestmark = pytest.mark.long

REQUESTS, STREAMS = 30, 3


@pytest.fixture(scope="module")
def limited() -> Iterator[Server]:
    limits = {"RATE_LIMIT": f"{REQUESTS} per day", "MAX_STREAMS": str(STREAMS), "WORKERS": "3"}
    with free_directory() as directory, serve(directory, **limits) as running:
        yield running


def ask(server: Server, method: str = "GET", path: str = "/v1/me", **more: Any) -> httpx.Response:
    """Send a request on a new connection, so that any of the processes may get it."""
    headers = {"Authorization": f"Bearer {server.key}"}
    return httpx.request(method, server.url + path, headers=headers, timeout=TIMEOUT, **more)


@pytest.fixture(scope="module")
def events(limited: Server) -> str:
    """Return the path of the events of a public game."""
    wanted = {"ruleset": "pies", "seats": [{"open": True}] * 4, "visibility": "public"}
    made = ask(limited, "POST", "/v1/games", json=wanted)
    assert made.status_code == 201, made.text
    return f"{limited.url}/v1/games/{made.json()['id']}/events"


def open_stream(stack: ExitStack, limited: Server, events: str) -> httpx.Response:
    headers = {"Accept": STREAM, "Authorization": f"Bearer {limited.key}"}
    return stack.enter_context(httpx.stream("GET", events, headers=headers, timeout=TIMEOUT))


def test_open_streams_are_counted_for_each_caller(limited: Server, events: str) -> None:
    with ExitStack() as stack:
        opened = [open_stream(stack, limited, events) for _ in range(5 * STREAMS)]
        taken = [answer for answer in opened if answer.status_code == 200]
        refused = [answer for answer in opened if answer.status_code == 429]
        assert 1 <= len(taken) <= STREAMS
        assert len(taken) + len(refused) == len(opened)
        assert refused[-1].headers["Retry-After"]
        assert refused[-1].headers["Content-Type"] == "application/problem+json"


def test_the_parts_of_all_processes_are_no_more_than_the_limit(limited: Server, events: str) -> None:
    answers = [ask(limited).status_code for _ in range(3 * REQUESTS)]
    assert answers.count(200) <= REQUESTS
    assert set(answers) == {200, 429}
