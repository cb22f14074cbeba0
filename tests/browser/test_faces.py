"""The faces of cards: drawn by rule, and readable at every size; a card that flies is visible once."""

from __future__ import annotations

import copy
import json
import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from api.rulesets import rulesets
from tests.browser.staged import GAMES, positions, show, stage
from tests.support.visitors import Visitor

pytestmark = pytest.mark.browser
PIPS = {"A": 1, "T": 10, **{str(n): n for n in range(2, 10)}}

FACES = """async cards => {
    const {card, paint} = await import("/web/cards/cards.js");
    const {faces} = await import("/web/cards/faces.js");
    paint(faces);
    const catalogue = new Map(cards.map(each => [each.id, each]));
    return cards.map(({id}) => {
        const made = card(id, catalogue);
        const [whole, plain] = made.querySelectorAll("svg");
        const texts = one => [...one.querySelectorAll("text")].map(each => each.textContent);
        return {pips: whole.querySelectorAll(".pip").length, whole: texts(whole), plain: texts(plain),
            shapes: whole.querySelectorAll("path").length, name: made.getAttribute("aria-label")};
    });
}"""


@pytest.fixture
def page(chromium: Browser) -> Any:
    context, page = stage(chromium)
    yield page
    context.close()


@pytest.mark.parametrize("ruleset", GAMES)
def test_every_card_shows_its_rank_and_as_many_pips(page: Page, ruleset: str) -> None:
    cards = rulesets.ruleset(ruleset)["cards"]
    for card, face in zip(cards, page.evaluate(FACES, cards), strict=True):
        rank = {"T": "10", "X": "★"}.get(card["rank"], card["rank"])
        assert rank in face["whole"], card
        assert face["plain"][0] == rank
        assert face["name"] == card["name"]
        if card["suit"] and card["icon"] is None:
            assert face["pips"] == PIPS.get(card["rank"], 0), card


SHORT = """async cards => {
    const {short} = await import("/web/cards/cards.js");
    const catalogue = new Map(cards.map(each => [each.id, each]));
    return cards.map(({id}) => short(id, catalogue));
}"""


def test_cards_of_other_suits_have_their_own_names_in_sentences(page: Page) -> None:
    """The letter of a suit may be that of another game's: C is not always clubs."""
    shown = page.evaluate(SHORT, rulesets.ruleset("cats_and_dogs")["cards"])
    assert [shown[0], shown[-1]] == ["cat 1", "dog 9"]
    assert page.evaluate(SHORT, rulesets.ruleset("landlord")["cards"])[:2] == ["3♣", "3♦"]
    assert "14" in page.evaluate(SHORT, rulesets.ruleset("dog_cards")["cards"])


def test_a_package_s_icon_is_drawn(page: Page) -> None:
    icon = "M10 10L90 10L50 90Z"
    card = {"id": "9Z", "name": "nine of comets", "suit": "Z", "rank": "9", "colour": "green", "points": None}
    drawn = page.evaluate(
        """async card => {
            const {faces} = await import("/web/cards/faces.js");
            return faces(card, card.rank).map(one => one.innerHTML);
        }""",
        {**card, "icon": icon},
    )
    assert [icon in face for face in drawn] == [True, True]


MOVED = """async ({before, after, entries}) => {
    const source = window.app.live;
    source.newest = after;
    source.at = async () => after;
    source.entries = async () => entries;
    const card = entries.at(-1).transfers[0].cards[0];
    const seen = [];
    const shown = `:is(.felt, .flying) [data-card="${card}"]`;
    const count = () => [...document.querySelectorAll(shown)]
        .filter(one => getComputedStyle(one).opacity !== "0").length;
    const done = new Promise(finish => {
        let frames = 0;
        const each = () => {
            if (document.querySelector(".flying .card")) seen.push(count());
            else if (seen.length) return finish();
            if (frames++ < 300) requestAnimationFrame(each);
            else finish();
        };
        requestAnimationFrame(each);
    });
    window.app.newest = after;
    await window.app.timeline.show(after.version);
    await done;
    return {seen, left: document.querySelectorAll(".flying").length, at_end: count()};
}"""


def test_a_flying_card_is_visible_once(chromium: Browser) -> None:
    context, page = stage(chromium)
    page.emulate_media(reduced_motion="no-preference")
    position = positions("bisca", "target-4_seats")[0]
    game = position["game"]
    mine = game["viewer"]["seats"][0]
    show(page, position)
    card = game["view"]["zones"][f"hand.{mine}"][0]
    after = copy.deepcopy(game)
    after["version"] += 1
    after["view"]["zones"][f"hand.{mine}"].remove(card)
    after["view"]["zones"]["trick"].append(card)
    entry = {
        "seq": after["version"],
        "type": "moved",
        "seat": mine,
        "move": {"type": "play", "card": card},
        "transfers": [{"from": f"hand.{mine}", "to": "trick", "cards": [card]}],
        "private": {},
    }
    entries = [*position["entries"], entry]
    found = page.evaluate(MOVED, json.loads(json.dumps({"before": game, "after": after, "entries": entries})))
    assert set(found["seen"]) == {1}, found
    assert found["left"] == 0
    assert found["at_end"] == 1
    expect(page.locator(".log > li[aria-current]")).to_have_attribute("data-seq", str(after["version"]))
    context.close()


def test_a_player_chooses_the_felt_and_the_backs(chromium: Browser) -> None:
    context, page = stage(chromium)
    felts = set()
    for ruleset, names in GAMES.items():
        show(page, positions(ruleset, names[0])[0])
        felts.add(page.locator(".app").get_attribute("data-felt"))
    assert len(felts) >= 4  # games look different
    page.evaluate("import('/web/cards/look.js').then(({chooseLook}) => { chooseLook(window.app); })")
    page.get_by_role("combobox", name="Table").select_option("slate")
    page.get_by_role("combobox", name="Backs").select_option("dots")
    expect(page.locator(".app")).to_have_attribute("data-felt", "slate")
    page.keyboard.press("Escape")
    show(page, positions("bisca", "target-4_seats")[0])
    expect(page.locator(".app")).to_have_attribute("data-felt", "slate")
    expect(page.locator(".app")).to_have_attribute("data-back", "dots")
    context.close()


def test_the_number_of_a_row_is_told_from_how_many_cards_lie_there(page: Page) -> None:
    show(page, positions("dog_cards", "rows-4")[-1])
    labels = page.locator(".zone .label").all_text_contents()
    assert any(re.fullmatch(r"row \d · \d+", label) for label in labels), labels
    assert not any(re.search(r"\d \d", label) for label in labels), labels


def test_the_tiles_of_the_start_page_keep_the_felts_of_their_games(visitor: Visitor) -> None:
    page = visitor.go("/")
    tiles = page.locator(".tile")
    expect(tiles).to_have_count(9)
    felts = "all => all.map(one => one.dataset.felt)"
    before = tiles.evaluate_all(felts)
    page.evaluate("localStorage.setItem('card-referee:prefers:felt', 'plum')")
    page.reload()
    expect(tiles).to_have_count(9)
    assert tiles.evaluate_all(felts) == before
    assert len({*before}) > 1
