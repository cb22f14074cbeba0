"""Everything that a player needs is wholly visible, in nine games and at every size of window."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.staged import (
    GAMES,
    HIDDEN,
    first_choices,
    in_language,
    positions,
    resize,
    show,
    stage,
)

pytestmark = pytest.mark.browser

SIZES = [(320, 568), (390, 844), (844, 390), (768, 1024), (1024, 768), (720, 450), (1440, 900), (2560, 1440)]
NARROW = [(320, 568), (844, 390), (1024, 768)]
PHONES = [(320, 568), (390, 844), (844, 390)]
DOUBLED = [(390, 844), (1024, 768), (1440, 900)]  # with text of twice the size


@pytest.fixture(scope="module")
def table(chromium: Browser) -> Iterator[Page]:
    context, page = stage(chromium)
    yield page
    context.close()


@pytest.mark.parametrize("ruleset", GAMES)
def test_nothing_is_cut_off_or_covered(table: Page, ruleset: str) -> None:
    hidden = {}
    for record in GAMES[ruleset]:
        for number, position in enumerate(positions(ruleset, record)):
            show(table, position)
            for width, height in SIZES:
                resize(table, width, height)
                if found := table.evaluate(HIDDEN):
                    hidden[record, number, width, height] = found
    assert hidden == {}


@pytest.mark.parametrize("ruleset", GAMES)
def test_every_choice_of_moves_is_wholly_visible(table: Page, ruleset: str) -> None:
    """In pedro, a phone showed the bids up to 6 only."""
    hidden = {}
    for position in first_choices(ruleset, GAMES[ruleset][0]):
        show(table, position)
        for width, height in PHONES:
            if position["game"]["result"] and (width, height) != (320, 568):
                continue  # with the cards of all hands, another test
            resize(table, width, height)
            if found := table.evaluate(HIDDEN):
                hidden[position["game"]["version"], width, height] = found
    assert hidden == {}


@pytest.mark.parametrize("ruleset", GAMES)
def test_nothing_is_cut_off_when_text_is_doubled(table: Page, ruleset: str) -> None:
    hidden = {}
    table.evaluate("document.documentElement.style.fontSize = '200%'")
    for width, height in DOUBLED:
        resize(table, width, height)
        for _ in "opened", "opened again":  # in a frame in which the felt grows and shrinks again
            show(table, positions(ruleset, GAMES[ruleset][-1])[-1])
        if found := table.evaluate(HIDDEN):
            hidden[width, height] = found
    table.evaluate("document.documentElement.style.fontSize = ''")
    assert hidden == {}


@pytest.mark.parametrize("language", ["de", "es", "pt"])
def test_nothing_is_cut_off_in_longer_words(chromium: Browser, language: str) -> None:
    context, table = stage(chromium, language)
    hidden = {}
    for ruleset, records in GAMES.items():
        show(table, in_language(positions(ruleset, records[0])[-1], language))
        for width, height in NARROW:
            resize(table, width, height)
            if found := table.evaluate(HIDDEN):
                hidden[ruleset, width, height] = found
    assert table.evaluate("document.documentElement.lang") == language
    context.close()
    assert hidden == {}


EDGES = """card => [...document.querySelectorAll("button.card")].filter(one => one !== card).flatMap(one => {
    const {left, top} = one.getBoundingClientRect();
    const seen = document.elementFromPoint(left + 6, top + 20);
    return one.contains(seen) ? [] : [`${one.dataset.card} behind ${seen?.dataset.card}`];
})"""


@pytest.mark.parametrize("ruleset", GAMES)
def test_a_card_under_the_pointer_covers_no_other_card(table: Page, ruleset: str) -> None:
    """The left edge, where the rank is, can be read and clicked while the pointer rests on a neighbour."""
    show(table, positions(ruleset, GAMES[ruleset][-1])[-1])
    resize(table, 1024, 768)
    cards = table.locator("button.card").element_handles()
    assert cards
    for card in cards:
        card.hover(position={"x": 6, "y": 20})
        assert card.evaluate(EDGES) == []
    table.mouse.move(0, 0)
