"""A card that cannot be played says why: on tap, hover and focus, in the rule's words and with its link."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, Route, expect

import referee
from tests.browser.games import Table, sit_down
from tests.browser.staged import positions, show, stage
from tests.support.visitors import PHONE, Visitor, press

pytestmark = pytest.mark.browser
SMALL = {"width": 320, "height": 568}
GREYED = ".hand button.card[aria-disabled]"


def with_a_card_that_may_not_be_played(app: httpx.Client) -> tuple[Table, int, str]:
    """Return a game of Pedro, the seat to act and one of its cards that does not follow."""
    for seed in range(5):
        table = sit_down(app, "pedro", 4)
        for _ in range(40):
            game = table.now()
            [seat] = game["to_act"]
            if game["view"]["phase"] == "play":
                listed = referee.legal_moves(referee.read(game["view"]), seat)
                held = game["view"]["zones"][f"hand.{seat}"]
                if refused := [card for card in held if card not in {move["card"] for move in listed}]:
                    return table, seat, refused[0]
            table.play(1, random.Random(seed))
    raise AssertionError("every card could be played")


def assert_said(page: Page, verdict: Any) -> None:
    says = page.locator(".advice")
    expect(says).to_contain_text(verdict.refusal.reason, ignore_case=True)
    expect(says.get_by_role("link", name=verdict.refusal.rule)).to_be_in_viewport(ratio=1)
    box = says.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= SMALL["width"]
    assert says.evaluate("one => one.scrollWidth <= one.clientWidth && one.scrollHeight <= one.clientHeight")


def test_a_greyed_card_says_why(visit: Callable[..., Visitor], app: httpx.Client) -> None:
    table, seat, card = with_a_card_that_may_not_be_played(app)
    verdict = referee.judge(referee.read(table.now()["view"]), seat, {"type": "play", "card": card})
    assert not verdict.legal
    page = visit(viewport=SMALL, reduced_motion="reduce").go(
        f"/table/{table.game}#token={table.tokens[seat]}"
    )
    greyed = page.locator(f"{GREYED}[data-card='{card}']").first
    for ask in (lambda: greyed.click(position={"x": 5, "y": 15}, force=True), greyed.focus):
        ask()
        assert_said(page, verdict)
        press(page, "Escape")
        expect(page.locator(".advice")).to_be_hidden()
        page.locator(".title").focus()
    greyed.hover(position={"x": 5, "y": 15})
    page.mouse.move(1, 1)
    greyed.hover(position={"x": 5, "y": 15})
    assert_said(page, verdict)


def test_no_reason_covers_the_hand_when_a_turn_begins(chromium: Browser) -> None:
    """A card that gets the focus by itself says nothing; what is said on a phone leaves the hand free."""
    context, page = stage(chromium, viewport=PHONE)
    show(page, positions("palace", "last_with_cards-6")[1])
    page.evaluate("clearTimeout(app.composing.forced); app.composing.force = () => {}")
    page.locator(".hand").focus()
    page.evaluate("app.draw()")
    assert page.evaluate("document.activeElement.matches('button.card[aria-disabled]')")
    page.wait_for_timeout(600)
    expect(page.locator(".advice")).to_be_empty()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".advice")).to_contain_text("Not now")
    says, hand = page.locator(".advice").bounding_box(), page.locator(".hand .card").first.bounding_box()
    assert says is not None
    assert hand is not None
    assert says["y"] >= hand["y"] + hand["height"] - 1
    context.close()


def test_an_answer_that_comes_after_escape_is_not_shown(
    visit: Callable[..., Visitor], app: httpx.Client
) -> None:
    table, seat, card = with_a_card_that_may_not_be_played(app)
    page = visit(reduced_motion="reduce").go(f"/table/{table.game}#token={table.tokens[seat]}")
    held: list[Route] = []
    page.route("**/moves/dry-run", lambda route: held.append(route))
    greyed = page.locator(f"{GREYED}[data-card='{card}']").first
    with page.expect_request("**/moves/dry-run"):
        greyed.focus()
    press(page, "Escape")
    with page.expect_response("**/moves/dry-run"):
        held[0].continue_()
    page.evaluate("() => new Promise(done => setTimeout(done, 100))")
    expect(page.locator(".advice")).to_be_hidden()
