"""Links from elsewhere: what they carry never costs a player the seat that this browser has."""

from __future__ import annotations

import random
from collections.abc import Callable

import httpx
import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.games import Table, ask, sit_down
from tests.browser.player import Player
from tests.support.visitors import PHONE, Visitor, hosted, menu, sit, violations

pytestmark = pytest.mark.browser
TOKEN = """game => [sessionStorage, localStorage].map(store => store.getItem(`card-referee:token:${game}`))"""
WIDE = {"width": 1280, "height": 800}


def come_by_link(page: Page, address: str) -> None:
    """Follow a link on a page of another site."""
    page.goto("about:blank")
    page.set_content(f'<a href="{address}">A nice table</a>')
    page.get_by_role("link").click()
    page.wait_for_url("**/table/**")


def seated(visit: Callable[..., Visitor], table: Table, seat: int = 0, **more: object) -> Visitor:
    visitor = visit(reduced_motion="reduce", **more)
    page = visitor.go(f"/table/{table.game}#token={table.tokens[seat]}")
    expect(page.locator(f".own[data-seat='{seat}'] .hand .card").first).to_be_visible()
    assert page.evaluate(TOKEN, table.game) == [table.tokens[seat], table.tokens[seat]]
    return visitor


@pytest.mark.parametrize("visibility", ["public", "private"])
@pytest.mark.parametrize("token", ["crp_old", "nonsense", "another game's"])
def test_a_refused_token_changes_nothing(
    visit: Callable[..., Visitor], app: httpx.Client, visibility: str, token: str
) -> None:
    table, other = (sit_down(app, "cats_and_dogs", 2, visibility) for _ in range(2))
    if token == "another game's":
        if visibility == "public":
            pytest.skip("it may watch this game: the player is asked")
        token = other.tokens[0]
    visitor = seated(visit, table)
    page = visitor.page
    come_by_link(page, f"{visitor.base}/table/{table.game}#token={token}")
    expect(page.locator(".trouble")).to_contain_text("The token in the link")
    expect(page.locator(".own[data-seat='0'] .hand .card").first).to_be_visible()
    assert page.evaluate(TOKEN, table.game) == [table.tokens[0], table.tokens[0]]
    assert "token" not in page.url
    page.reload()
    expect(page.locator(".own[data-seat='0'] .hand .card").first).to_be_visible()
    expect(page.locator(".trouble")).to_be_hidden()
    visitor.complaints.clear()  # Chromium's own messages about the refusals


@pytest.mark.parametrize("viewport", [PHONE, WIDE])
@pytest.mark.parametrize("visibility", ["public", "private"])
def test_a_token_of_another_seat_is_taken_only_after_asking(
    visit: Callable[..., Visitor], app: httpx.Client, visibility: str, viewport: dict[str, int]
) -> None:
    table = sit_down(app, "cats_and_dogs", 2, visibility)
    visitor = seated(visit, table, viewport=viewport)
    page, link = visitor.page, f"{visitor.base}/table/{table.game}#token={table.tokens[1]}"
    dialog = page.get_by_role("dialog")
    for answer in ("Escape", "Stay"):
        come_by_link(page, link)
        expect(dialog).to_contain_text("Anna")
        expect(dialog).to_contain_text("Bela")
        expect(dialog).to_be_in_viewport(ratio=1)
        assert violations(page) == []
        assert page.evaluate(TOKEN, table.game) == [table.tokens[0], table.tokens[0]]
        if answer == "Escape":
            page.keyboard.press("Escape")
        else:
            page.keyboard.press("Enter")  # on the button that has the focus, which changes nothing
        expect(dialog).to_have_count(0)
        expect(page.locator(".own[data-seat='0']")).to_be_visible()
        assert page.evaluate(TOKEN, table.game) == [table.tokens[0], table.tokens[0]]
    come_by_link(page, link)
    dialog.get_by_role("button", name="Use it").click()
    expect(page.locator(".own[data-seat='1'] .hand .card").first).to_be_visible()
    assert page.evaluate(TOKEN, table.game) == [table.tokens[1], table.tokens[1]]


def test_a_link_followed_at_the_table_asks_as_well(visit: Callable[..., Visitor], app: httpx.Client) -> None:
    table = sit_down(app, "cats_and_dogs", 2)
    page = seated(visit, table).page
    page.evaluate("token => void (location.hash = `token=${token}`)", table.tokens[1])
    page.get_by_role("dialog").get_by_role("button", name="Stay").click()
    expect(page.locator(".own[data-seat='0']")).to_be_visible()
    assert page.evaluate(TOKEN, table.game) == [table.tokens[0], table.tokens[0]]


def test_a_remembered_seat_is_not_replaced(visit: Callable[..., Visitor], app: httpx.Client) -> None:
    table = sit_down(app, "cats_and_dogs", 2)
    visitor = seated(visit, table)
    page = visitor.page.context.new_page()
    page.goto(f"{visitor.base}/table/{table.game}#token={table.tokens[1]}")
    page.get_by_role("dialog").get_by_role("button", name="Stay").click()
    expect(page.locator(".own[data-seat='0']")).to_be_visible()
    assert page.evaluate(TOKEN, table.game) == [None, table.tokens[0]]


def test_the_same_token_asks_nothing(visit: Callable[..., Visitor], app: httpx.Client) -> None:
    table = sit_down(app, "cats_and_dogs", 2)
    visitor = seated(visit, table)
    come_by_link(visitor.page, f"{visitor.base}/table/{table.game}#token={table.tokens[0]}")
    expect(visitor.page.locator(".own[data-seat='0'] .hand .card").first).to_be_visible()
    expect(visitor.page.get_by_role("dialog")).to_have_count(0)


def test_a_token_replaces_one_that_is_no_longer_valid(
    visit: Callable[..., Visitor], app: httpx.Client
) -> None:
    table = sit_down(app, "cats_and_dogs", 2, "private")
    visitor = seated(visit, table)
    player = table.now()["seats"][0]["player"]["id"]
    [old] = ask(app, "GET", f"/v1/players/{player}/tokens")["items"]
    new = ask(app, "POST", f"/v1/players/{player}/tokens", json={})["token"]
    assert app.delete(f"/v1/players/{player}/tokens/{old['id']}").is_success
    come_by_link(visitor.page, f"{visitor.base}/table/{table.game}#token={new}")
    expect(visitor.page.locator(".own[data-seat='0'] .hand .card").first).to_be_visible()
    assert visitor.page.evaluate(TOKEN, table.game) == [new, new]
    visitor.complaints.clear()  # Chromium's own message about the refusal


def test_a_token_that_could_not_be_checked_is_not_lost(
    visit: Callable[..., Visitor], app: httpx.Client
) -> None:
    table = sit_down(app, "cats_and_dogs", 2, "private")
    visitor = visit(reduced_motion="reduce")
    page = visitor.page

    def fail(route: Route) -> None:
        route.abort("connectionreset")

    page.route("**/v1/games/**", fail)
    visitor.go(f"/table/{table.game}#token={table.tokens[0]}")
    expect(page.locator(".trouble")).to_be_visible()
    page.unroute("**/v1/games/**", fail)
    page.reload()
    expect(page.locator(".own[data-seat='0'] .hand .card").first).to_be_visible()
    visitor.complaints.clear()  # Chromium's own message about the connection


def test_a_token_typed_in_is_checked_as_well(visit: Callable[..., Visitor], app: httpx.Client) -> None:
    table = sit_down(app, "cats_and_dogs", 2, "private")
    visitor = visit(reduced_motion="reduce")
    page = visitor.go(f"/table/{table.game}")
    page.locator("#by-token > summary").click()
    for token in ("crp_wrong", table.tokens[1]):
        expect(page.locator("#why")).not_to_be_empty()
        page.get_by_label("Player token or app key").fill(token)
        page.get_by_role("button", name="Use it").click()
        if token == "crp_wrong":
            expect(page.locator("#why")).to_contain_text("no longer valid")
            assert page.evaluate(TOKEN, table.game) == [None, None]
    expect(page.locator(".own[data-seat='1'] .hand .card").first).to_be_visible()
    visitor.complaints.clear()  # Chromium's own messages about the refusals


@pytest.mark.parametrize("written", [str, str.upper])
def test_an_invite_leads_back_to_the_seat(
    visit: Callable[..., Visitor], app: httpx.Client, written: Callable[[str], str]
) -> None:
    """However its link writes the id of the game."""
    seats = [{"open": True}, {"open": True}]
    game = ask(app, "POST", "/v1/games", json={"ruleset": "bisca", "seats": seats, "visibility": "private"})
    at = f"/v1/games/{game['id']}/seats/0/guest"
    token = ask(app, "POST", at, json={"invite": game["seats"][0]["invite"], "name": "Anna"})["token"]
    visitor = visit()
    page = visitor.go(f"/table/{game['id']}#token={token}")
    expect(page.locator(".title")).to_contain_text("Waiting for players")
    invite = game["seats"][1]["invite"]
    page.goto(f"{visitor.base}/join#game={written(game['id'])}&seat=1&invite={invite}")
    page.wait_for_url("**/table/**")
    assert page.evaluate(TOKEN, game["id"]) == [token, token]


def test_a_link_can_say_where_to_return(visit: Callable[..., Visitor], app: httpx.Client) -> None:
    """The invitation shows title and who sits there; the table's menu leads back to the app."""
    wanted = {"ruleset": "cats_and_dogs", "seats": [{"bot": "random"}, {"open": True}], "title": "Final"}
    game = ask(app, "POST", "/v1/games", json=wanted)
    visitor = visit()
    page = visitor.go(f"{game['seats'][1]['join_url']}&return={visitor.base}/docs%23guides")
    expect(page.locator("#game")).to_contain_text("Final · ")
    expect(page.locator("#people li").first).to_have_text("Bot 0")
    sit(page, page.url)
    page.wait_for_url("**/table/**")
    assert "return" not in page.url
    menu(page, f"Back to {visitor.base.removeprefix('http://')}")
    page.wait_for_url("**/docs#guides")
    other = page.context.new_page()
    other.goto(f"{visitor.base}/table/{game['id']}#return=javascript:alert(1)")
    expect(other.locator(".title")).to_be_visible()
    assert other.evaluate("sessionStorage.getItem('card-referee:return')") is None


@pytest.mark.parametrize("deal", ["", "commit"])
def test_a_second_seat_in_another_tab_leaves_the_first_its_key(
    visit: Callable[..., Visitor], deal: str
) -> None:
    """The keys of a browser's tabs lie in one place, and so do the secrets of their deals."""
    visitor = visit(reduced_motion="reduce")
    host = visitor.go("/")
    link = hosted(host, deal)
    host.evaluate(
        "() => { for (const name of Object.keys(sessionStorage)) if (name.includes('entropy')) "
        "sessionStorage.removeItem(name); }"
    )  # as in a tab that was restored
    friend = host.context.new_page()
    sit(friend, link)
    friend.wait_for_url("**/table/**")
    players = [Player(page, random.Random(2)) for page in (host, friend)]
    turn = "document.querySelector('.title.yours') !== null"
    for page in (host, friend):
        expect(page.locator(".own .hand .card")).to_have_count(5)
    for _ in range(2):
        while not any(page.evaluate(turn) for page in (host, friend)):
            host.wait_for_timeout(50)
        mover = players[0] if host.evaluate(turn) else players[1]
        before = mover.version()
        mover.wait_for_turn()
        mover.move()
        for page in (host, friend):
            expect(page.locator(".where")).to_have_text(f"{before + 1}/{before + 1}")
