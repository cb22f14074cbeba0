"""Guests at the page: a guest with an invite sees the end of the game; later the token is invalid."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest
from playwright.sync_api import expect

from tests.browser.games import ask
from tests.serving import Server
from tests.support.visitors import Visitor

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
    expect(page.locator(".title")).to_contain_text("Guest 1 wins")
    expect(page.locator("[data-zone='hand.0'] [data-card]")).to_have_count(5)
    expect(page.locator(".tabpanel > .talking")).to_be_hidden()  # the log has ended
    expect(page.locator(".chat .talking")).to_be_visible()
    expect(page.locator(".trouble")).to_be_hidden()
    page.reload()  # for a while the finished game can be viewed again and replayed
    expect(page.locator("[data-zone='hand.0'] [data-card]")).to_have_count(5)
    page.get_by_role("button", name="One step back").click()
    expect(page.locator("[data-zone='hand.0'] [data-card]")).to_have_count(5)
    page.get_by_role("tab", name="Trust").click()
    page.get_by_role("button", name="Verify in this browser").click()
    expect(page.locator(".verdict")).to_contain_text("checks hold")
    refused = httpx.post(
        f"{server.url}/v1/games/{game['id']}/messages",
        headers={"Authorization": f"Bearer {tokens[1]}"},
        json={"text": "x"},
        timeout=90,
    )
    assert refused.status_code == 401


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
