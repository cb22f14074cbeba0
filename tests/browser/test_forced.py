"""Moves without a choice, and hands that are read while something else is decided."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import httpx
import pytest
from playwright.sync_api import expect

from tests.browser.games import ask, forced, sit_down
from tests.support.visitors import Visitor, menu

pytestmark = pytest.mark.browser


def test_a_forced_move_is_made_after_a_moment_unless_one_would_rather(
    visit: Callable[..., Visitor], app: httpx.Client
) -> None:
    table, seat = forced(app)
    version = table.now()["version"]
    visitor = visit(reduced_motion="reduce")
    page = visitor.page
    page.clock.install()
    page.clock.pause_at(datetime.now() + timedelta(seconds=1))
    visitor.go(f"/table/{table.game}#token={table.tokens[seat]}")
    expect(page.locator(".title.yours")).to_be_visible()
    menu(page, "Let me make forced moves myself")
    page.clock.run_for(2500)
    assert table.now()["version"] == version
    menu(page, "Make forced moves for me")
    page.clock.run_for(2500)
    expect(page.locator(".title.yours")).to_have_count(0)
    page.clock.run_for(100)
    said = "You could only pass, so that was done for you."
    expect(page.locator(".hand-over")).to_have_text(said)
    expect(page.locator(".announcer")).to_contain_text(said)
    page.clock.resume()
    [entry] = ask(app, "GET", f"/v1/games/{table.game}/events?after={version}&limit=1")["items"]
    assert (entry["seat"], entry["move"]) == (seat, {"type": "pass"})


def test_a_hand_is_readable_while_no_card_is_to_be_chosen(
    visit: Callable[..., Visitor], app: httpx.Client
) -> None:
    table = sit_down(app, "landlord", 4)  # which begins with bids
    seat = table.now()["to_act"][0]
    page = visit(reduced_motion="reduce").go(f"/table/{table.game}#token={table.tokens[seat]}")
    expect(page.locator(".title.yours")).to_be_visible()
    card = page.locator(".own .hand .card").first
    expect(card).to_have_css("filter", "none")
