"""A newcomer learns at the table: what a game is like, how to play it, and what a good move is."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

import referee
from tests.support.visitors import PHONE, Visitor, menu

pytestmark = pytest.mark.browser


def seated(page: Page, ruleset: str) -> Page:
    page.locator(f"input[value={ruleset}]").check(force=True)
    page.get_by_role("button", name="Start").click()
    expect(page.locator(".own .hand .card").first).to_be_visible()
    return page


def test_each_tile_says_what_its_game_is_like(visit: Callable[..., Visitor]) -> None:
    page = visit().go("/")
    for rules in referee.newest():
        tile = page.locator(f".tile:has(input[value={rules.ID}])")
        summary = referee.guide(rules.ID, rules.VERSION).summary
        expect(tile).to_contain_text(summary)
        expect(tile).to_contain_text("players")
        assert re.search(r"About \d+ minutes", summary)
    page.set_viewport_size(PHONE)
    page.locator("input[value=pies]").check(force=True)
    expect(page.locator("#summary")).to_have_text(referee.guide("pies").summary)
    expect(page.locator("#summary")).to_be_visible()


def test_a_newcomer_gets_help_at_the_table(visit: Callable[..., Visitor]) -> None:
    page = seated(visit(reduced_motion="reduce").go("/"), "truco")
    expect(page.locator(".bar .says")).to_contain_text("New here?")
    page.get_by_role("button", name="Tip", exact=True).click()
    says = page.locator(".bar .says")
    expect(says).to_contain_text("A careful bot would choose: ")
    send = page.locator("button.send:not(:disabled), button.direct[aria-pressed=true]").first
    chosen = send.inner_text()
    expect(says).to_contain_text(chosen)
    version = page.locator(".where").inner_text()
    send.click()
    expect(page.locator(".where")).not_to_have_text(version)
    page.get_by_role("tab", name="How to play").click()
    expect(page.locator(".how-to")).to_contain_text("Win hands with your partner")
    expect(page.locator(".how-to")).not_to_contain_text("`")
    expect(page.locator(".how-to").get_by_role("link", name="All rules")).to_have_attribute(
        "href", re.compile("/docs/rules/truco$")
    )


def test_how_to_play_is_a_sheet_on_a_phone(visit: Callable[..., Visitor]) -> None:
    page = seated(visit(viewport=PHONE, reduced_motion="reduce").go("/"), "pedro")
    menu(page, "How to play")
    expect(page.locator(".panel.sheet .how-to h2")).to_be_in_viewport(ratio=1)
    page.locator(".panel").get_by_role("button", name="Close").click()
    expect(page.locator(".own .hand .card").first).to_be_in_viewport()


@pytest.mark.parametrize("rules", referee.newest(), ids=lambda rules: rules.ID)
def test_every_game_has_a_guide_with_tips_for_its_moves(rules: referee.Ruleset) -> None:
    guide = referee.guide(rules.ID, rules.VERSION)
    tips = re.findall(r"^- `(\w+)` — .+$", guide.how_to_play, re.M)
    assert tips
    assert set(tips) <= set(rules.MOVES)
    assert 80 < len(guide.how_to_play.split()) < 220
