"""The first view of a table on a slow line: few requests, few bytes, and soon a move."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from playwright.sync_api import expect

from tests.browser.games import sit_down
from tests.support.visitors import Visitor

pytestmark = pytest.mark.browser

SLOW = {"offline": False, "latency": 600, "downloadThroughput": 50_000, "uploadThroughput": 50_000}
REQUESTS, BYTES = 40, 105_000
SECONDS = 20  # about 5 on an idle machine


def test_a_move_is_possible_soon_on_a_slow_line(visit: Callable[..., Visitor], app: httpx.Client) -> None:
    """What is not needed for it comes later, and the game is asked for before the other scripts are there."""
    table = sit_down(app, "mau_mau", 2)
    seat = table.now()["to_act"][0]
    visitor = visit()
    tools = visitor.page.context.new_cdp_session(visitor.page)
    asked: list[str] = []
    sizes: list[int] = []

    def sent(event: dict[str, Any]) -> None:
        asked.append(event["request"]["url"].removeprefix(visitor.base))

    def loaded(event: dict[str, Any]) -> None:
        sizes.append(event["encodedDataLength"])

    tools.on("Network.requestWillBeSent", sent)
    tools.on("Network.loadingFinished", loaded)
    tools.send("Network.enable")
    tools.send("Network.emulateNetworkConditions", SLOW)
    begun = time.monotonic()
    address = f"{visitor.base}/table/{table.game}#token={table.tokens[seat]}"
    visitor.page.goto(address, wait_until="commit")
    expect(visitor.page.locator(".title.yours")).to_be_visible()
    assert time.monotonic() - begun < SECONDS
    assert len(asked) <= REQUESTS, asked
    assert sum(sizes) <= BYTES
    game = f"/v1/games/{table.game}"
    assert sorted(url.removeprefix(game) for url in asked if url.startswith("/v1/")) == [
        "",
        "/events?after=0&limit=120",
        f"/legal-moves?seat={seat}",
        "/v1/rulesets/mau_mau",
    ]
