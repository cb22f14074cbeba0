"""A game of over 2,500 versions: a jump takes two requests, the page stays small, a worker checks the log."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, expect

from referee.computer.playout import playout
from referee.engine.jsontext import compact
from tests.browser.games import ask
from tests.support.visitors import Visitor

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def finished() -> dict[str, Any]:
    """Return a record of many hands of pedro, played at random."""
    return playout("pedro", 4, {"target": 550}, bytes([1]), 100_000)


def imported(app: httpx.Client, record: dict[str, Any]) -> dict[str, Any]:
    return ask(app, "POST", "/v1/records?visibility=public", json=record)


def elements(page: Page) -> int:
    return int(page.evaluate("document.querySelectorAll('*').length"))


def jump(visitor: Visitor, newest: int, version: int) -> None:
    """Go to a version as by dragging the slider there, with at most two requests."""
    page = visitor.page
    before = len(asked(visitor))
    page.locator(".replay input").fill(str(version))
    expect(page.locator(".where")).to_have_text(f"{version}/{newest}")
    expect(page.locator(".log > li[aria-current]")).to_have_attribute("data-seq", str(version))
    assert len(asked(visitor)) - before <= 2, asked(visitor)[before:]
    assert elements(page) <= 3000


def asked(visitor: Visitor) -> list[str]:
    return [url for url in visitor.asked if "/v1/" in url]


def test_a_jump_in_a_long_game_is_two_requests(
    visit: Callable[..., Visitor], app: httpx.Client, finished: dict[str, Any]
) -> None:
    game = imported(app, finished)
    newest = game["version"]
    assert newest >= 2500
    visitor = visit(reduced_motion="reduce")
    page = visitor.go(f"/table/{game['id']}")
    expect(page.locator(".where")).to_have_text(f"{newest}/{newest}")
    expect(page.locator(".title")).to_contain_text("win")
    # Its record has been loaded, and every hand is visible.
    expect(page.locator(".menu-items")).to_contain_text("Show only what I saw")
    for version in (1, newest // 2, 17, newest - 1, 2, newest):
        jump(visitor, newest, version)


def test_a_long_log_is_checked_in_a_worker(
    visit: Callable[..., Visitor], app: httpx.Client, finished: dict[str, Any]
) -> None:
    game = imported(app, finished)
    page = visit(reduced_motion="reduce").go(f"/table/{game['id']}")
    expect(page.locator(".title")).to_contain_text("win")
    page.get_by_role("tab", name="Trust").click()
    with page.expect_event("worker") as begun:
        page.get_by_role("button", name="Verify in this browser").click()
    assert begun.value.url.endswith("/verifier.js")
    expect(page.locator(".verdict")).to_contain_text("checks hold")
    assert elements(page) <= 3000


def test_a_long_record_from_disk_is_replayed(
    visit: Callable[..., Visitor], app: httpx.Client, finished: dict[str, Any]
) -> None:
    file = {"name": "long.json", "mimeType": "application/json", "buffer": compact(finished).encode()}
    visitor = visit(reduced_motion="reduce")
    page = visitor.go("/record")
    page.locator("#file").set_input_files(file)
    expect(page.locator(".where")).to_have_text(re.compile(r"^1/\d{4}$"))
    newest = int(page.locator(".where").inner_text().split("/")[1])
    for version in (newest // 2, newest, 1):
        jump(visitor, newest, version)
