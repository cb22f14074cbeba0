"""Chromium, a real server, and visitors that record every request and every error in the console."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, Response, expect, sync_playwright

from tests.serving import TIMEOUT, Server

expect.set_options(timeout=TIMEOUT * 1000)  # only a limit in case something hangs

# Root needs --no-sandbox; the others prevent requests by the browser itself.
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@dataclass
class Visitor:
    """A page, and what happened in it: requested addresses, answers, errors."""

    page: Page
    base: str
    asked: list[str] = field(default_factory=list)
    answers: list[Response] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("response", lambda response: self.answers.append(response))
        self.page.on("console", lambda said: self.complaints.append(f"{said.type}: {said.text}"))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def go(self, path: str) -> Page:
        self.page.goto(self.base + path)
        return self.page

    def documents(self, of: str = "/v1/") -> list[Any]:
        """Return the API's answers, parsed. Open streams are visible only by their effect on the page."""
        shown = [r for r in self.answers if of in r.url and r.status == 200]
        return [r.json() for r in shown if "application/json" in r.headers["content-type"]]

    def elsewhere(self) -> list[str]:
        """Return requests to anything but the server."""
        return [url for url in self.asked if not url.startswith((f"{self.base}/", "data:", "blob:"))]


def chromium_program() -> str:
    """Return the path of a Chromium on this machine."""
    names = (os.environ.get("CHROMIUM", "chromium"), "chromium-browser", "google-chrome")
    program = next(filter(None, map(shutil.which, names)), None)
    assert program, "Browser tests need Chromium: apt-get install chromium, or name it in CHROMIUM."
    return program


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
