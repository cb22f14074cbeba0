"""Games whose seats commit to their entropy: pages create it, keep it, and reveal it when all are seated."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, expect

import referee
from tests.browser.games import ask
from tests.support.visitors import Visitor, choose, menu, saved, verify

pytestmark = pytest.mark.browser
KEPT = "() => Object.keys(localStorage).filter(name => name.startsWith('card-referee:entropy:')).length"
FORGET = """() => {
    for (const store of [sessionStorage, localStorage]) {
        for (const name of Object.keys(store)) if (name.includes(":entropy:")) store.removeItem(name);
    }
}"""
# The page is hidden behind another tab.
LOOK_AWAY = """() => {
    Object.defineProperty(document, "visibilityState", {configurable: true, value: "hidden"});
    document.dispatchEvent(new Event("visibilitychange"));
}"""


def made(app: httpx.Client, **more: Any) -> dict[str, Any]:
    """Return a game of two open seats that commit."""
    wanted = {"ruleset": "cats_and_dogs", "seats": [{"open": True}] * 2, "entropy": "commit", **more}
    return ask(app, "POST", "/v1/games", json=wanted)


def joined(visit: Callable[..., Visitor], game: dict[str, Any], seat: int) -> Page:
    """Return a new guest who joined with the invite."""
    visitor = visit(reduced_motion="reduce")
    code = game["seats"][seat]["invite"]
    page = visitor.go(f"/join#game={game['id']}&seat={seat}&invite={code}")
    page.get_by_label("Your name").fill(f"Guest {seat}")
    page.get_by_role("button", name="Join").click()
    page.wait_for_url("**/table/**")
    return page


def seated(page: Page) -> None:
    expect(page.locator(".own .hand .card")).to_have_count(5)


def log_of(app: httpx.Client, game: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = ask(app, "GET", f"/v1/games/{game}/events?limit=200")["items"]
    return items


def test_guests_commit_on_joining_and_reveal_when_all_are_seated(
    visit: Callable[..., Visitor], app: httpx.Client, tmp_path: Path
) -> None:
    game = made(app)
    first = joined(visit, game, 0)
    expect(first.locator(".bar .says")).to_contain_text("your secret")
    first.get_by_role("tab", name="How to play").click()
    expect(first.locator(".about")).to_contain_text("nobody can choose the cards")
    assert first.evaluate(KEPT) == 1
    second = joined(visit, game, 1)
    for page in (first, second):
        seated(page)
        page.wait_for_function(f"({KEPT})() === 0")
    log = log_of(app, game["id"])
    assert [entry["type"] for entry in log] == ["created", *["joined"] * 2, *["revealed"] * 2, "started"]
    secrets = {entry["seat"]: entry["entropy"] for entry in log[3:5]}
    assert all(re.fullmatch("[0-9a-f]{64}", secret) for secret in secrets.values())
    assert len({*secrets.values()}) == 2
    promised = [entry["commitment"] for entry in log[1:3]]
    assert promised == [sha256(secrets[seat].encode()).hexdigest() for seat in (0, 1)]
    menu(second, "Resign")
    second.get_by_role("dialog").get_by_role("button", name="Resign").click()
    expect(second.locator(".title")).to_contain_text("wins")
    verify(second)
    expect(second.locator("[data-check=entropy]")).to_have_class("holds")
    record = json.loads(saved(second, "Save the record", tmp_path))
    assert referee.verify(record).ok


def test_a_host_commits_too_and_reveals_in_a_hidden_tab(visit: Callable[..., Visitor]) -> None:
    visitor = visit(reduced_motion="reduce")
    host = visitor.go("/")
    choose(host, "cats_and_dogs", 2, "open")
    host.get_by_text("More options").click()
    host.get_by_label("The deal").select_option("commit")
    host.locator("#start").click()
    link = host.get_by_role("textbox", name="Link").input_value()
    host.evaluate(LOOK_AWAY)
    friend = visit(reduced_motion="reduce")
    friend.page.goto(link)
    friend.page.get_by_label("Your name").fill("Zoë")
    friend.page.get_by_role("button", name="Join").click()
    friend.page.wait_for_url("**/table/**")
    for page in (host, friend.page):
        seated(page)
    expect(host.locator(".log .revealed")).to_have_count(2)


def test_a_browser_that_has_lost_the_secret_says_so(visit: Callable[..., Visitor], app: httpx.Client) -> None:
    game = made(app)
    first = joined(visit, game, 0)
    first.evaluate(FORGET)
    second = joined(visit, game, 1)
    expect(first.locator(".bar .says")).to_contain_text("This browser does not know your secret")
    expect(second.locator(".title")).to_contain_text("Waiting for Guest 0 to reveal")
    expect(second.locator(".bar .says")).to_contain_text("Your secret is revealed")
    second.reload()  # and this does not change
    expect(second.locator(".bar .says")).to_contain_text("Your secret is revealed")


def test_a_secret_outlives_a_reload(visit: Callable[..., Visitor], app: httpx.Client) -> None:
    game = made(app)
    first = joined(visit, game, 0)
    first.reload()
    expect(first.locator(".bar .says")).to_contain_text("your secret")
    joined(visit, game, 1)
    seated(first)
