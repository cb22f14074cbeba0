"""Chromium, a real server, and visitors that record every request and every error in the console."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.servers.serving import TIMEOUT, Server
from tests.support.visitors import FLAGS, Visitor, chromium_program

expect.set_options(timeout=TIMEOUT * 1000)  # only a limit in case something hangs


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_program(), args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def visit(chromium: Browser, server: Server) -> Iterator[Callable[..., Visitor]]:
    """Open a visitor with a new session; at the end, check for errors and requests to other servers."""
    visitors = []

    def make(**settings: Any) -> Visitor:
        context = chromium.new_context(**settings)
        context.set_default_timeout(TIMEOUT * 1000)
        visitors.append(Visitor(context.new_page(), server.url))
        return visitors[-1]

    yield make
    for visitor in visitors:
        visitor.page.context.close()
    assert [visitor.elsewhere() for visitor in visitors] == [[] for _ in visitors]
    assert [visitor.complaints for visitor in visitors] == [[] for _ in visitors]


@pytest.fixture
def visitor(visit: Callable[..., Visitor]) -> Visitor:
    return visit()


@pytest.fixture(scope="session")
def app(server: Server) -> Iterator[httpx.Client]:
    """Return a client of the server's first app that sees everything."""
    headers = {"Authorization": f"Bearer {server.new_key('read', 'write', 'audit')}"}
    with httpx.Client(base_url=server.url, headers=headers, timeout=TIMEOUT, trust_env=False) as client:
        yield client
