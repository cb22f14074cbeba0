"""The first view of a table on a slow line: few requests, few bytes, and soon a move."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from playwright.sync_api import Route, expect

from tests.browser.games import Table, ask, sit_down
from tests.support.visitors import Visitor, menu

pytestmark = pytest.mark.browser

SLOW = {"offline": False, "latency": 600, "downloadThroughput": 50_000, "uploadThroughput": 50_000}
REQUESTS, BYTES = 17, 71_000
SECONDS = 10  # less than 3 on an idle machine, for who has never been here too

# Notes when a move is possible, in milliseconds after the navigation began.
NOTE = """new MutationObserver((_, observer) => {
    if (!document.querySelector(".title.yours") || !document.querySelector(".bar:not(.idle)")) return;
    window.movePossible = performance.now();
    observer.disconnect();
}).observe(document, {subtree: true, childList: true, attributes: true})"""


@dataclass
class Cost:
    """When what was asked for at each address came, in milliseconds of the wall clock, and its bytes."""

    came: dict[str, tuple[float, int]] = field(default_factory=dict)

    def of_a_move(self, visitor: Visitor) -> dict[str, int]:
        """Return the bytes of what had come over the line, not from the cache, when a move was possible."""
        moment = visitor.page.evaluate("performance.timeOrigin + movePossible")
        return {url: size for url, (time, size) in self.came.items() if size and time < moment}


def on_a_slow_line(visitor: Visitor) -> Cost:
    """Slow a visitor's line down; return a record of what comes over it, which grows."""
    tools = visitor.page.context.new_cdp_session(visitor.page)
    asked: dict[str, tuple[str, float]] = {}  # request -> address, what its clock is behind that of the wall
    cost = Cost()

    def sent(event: dict[str, Any]) -> None:
        address = event["request"]["url"].removeprefix(visitor.base)
        asked[event["requestId"]] = address, event["wallTime"] - event["timestamp"]

    def loaded(event: dict[str, Any]) -> None:
        if event["requestId"] in asked:
            address, behind = asked[event["requestId"]]
            cost.came[address] = 1000 * (event["timestamp"] + behind), event["encodedDataLength"]

    tools.on("Network.requestWillBeSent", sent)
    tools.on("Network.loadingFinished", loaded)
    tools.send("Network.enable")
    tools.send("Network.emulateNetworkConditions", SLOW)
    return cost


def open_table(visitor: Visitor, app: httpx.Client) -> Table:
    """Open a table at the turn of the visitor's seat, and wait until a move is possible."""
    table = sit_down(app, "mau_mau", 2)
    seat = table.now()["to_act"][0]
    visitor.page.add_init_script(NOTE)
    address = f"{visitor.base}/table/{table.game}#token={table.tokens[seat]}"
    visitor.page.goto(address, wait_until="commit")
    visitor.page.wait_for_function("() => window.movePossible")
    assert visitor.page.evaluate("() => window.movePossible") < 1000 * SECONDS
    return table


def asked_of(table: Table, cost: dict[str, int]) -> list[str]:
    """Return what was asked of the API, without the game's own path and the seat."""
    asked = [url.removeprefix(f"/v1/games/{table.game}") for url in cost if url.startswith("/v1/")]
    return sorted(url.rstrip("0123456789") for url in asked)


NEEDED = ["", "/events?after=0&limit=", "/legal-moves?seat=", "/v1/rulesets/mau_mau"]


def test_a_move_is_possible_soon_on_a_slow_line(visit: Callable[..., Visitor], app: httpx.Client) -> None:
    """What is not needed for it comes later, and the game is asked for before the other scripts are there."""
    visitor = visit()
    line = on_a_slow_line(visitor)
    table = open_table(visitor, app)
    cost = line.of_a_move(visitor)
    assert len(cost) <= REQUESTS, list(cost)
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
        visitor.page.wait_for_function(
            "performance.getEntriesByType('resource').some(({name}) => name.endsWith('/faces.js'))"
        )
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
    line = on_a_slow_line(visitor)
    table = open_table(visitor, app)
    cost = line.of_a_move(visitor)
    assert [url for url in cost if url.startswith("/web/at-") and url.endswith(".js")] == []
    assert asked_of(table, cost) == NEEDED
    assert sum(cost.values()) <= 30_000


# --- what comes later -------------------------------------------------------------------------------------


def opened(visit: Callable[..., Visitor], app: httpx.Client, hold: str = "") -> tuple[Visitor, list[Route]]:
    """Open a table at the visitor's turn; requests for the file that is named are held, and returned."""
    held: list[Route] = []
    visitor = visit(reduced_motion="reduce")
    page = visitor.page
    if hold:
        page.route(re.compile(hold), lambda route: held.append(route))
    table = sit_down(app, "cats_and_dogs", 2)
    seat = table.now()["to_act"][0]
    page.goto(f"{str(app.base_url).rstrip('/')}/table/{table.game}#token={table.tokens[seat]}")
    expect(page.locator(".title.yours")).to_be_visible()
    return visitor, held


def test_a_menu_that_is_opened_early_is_filled_when_it_has_come(
    visit: Callable[..., Visitor], app: httpx.Client
) -> None:
    visitor, held = opened(visit, app, hold="table/aside.js")
    page = visitor.page
    page.locator(".menu > summary").click()
    expect(page.locator(".menu-items")).to_have_text("Loading …")
    expect(page.locator(".own .hand .card svg").first).to_be_attached()
    [route] = held
    route.continue_()
    page.get_by_role("button", name="How to play").click()
    expect(page.locator(".how-to h2")).to_have_text("Cats and Dogs")


def test_a_move_does_not_wait_for_what_comes_later(visit: Callable[..., Visitor], app: httpx.Client) -> None:
    """Neither for the panel nor for the pictures of cards, which show their names until then."""
    visitor, _ = opened(visit, app, hold="table/aside.js|cards/faces.js|game/connection.js|table-more.js")
    page = visitor.page
    expect(page.locator(".own .hand .card .rank").first).to_have_text(re.compile(r"^(cat|dog) \d$"))
    page.locator(".own .hand button.card:not([aria-disabled])").first.click()
    with page.expect_response(re.compile("/moves$")) as answer:
        page.locator("button.send:not(:disabled)").first.click()
    assert answer.value.status == 201


def test_enter_plays_the_chosen_card_before_the_other_keys_have_come(
    visit: Callable[..., Visitor], app: httpx.Client
) -> None:
    visitor, _ = opened(visit, app, hold="table/aside.js")
    page = visitor.page
    page.locator(".own .hand button.card:not([aria-disabled])").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("button.card[aria-pressed=true]")).to_have_count(1)
    with page.expect_response(re.compile("/moves$")) as answer:
        page.keyboard.press("Enter")
    assert answer.value.status == 201


def test_what_may_be_wanted_later_is_there_without_a_connection(
    visit: Callable[..., Visitor], app: httpx.Client
) -> None:
    """Dialogs that have never been opened work once the page has been idle."""
    visitor, _ = opened(visit, app)
    page = visitor.page
    page.wait_for_function(
        "() => performance.getEntriesByType('resource').some(one => one.name.endsWith('verify/shapes.js'))"
    )
    page.context.set_offline(True)
    titles = {
        "Felt, backs and sounds": "Felt, backs and sounds",
        "Share this moment": "A link to this moment",
    }
    for item, title in titles.items():
        menu(page, item)
        expect(page.get_by_role("dialog").get_by_role("heading")).to_have_text(title)
        page.keyboard.press("Escape")
    page.context.set_offline(False)
    assert all("ERR_INTERNET_DISCONNECTED" in said for said in visitor.complaints)
    visitor.complaints.clear()


@pytest.mark.parametrize(
    ("part", "item"), [("cards/look.js", "Felt, backs and sounds"), ("play/orders.js", "Standing orders")]
)
def test_what_cannot_be_loaded_says_so_and_comes_when_it_can(
    visit: Callable[..., Visitor], app: httpx.Client, part: str, item: str
) -> None:
    """The click is not lost: the dialog opens as soon as its part has come."""
    visitor, _ = opened(visit, app)
    page = visitor.page
    page.route(re.compile(part), lambda route: route.abort())
    page.reload()
    menu(page, item)
    expect(page.locator(".trouble")).to_have_text("A part of this page could not be loaded. Trying again …")
    page.unroute_all()
    expect(page.get_by_role("dialog").get_by_role("heading", level=2)).to_contain_text(item)
    expect(page.locator(".trouble")).to_be_hidden()
    assert all("ERR_FAILED" in said for said in visitor.complaints)
    visitor.complaints.clear()


def test_a_part_whose_import_failed_comes_as_well(visit: Callable[..., Visitor], app: httpx.Client) -> None:
    """A browser asks only once for what a part imports, so the whole page is loaded again."""
    visitor = visit(reduced_motion="reduce")
    page = visitor.page
    page.route(re.compile("model/ahead.js"), lambda route: route.abort())
    table = sit_down(app, "cats_and_dogs", 2)
    visitor.go(f"/table/{table.game}#token={table.tokens[0]}")
    expect(page.locator(".trouble")).to_have_text("A part of this page could not be loaded. Trying again …")
    page.unroute_all()
    with page.expect_request(re.compile(r"/orders\?")):
        pass
    assert all("ERR_FAILED" in said for said in visitor.complaints)
    visitor.complaints.clear()
