"""Private games whose links open: the sharer is asked, a friend asks, and one link fills a table."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.games import Table, ask, sit_down
from tests.support.visitors import PHONE, Visitor, menu, start, violations

pytestmark = pytest.mark.browser
WIDE = {"width": 1280, "height": 800}


@pytest.fixture
def table(app: httpx.Client) -> Table:
    return sit_down(app, "cats_and_dogs", 2, "private")


def seated(visit: Callable[..., Visitor], table: Table, seat: int = 0, **more: object) -> Page:
    page = visit(reduced_motion="reduce", **more).go(f"/table/{table.game}#token={table.tokens[seat]}")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    expect(page.locator(f".own[data-seat='{seat}'] .hand .card").first).to_be_visible()
    return page


def copied(page: Page, button: str) -> str:
    page.get_by_role("dialog").get_by_role("button", name=button).click()
    expect(page.locator(".trouble")).to_contain_text("has been copied")
    return str(page.evaluate("navigator.clipboard.readText()"))


@pytest.mark.parametrize("viewport", [PHONE, WIDE])
def test_the_sharer_is_asked_and_the_link_opens(
    visit: Callable[..., Visitor], table: Table, viewport: dict[str, int]
) -> None:
    page = seated(visit, table, viewport=viewport)
    menu(page, "Share this moment")
    expect(page.get_by_role("dialog")).to_contain_text("This game is private")
    assert violations(page) == []
    link = copied(page, "Open and copy the link")
    assert "watch=" not in link.partition("#")[0]
    friend = visit(reduced_motion="reduce", viewport=viewport)
    friend.page.goto(link)
    expect(friend.page.locator(".bar .says")).to_have_text("You are watching.")
    expect(friend.page.locator(".trouble")).to_be_hidden()
    assert "watch" not in friend.page.url
    assert friend.page.locator("[data-zone^=hand] [data-card]").count() == 0
    friend.page.reload()
    expect(friend.page.locator(".bar .says")).to_have_text("You are watching.")


def test_the_link_of_a_finished_game_opens(visit: Callable[..., Visitor], table: Table) -> None:
    ask(table.app, "POST", f"/v1/games/{table.game}/resignation", json={"seat": 1})
    page = visit(reduced_motion="reduce").go(f"/table/{table.game}#token={table.tokens[0]}")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("tab", name="Result").click()
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("dialog")).to_contain_text("all hands")
    link = copied(page, "Open and copy the link")
    friend = visit(reduced_motion="reduce").page
    friend.goto(link)
    expect(friend.locator(".title")).to_contain_text("loses")


def test_a_public_game_is_shared_without_a_question(visit: Callable[..., Visitor], app: httpx.Client) -> None:
    page = seated(visit, sit_down(app, "cats_and_dogs", 2))
    menu(page, "Share this moment")
    expect(page.get_by_role("dialog")).not_to_contain_text("private")
    assert "watch=" not in copied(page, "Copy the link")


def test_a_link_to_watch_takes_no_seat_away(visit: Callable[..., Visitor], table: Table) -> None:
    page = seated(visit, table)
    menu(page, "Share this moment")
    link = copied(page, "Open and copy the link")
    other = seated(visit, table, 1)
    other.goto("about:blank")
    other.goto(link)
    expect(other.locator(".own[data-seat='1'] .hand .card").first).to_be_visible()
    expect(other.get_by_role("dialog")).to_have_count(0)


@pytest.mark.parametrize("viewport", [PHONE, WIDE])
def test_who_lacks_the_right_asks_the_sharer(
    visit: Callable[..., Visitor], table: Table, viewport: dict[str, int]
) -> None:
    page = seated(visit, table, viewport=viewport)
    menu(page, "Share this moment")
    link = copied(page, "Copy a link for players only")
    friend = visit(reduced_motion="reduce", viewport=viewport)
    friend.page.goto(link)
    button = friend.page.get_by_role("button", name="Ask Anna for an invitation")
    expect(button).to_be_in_viewport(ratio=1)
    assert violations(friend.page) == []
    friend.page.get_by_label("Your name").fill("Zoë")
    button.click()
    expect(friend.page.get_by_role("status").first).to_contain_text("you have asked")
    friend.complaints.clear()  # Chromium's own message about the game that is not shown
    page.reload()
    expect(page.locator(".asked")).to_contain_text("Zoë asks for an invitation.")
    page.locator(".asked").get_by_role("button", name="Copy a link").click()
    friend.page.goto("about:blank")
    friend.page.goto(copied(page, "Open and copy the link"))
    expect(friend.page.locator(".bar .says")).to_have_text("You are watching.")
    page.reload()
    expect(page.locator(".own .hand .card").first).to_be_visible()
    expect(page.locator(".asked")).to_be_hidden()


def test_an_address_alone_tells_no_name(visit: Callable[..., Visitor], table: Table) -> None:
    visitor = visit(reduced_motion="reduce")
    page = visitor.go(f"/table/{table.game}")
    expect(page.get_by_role("button", name="Ask the players for an invitation")).to_be_visible()
    for name in ("Anna", "Bela"):
        expect(page.locator("body")).not_to_contain_text(name)
    visitor.complaints.clear()  # Chromium's own message about the game that is not shown


def test_one_link_fills_a_table(visit: Callable[..., Visitor]) -> None:
    page = visit(reduced_motion="reduce").go("/")
    start(page, "pies", 4, "open")
    expect(page.locator(".waiting")).to_contain_text("3 seats are free")
    link = page.get_by_role("textbox", name="Link").input_value()
    for name in ("Bela", "Carl", "Dora"):
        friend = visit(reduced_motion="reduce").page
        friend.goto(link)
        expect(friend.get_by_role("heading", level=1)).to_contain_text("An invitation from ")
        host = friend.locator("#people svg").first.inner_html()
        friend.get_by_label("Your name").fill(name)
        friend.get_by_role("button", name="Join").click()
        friend.wait_for_url("**/table/**")
        expect(friend.locator(".seat svg").last).to_be_attached()
        assert host in friend.locator(".seat svg").evaluate_all("all => all.map(one => one.innerHTML)")
    expect(page.locator(".own .hand .card").first).to_be_visible()
    expect(page.locator(".waiting")).to_have_count(0)
    late = visit()
    late.page.goto(link)
    expect(late.page.get_by_role("alert")).to_contain_text("has begun without you")
    late.complaints.clear()  # Chromium's own message about the refusal
    late.page.goto(link[:-5])  # in the same tab
    expect(late.page.get_by_role("alert")).to_contain_text("some of it is missing")
    late.page.get_by_role("link", name="Play another game").click()
    expect(late.page.locator(".tile").first).to_be_visible()
    late.complaints.clear()
