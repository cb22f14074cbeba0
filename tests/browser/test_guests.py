"""Guests at the page: a guest with an invite sees the end of the game; later the token is invalid."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest
from playwright.sync_api import expect

from tests.browser.games import ask
from tests.servers.serving import Server
from tests.support.visitors import PHONE, Visitor, hosted, menu, press, start

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("shared", [True, False], ids=["one stream for all tabs", "a stream of its own"])
def test_a_guest_sees_every_hand_after_the_end(
    visit: Callable[..., Visitor], app: httpx.Client, server: Server, shared: bool
) -> None:
    seats = [{"open": True}, {"open": True}]
    game = ask(
        app, "POST", "/v1/games", json={"ruleset": "cats_and_dogs", "seats": seats, "visibility": "private"}
    )
    tokens = []
    for seat in range(2):
        body = {"invite": game["seats"][seat]["invite"], "name": f"Guest {seat}"}
        tokens.append(ask(app, "POST", f"/v1/games/{game['id']}/seats/{seat}/guest", json=body)["token"])
    visitor = visit(reduced_motion="reduce")
    if not shared:
        visitor.page.add_init_script("delete window.SharedWorker")
    page = visitor.go(f"/table/{game['id']}#token={tokens[1]}")
    expect(page.locator(".own .hand .card")).to_have_count(5)
    expect(page.locator("[data-zone='hand.0']")).to_have_count(0)
    expect(page.get_by_label("Say something")).to_be_visible()
    headers = {"Authorization": f"Bearer {tokens[0]}"}
    answer = httpx.post(
        f"{server.url}/v1/games/{game['id']}/resignation", headers=headers, json={}, timeout=90
    )
    assert answer.status_code == 201
    expect(page.locator(".title")).to_contain_text("You win")
    expect(page.locator("[data-zone='hand.0'] [data-card]")).to_have_count(5)
    expect(page.locator(".tabpanel > .talking")).to_be_hidden()  # the log has ended
    expect(page.locator(".chat .talking")).to_be_visible()
    expect(page.locator(".trouble")).to_be_hidden()
    page.reload()  # for a while the finished game can be viewed again and replayed
    expect(page.locator("[data-zone='hand.0'] [data-card]")).to_have_count(5)
    press(page, "[")
    expect(page.locator("[data-zone='hand.0'] [data-card]")).to_have_count(5)
    page.get_by_role("tab", name="Trust").click()
    page.get_by_role("button", name="Verify in this browser").click()
    expect(page.locator(".verdict")).to_contain_text("checks hold")
    refused = httpx.post(
        f"{server.url}/v1/games/{game['id']}/resignation",
        headers={"Authorization": f"Bearer {tokens[1]}"},
        json={},
        timeout=90,
    )
    assert refused.status_code == 409


def test_a_guest_with_an_expired_token_can_watch(visit: Callable[..., Visitor], app: httpx.Client) -> None:
    wanted = {"ruleset": "bisca", "seats": [{"open": True}] * 2}
    games = [
        ask(app, "POST", "/v1/games", json={**wanted, "visibility": visibility})["id"]
        for visibility in ("public", "private")
    ]
    visitor = visit()
    page = visitor.go(f"/table/{games[0]}#token=crp_old")
    expect(page.locator(".trouble")).to_contain_text("You are watching")
    expect(page.locator(".title")).to_contain_text("Waiting for players")
    page = visitor.go(f"/table/{games[1]}#token=crp_old")
    expect(page.locator("#why")).to_contain_text("no longer valid")
    visitor.complaints.clear()  # Chromium's own messages about the refusals


def test_a_public_table_is_joined_from_the_page_that_shows_it(visit: Callable[..., Visitor]) -> None:
    host = visit().go("/")
    host.get_by_label("Your name").fill("Ida")
    hosted(host, watchers="public")
    table = host.url
    visitor = visit(viewport=PHONE, reduced_motion="reduce")
    page = visitor.go("/")
    link = page.locator(f"#tables a[href='{table.removeprefix(visitor.base)}']")
    expect(link).to_contain_text("1 seat is free")
    link.click()
    page.get_by_role("button", name="Take a seat").click()
    page.wait_for_url("**/join#game=*")
    expect(page.locator("#people")).to_contain_text("Ida")
    page.get_by_label("Your name").fill("Gus")
    page.get_by_role("button", name="Join").click()
    page.wait_for_url(table)
    expect(page.locator(".own .hand .card").first).to_be_visible()


def test_a_public_table_of_an_app_offers_no_seat(visit: Callable[..., Visitor], app: httpx.Client) -> None:
    wanted = {"ruleset": "bisca", "seats": [{"open": True}] * 2, "visibility": "public"}
    game = ask(app, "POST", "/v1/games", json=wanted)["id"]
    visitor = visit()
    with visitor.page.expect_response("**/invitation"):
        page = visitor.go(f"/table/{game}")
    expect(page.locator(".title")).to_contain_text("Waiting for players")
    expect(page.get_by_role("button", name="Take a seat")).to_have_count(0)
    page.goto(f"{visitor.base}/join#game={game}")
    expect(page.get_by_role("alert")).to_contain_text("Only players of the app")


def test_games_that_have_not_begun_are_in_the_column_of_the_others(visitor: Visitor) -> None:
    page = visitor.go("/")
    hosted(page)
    page.goto(f"{visitor.base}/games")
    expect(page.locator("#open .games li")).to_have_count(1)
    left = "all => all.map(one => one.getBoundingClientRect().left)"
    [title, games] = page.locator("h1, #open").evaluate_all(left)
    assert title == games


def test_my_games_are_those_of_a_guest_in_all_tabs(visit: Callable[..., Visitor]) -> None:
    visitor = visit(viewport=PHONE, reduced_motion="reduce")
    page = visitor.go("/")
    page.get_by_label("Your name").fill("Kim")
    tables = []
    for _ in range(2):
        tab = page.context.new_page()
        tab.goto(f"{visitor.base}/")
        tab.get_by_label("Your name").fill("Kim")
        start(tab, "bisca")
        tab.wait_for_url("**/table/**")
        tables.append(tab.url)
        tab.close()
    page.goto(f"{visitor.base}/games")
    expect(page.locator("#who")).to_contain_text("On this device you play as Kim, a guest.")
    expect(page.locator("#turns .games li, #waiting .games li")).to_have_count(2)
    expect(page.get_by_role("link", name="My profile")).to_be_visible()
    expect(page.get_by_role("link", name="Settings")).to_be_hidden()  # only accounts have any
    page.goto(tables[0])
    menu(page, "Resign")
    page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    expect(page.locator(".title")).to_contain_text("win")
    page.goto(f"{visitor.base}/games")
    expect(page.locator("#finished .games li")).to_have_count(1)
    expect(page.locator("#turns .games li, #waiting .games li")).to_have_count(1)
    # A new name is the same guest's.
    page.goto(f"{visitor.base}/")
    expect(page.get_by_label("Your name")).to_have_value("Kim")
    page.get_by_label("Your name").fill("Kimi")
    start(page, "cats_and_dogs")
    page.wait_for_url("**/table/**")
    page.goto(f"{visitor.base}/games")
    expect(page.locator("#who")).to_contain_text("Kimi")
    expect(page.locator("#turns .games li, #waiting .games li")).to_have_count(2)
