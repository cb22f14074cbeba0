"""The first view of a table on a slow line: few requests, few bytes, and soon a move."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from playwright.sync_api import expect

from tests.browser.games import Table, ask, sit_down
from tests.support.visitors import Visitor

pytestmark = pytest.mark.browser

SLOW = {"offline": False, "latency": 600, "downloadThroughput": 50_000, "uploadThroughput": 50_000}
REQUESTS, BYTES = 40, 102_000
SECONDS = 20  # about 5 on an idle machine for who has never been here, less than 3 for everybody else


def on_a_slow_line(visitor: Visitor) -> dict[str, int]:
    """Slow a visitor's line down; return a record of how many bytes each address cost, which grows.

    An address that has only been asked for, or was in the cache, cost nothing yet.
    """
    tools = visitor.page.context.new_cdp_session(visitor.page)
    addresses: dict[str, str] = {}
    cost: dict[str, int] = {}

    def sent(event: dict[str, Any]) -> None:
        address = event["request"]["url"].removeprefix(visitor.base)
        addresses[event["requestId"]] = address
        cost[address] = 0

    def loaded(event: dict[str, Any]) -> None:
        if event["requestId"] in addresses:
            cost[addresses[event["requestId"]]] = event["encodedDataLength"]

    tools.on("Network.requestWillBeSent", sent)
    tools.on("Network.loadingFinished", loaded)
    tools.send("Network.enable")
    tools.send("Network.emulateNetworkConditions", SLOW)
    return cost


def open_table(visitor: Visitor, app: httpx.Client) -> Table:
    """Open a table at the turn of the visitor's seat, and wait until a move is possible."""
    table = sit_down(app, "mau_mau", 2)
    seat = table.now()["to_act"][0]
    begun = time.monotonic()
    address = f"{visitor.base}/table/{table.game}#token={table.tokens[seat]}"
    visitor.page.goto(address, wait_until="commit")
    expect(visitor.page.locator(".title.yours")).to_be_visible()
    assert time.monotonic() - begun < SECONDS
    return table


def asked_of(table: Table, cost: dict[str, int]) -> list[str]:
    """Return what was asked of the API, without the game's own path and the seat."""
    asked = [
        url.removeprefix(f"/v1/games/{table.game}")
        for url, size in cost.items()
        if size and url.startswith("/v1/")
    ]
    return sorted(url.rstrip("0123456789") for url in asked)


NEEDED = ["", "/events?after=0&limit=", "/legal-moves?seat=", "/v1/rulesets/mau_mau"]


def test_a_move_is_possible_soon_on_a_slow_line(visit: Callable[..., Visitor], app: httpx.Client) -> None:
    """What is not needed for it comes later, and the game is asked for before the other scripts are there."""
    visitor = visit()
    cost = on_a_slow_line(visitor)
    table = open_table(visitor, app)
    assert len([url for url, size in cost.items() if size]) <= REQUESTS, cost
    assert sum(cost.values()) <= BYTES
    assert asked_of(table, cost) == NEEDED


@pytest.mark.parametrize("before", ["another table", "the start page", "an invite"])
def test_who_has_been_here_waits_for_the_game_alone(
    visit: Callable[..., Visitor], app: httpx.Client, before: str
) -> None:
    """Scripts and styles are kept, and pages that lead to a table load its scripts when they can."""
    visitor = visit()
    if before == "another table":
        open_table(visitor, app)
    elif before == "the start page":
        visitor.go("/")
        expect(visitor.page.locator("link[rel=prefetch]")).not_to_have_count(0)
        visitor.page.wait_for_load_state("networkidle")
    else:
        game = ask(app, "POST", "/v1/games", json={"ruleset": "pies", "seats": [{"open": True}] * 4})
        code = game["seats"][0]["invite"]
        visitor.go(f"/join#game={game['id']}&seat=0&invite={code}")
        expect(visitor.page.locator("link[rel=prefetch]")).not_to_have_count(0)
        visitor.page.wait_for_load_state("networkidle")
    visitor.page.goto("about:blank")
    cost = on_a_slow_line(visitor)
    table = open_table(visitor, app)
    scripts = {
        url: size for url, size in cost.items() if url.startswith("/web/at-") and size and url.endswith(".js")
    }
    assert scripts == {}
    assert asked_of(table, cost) == NEEDED
    assert sum(cost.values()) <= 30_000
