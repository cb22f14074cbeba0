"""Nothing moves by itself while a game is played, and every card of a hand is known.

No card is there twice, and what a plate says of its player is not cut.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.games import SHORT
from tests.browser.player import Player
from tests.support.visitors import PHONE, Visitor, against_bots, hosted

pytestmark = pytest.mark.browser

STEADY = Path(__file__).with_name("steady.js").read_text()
SIZES = [(1280, 800), (1440, 900), (1024, 768), (390, 844), (844, 390)]
SAMPLE = [("bisca", SIZES[0]), ("palace", SIZES[3]), ("landlord", SIZES[4])]
MOST = 0.05  # the sum of all layout shifts of a game, also of those just after a tap

# The cards of the hand whose rank is covered, and the cards that are on the table twice.
UNREAD = """() => {
    const cards = [...document.querySelectorAll(".hand .card")];
    const isSeen = (card, x, y) => card.contains(document.elementFromPoint(x, y));
    const covered = cards.filter(card => {
        const {left, top, width, height} = card.getBoundingClientRect();
        const [wide, high] = [0.24 * width, 0.28 * height]; // of the rank in its corner
        const corners = [[0.2, 0.1], [0.9, 0.1], [0.2, 0.9], [0.9, 0.9]];
        return !corners.every(([x, y]) => isSeen(card, left + 2 + x * wide, top + 2 + y * high));
    });
    return covered.map(card => card.dataset.card);
}"""
TWICE = """() => {
    const cards = [...document.querySelectorAll(".stage [data-zone] [data-card]")];
    const shown = cards.filter(one => one.checkVisibility()).map(one => one.dataset.card);
    return shown.filter((card, at) => shown.indexOf(card) !== at);
}"""
# What a plate says beside a name, where the plate has no room for it.
CUT = """() => {
    const shown = [...document.querySelectorAll(".plate .tags")].filter(one => one.checkVisibility());
    return shown.filter(one => one.scrollWidth > one.clientWidth + 1).map(one => one.textContent);
}"""


class Watcher(Player):
    """Looks at the table before and after each move."""

    unread: list[str]
    twice: list[str]
    cut: list[str]
    has_pairs = False  # whether the pack has two of a card

    def move(self) -> None:
        self.page.mouse.move(2, 2)
        self.unread += self.page.evaluate(UNREAD)
        self.cut += self.page.evaluate(CUT)
        super().move()
        if not self.has_pairs:
            self.twice += self.page.evaluate(TWICE)


def shift_of(page: Page) -> float:
    return float(page.evaluate("shifts.reduce((sum, {value}) => sum + value, 0)"))


@pytest.mark.parametrize(
    ("ruleset", "size"),
    [
        pytest.param(ruleset, size, marks=[] if (ruleset, size) in SAMPLE else pytest.mark.long)
        for ruleset in SHORT
        for size in SIZES
    ],
)
def test_nothing_moves_in_a_whole_game(
    visit: Callable[..., Visitor], app: httpx.Client, ruleset: str, size: tuple[int, int]
) -> None:
    seats, options = SHORT[ruleset]
    game, token = against_bots(app, ruleset, seats, options)
    visitor = visit(viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce")
    visitor.page.add_init_script(STEADY)
    page = visitor.go(f"/table/{game}#token={token}")
    player = Watcher(page, random.Random(ruleset))
    player.unread, player.twice, player.cut = [], [], []
    player.has_pairs = ruleset in ("landlord", "dog_cards")
    player.play()
    expect(page.get_by_role("tab", name="Result")).to_have_attribute("aria-selected", "true")
    worst = page.evaluate("shifts.sort((a, b) => b.value - a.value).slice(0, 3)")
    assert shift_of(page) <= MOST, worst
    assert (player.unread, player.twice, player.cut) == ([], [], [])


def test_nothing_moves_in_the_waiting_room_of_a_phone(visit: Callable[..., Visitor]) -> None:
    """Also not when the picture of the link comes, and what may be done with the seats."""
    visitor = visit(viewport=PHONE, reduced_motion="reduce")
    visitor.page.add_init_script(STEADY)
    page = visitor.go("/")
    hosted(page)
    expect(page.locator(".qr[src]")).to_be_visible()
    expect(page.get_by_role("button", name="Give a free seat to a bot")).to_be_visible()
    worst = page.evaluate("shifts.sort((a, b) => b.value - a.value).slice(0, 3)")
    assert shift_of(page) <= MOST, worst
