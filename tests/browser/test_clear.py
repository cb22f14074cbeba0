"""What the table says never covers a card, moves no card of the hand, and comes no earlier than the cards."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.games import NAMES, ask, sit_down
from tests.browser.staged import GAMES, positions, resize, show, stage
from tests.support.visitors import PHONE, Visitor

pytestmark = pytest.mark.browser

SIZES = [(1280, 800), (390, 844), (844, 390)]
LONG = (
    "A good move: something that takes many words to say, and some more words to say why one makes it. " * 2
)

# Nothing comes by itself any more: no forced move, no trick that is gathered.
QUIET = """() => {
    for (const timer of [app.composing.forced, app.trickTimer]) clearTimeout(timer);
    app.composing.force = () => {};
    app.overlay = null;
    app.note("");
    app.draw();
}"""

# Everything that is said, as people see it, and the cards and buttons that it touches.
COVERED = """() => {
    const cards = [...document.querySelectorAll(".stage .card, .bar button")]
        .filter(one => one.getClientRects().length);
    const words = [...document.querySelectorAll(".stage :is(p, [role=status], [role=alert], .asked, .guide)")]
        .filter(one => one.checkVisibility() && !one.matches(".unseen, .unseen *") && one.textContent);
    const touched = words.flatMap(said => {
        const box = said.getBoundingClientRect();
        return cards.filter(card => {
            const {left, top, right, bottom} = card.getBoundingClientRect();
            const isBeside = left >= box.right - 1 || right <= box.left + 1;
            return !isBeside && top < box.bottom - 1 && bottom > box.top + 1;
        }).map(card => `${said.className} over ${card.dataset.card ?? card.textContent}`);
    });
    // Where its cards lie, whether or not they are lifted.
    const top = document.querySelector(".hand").getBoundingClientRect().top;
    const hand = [...document.querySelectorAll(".hand .card")].map(one => top + one.offsetTop);
    return {touched, hand, said: words.map(one => one.textContent).join(" ")};
}"""


@pytest.fixture(scope="module")
def table(chromium: Browser) -> Iterator[Page]:
    context, page = stage(chromium)
    yield page
    context.close()


def look(table: Page, size: tuple[int, int]) -> dict[str, Any]:
    resize(table, *size)
    found: dict[str, Any] = table.evaluate(COVERED)
    return found


@pytest.mark.parametrize("ruleset", GAMES)
def test_toasts_and_tips_cover_no_card_or_button(table: Page, ruleset: str) -> None:
    found = {}
    for number, position in enumerate(positions(ruleset, GAMES[ruleset][-1])):
        show(table, position)
        table.evaluate(QUIET)
        quiet = {size: look(table, size)["hand"] for size in SIZES}
        table.evaluate(
            "said => { app.composing.says = said; app.draw(); app.note(`Bela: ${said}`, true); }", LONG
        )
        for size in SIZES:
            shown = look(table, size)
            assert shown["said"].count(LONG.strip()) == 2, "both are seen"
            if shown["touched"] or shown["hand"] != pytest.approx(quiet[size], abs=1):
                found[number, size] = shown["touched"] or "the hand has moved"
    assert found == {}


# The entries that came into the log while one of their cards was in the air, or not yet on the table.
WATCH = """() => {
    window.early = [];
    const lies = card => [...document.querySelectorAll(`[data-zone] [data-card="${card}"]`)]
        .some(one => one.style.opacity !== "0");
    const flies = card => document.querySelector(`.flying [data-card="${card}"]`);
    new MutationObserver(changes => {
        for (const line of changes.flatMap(({addedNodes}) => [...addedNodes])) {
            const named = line.querySelectorAll?.(".what [data-card]") ?? [];
            const cards = [...named].map(one => one.dataset.card);
            if (cards.some(card => flies(card) || !lies(card))) window.early.push(line.textContent);
        }
    }).observe(document.querySelector(".log"), {childList: true});
}"""


def test_escape_closes_the_sheet_of_a_phone(chromium: Browser) -> None:
    context, page = stage(chromium, viewport=PHONE)
    show(page, positions("mau_mau", "out_of_cards-6_seats")[0])
    page.get_by_role("button", name="Talk").click()
    expect(page.locator(".panel.sheet")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".panel.sheet")).to_have_count(0)
    context.close()


def test_no_face_up_card_looks_playable_as_long_as_the_hand_has_cards(chromium: Browser) -> None:
    context, page = stage(chromium)
    position = positions("palace", GAMES["palace"][-1], 12)[0]
    [seat] = position["game"]["viewer"]["seats"]
    show(page, position)
    cards = page.locator(f".own-zones [data-zone='up.{seat}'] button.card")
    expect(cards).not_to_have_count(0)
    for card in cards.all():
        expect(card).to_have_attribute("data-unfit", "")
    context.close()


def test_the_log_does_not_run_ahead_of_the_table(visit: Callable[..., Visitor], app: httpx.Client) -> None:
    table = sit_down(app, "cats_and_dogs", 5)
    page = visit().go(f"/table/{table.game}")
    expect(page.locator(".log > li[aria-current]")).to_be_visible()
    page.evaluate(WATCH)
    version = table.play(4, random.Random(1))["version"]
    expect(page.locator(".log > li[aria-current]")).to_have_attribute("data-seq", str(version))
    assert page.evaluate("early") == []


def test_who_answers_a_truco_reads_who_called_it_and_what_the_hand_is_worth(
    visit: Callable[..., Visitor], app: httpx.Client
) -> None:
    table = sit_down(app, "truco", 4)
    [first] = table.now()["to_act"]
    page = visit(viewport={"width": 390, "height": 844}).go(
        f"/table/{table.game}#token={table.tokens[(first + 1) % 4]}"
    )
    chips = page.locator(".chips li")
    expect(chips).to_have_text(["The hand is worth 2"])  # of two teams, both play
    body = {"seat": first, "move": {"type": "truco"}}
    ask(app, "POST", f"/v1/games/{table.game}/moves", json=body)
    expect(page.get_by_role("button", name="Accept")).to_be_enabled()
    expect(chips).to_have_text([f"{NAMES[first]} calls truco (×2)", "The hand is worth 2"])
    for chip in chips.all():
        expect(chip).to_be_in_viewport(ratio=0.99)
