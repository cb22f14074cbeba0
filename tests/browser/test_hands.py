"""Between the hands of a match the table says for a moment what the hand has brought."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.games import NAMES, Table, ask, sit_down
from tests.support.visitors import Visitor

pytestmark = pytest.mark.browser


# The most lines about hands and calls that are there at once.
COUNT = """() => {
    window.most = 0;
    const count = () => (window.most = Math.max(most, document.querySelectorAll(".hand-over").length));
    new MutationObserver(count).observe(document.querySelector(".notes"), {childList: true});
}"""


def opened(visit: Callable[..., Visitor], table: Table, seat: int) -> Page:
    page = visit(reduced_motion="reduce").go(f"/table/{table.game}#token={table.tokens[seat]}")
    version = table.now()["version"]
    expect(page.locator(".where")).to_have_text(f"{version}/{version}")
    return page


def cards_in_hands(table: Table) -> int:
    zones = table.now()["view"]["zones"]
    return sum(len(held) for name, held in zones.items() if name.startswith("hand."))


def test_a_hand_that_is_folded_is_told_with_its_points(
    visit: Callable[..., Visitor], app: httpx.Client
) -> None:
    table = sit_down(app, "truco", 4)
    path = f"/v1/games/{table.game}/moves"
    [caller] = table.now()["to_act"]
    ask(app, "POST", path, json={"seat": caller, "move": {"type": "truco"}})
    answering = table.now()["to_act"][0]
    page = opened(visit, table, (caller + 2) % 4)
    ask(app, "POST", path, json={"seat": answering, "move": {"type": "fold"}})
    others = [NAMES[seat] for seat in range(4) if seat % 2 == answering % 2]
    said = f"Hand 1 is over: Your team +2, {others[0]} and {others[1]} 0"
    expect(page.locator(".hand-over")).to_have_text(said)
    expect(page.locator(f"[data-seat='{answering}'] .bubble")).to_have_text("Fold")
    expect(page.locator(".hand-over")).to_have_count(0)


def test_a_call_is_told_to_everybody_in_a_line(visit: Callable[..., Visitor], app: httpx.Client) -> None:
    table = sit_down(app, "truco", 4)
    [caller] = table.now()["to_act"]
    page = opened(visit, table, (caller + 1) % 4)
    ask(app, "POST", f"/v1/games/{table.game}/moves", json={"seat": caller, "move": {"type": "truco"}})
    expect(page.locator(".hand-over")).to_have_text(f"{NAMES[caller]} calls truco (×2)")
    expect(page.locator(f"[data-seat='{caller}'] .bubble")).to_have_text("Truco")
    expect(page.get_by_role("button", name="Accept for 4")).to_be_visible()
    expect(page.get_by_role("button", name="Fold: gives 2")).to_be_visible()
    page.evaluate(COUNT)
    ask(
        app,
        "POST",
        f"/v1/games/{table.game}/moves",
        json={"seat": (caller + 1) % 4, "move": {"type": "fold"}},
    )
    expect(page.locator(".hand-over")).to_contain_text("Hand 1 is over")
    assert page.evaluate("most") == 1, "what was said before is gone"


def test_a_hand_of_bisca_is_told_with_the_points_of_the_cards(
    visit: Callable[..., Visitor], app: httpx.Client
) -> None:
    table = sit_down(app, "bisca", 2, options={"target": 4})
    choices = random.Random(2)
    while cards_in_hands(table) != 1:
        table.play(1, choices)
    page = opened(visit, table, 0)
    scores = table.play(1, choices)["view"]["scores"]
    over = page.locator(".hand-over")
    expect(over).to_have_text(
        re.compile(
            rf"^Hand 1 is over: You \+?{scores[0]} \(\d+ card points\),"
            rf" Bela \+?{scores[1]} \(\d+ card points\)$"
        )
    )
    cards = re.findall(r"(\d+) card points", over.inner_text())
    assert sum(map(int, cards)) == 120
