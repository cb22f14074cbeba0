"""Limits that the web processes of a server count together."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import httpx
import psutil
import pytest

from tests.serving import TIMEOUT, Server, free_directory, serve
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
        opened = [open_stream(stack, limited, events) for _ in range(STREAMS + 1)]
        assert [answer.status_code for answer in opened] == [200] * STREAMS + [429]
        assert opened[-1].headers["Retry-After"]
        assert opened[-1].headers["Content-Type"] == "application/problem+json"
        headers = {"Authorization": f"Bearer {limited.key}"}
        waits = httpx.get(f"{events}?wait=PT30S&after=1", headers=headers, timeout=TIMEOUT)
        assert waits.status_code == 429
        other = httpx.stream("GET", events, headers={"Accept": STREAM}, timeout=TIMEOUT)
        assert stack.enter_context(other).status_code == 200  # without a token: another caller


def test_streams_of_dead_processes_are_no_longer_counted(limited: Server, events: str) -> None:
    def anybodys(stack: ExitStack) -> int:
        answer = httpx.stream("GET", events, headers={"Accept": STREAM}, timeout=TIMEOUT)
        return stack.enter_context(answer).status_code

    with ExitStack() as stack:
        while anybodys(stack) != 429:
            pass
        master = next(
            process
            for process in psutil.Process(limited.process.pid).children()
            if "web" in process.cmdline()
        )
        for process in master.children():
            if "api.run.web.compute" not in process.cmdline():
                process.kill()
        deadline = time.monotonic() + TIMEOUT
        status = 429
        while status != 200:
            assert time.monotonic() < deadline
            with contextlib.suppress(httpx.TransportError):
                status = anybodys(stack)


def test_a_callers_limit_applies_to_all_processes_together(limited: Server, events: str) -> None:
    answers = [ask(limited).status_code for _ in range(3 * REQUESTS)]
    assert answers.count(200) <= REQUESTS
    assert set(answers) == {200, 429}
