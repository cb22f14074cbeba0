"""What a table says has its room: plates, headlines, buttons and notes, on a phone and in longer words."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.games import NAMES
from tests.browser.staged import GAMES, final, in_language, positions, resize, show, stage
from tests.support.visitors import PHONE

pytestmark = pytest.mark.browser

SMALL = {"width": 320, "height": 568}
OUTSIDE = """() => [...document.querySelectorAll(".plate .tags")].filter(one => {
    const [inner, plate] = [one, one.closest(".plate")].map(each => each.getBoundingClientRect());
    const name = one.closest(".plate").querySelector(".name").getBoundingClientRect();
    return one.checkVisibility() && (inner.bottom > plate.bottom + 1 || inner.top < name.bottom - 3);
}).map(one => one.textContent)"""
CUT = """() => [...document.querySelectorAll(".plate .tags, .bar button")].filter(one => {
    const isCut = one.scrollHeight > one.clientHeight + 1 || one.scrollWidth > one.clientWidth + 1;
    return one.checkVisibility() && isCut;
}).map(one => one.textContent)"""
FREE = """selector => [...document.querySelectorAll(selector)].filter(one => {
    const {left, top, width, height} = one.getBoundingClientRect();
    return width && one.contains(document.elementFromPoint(left + width / 2, top + height / 2));
}).length"""


@pytest.mark.parametrize("language", ["en", "de", "es", "pt"])
def test_plates_are_not_cut_at_the_end(chromium: Browser, language: str) -> None:
    context, page = stage(chromium, language, viewport=PHONE)
    cut = {}
    for ruleset, records in GAMES.items():
        for record in records:
            show(page, in_language(final(ruleset, record), language))
            cut[record] = page.evaluate(CUT) + page.evaluate(OUTSIDE)
    context.close()
    assert [*filter(None, cut.values())] == []


@pytest.mark.parametrize("language", ["en", "de", "es", "pt"])
def test_no_headline_moves_the_felt(chromium: Browser, language: str) -> None:
    context, page = stage(chromium, language)
    tall = []
    for size in (PHONE, SMALL):
        page.set_viewport_size(size)
        heights = {}
        for ruleset, records in GAMES.items():
            for position in (*positions(ruleset, records[0]), final(ruleset, records[0])):
                show(page, in_language(position, language))
                title = page.locator(".title")
                heights[title.inner_text()] = page.locator(".headline").evaluate("one => one.offsetHeight")
        tall += [title for title, height in heights.items() if height > min(heights.values())]
    context.close()
    assert tall == []


@pytest.mark.parametrize(("language", "team"), [("en", "your team"), ("de", "Ihr Team")])
def test_plates_of_four_show_portraits_names_and_partners(
    chromium: Browser, language: str, team: str
) -> None:
    context, page = stage(chromium, language, viewport=PHONE)
    for ruleset, record in (("pedro", "target-several_hands"), ("truco", "target-played")):
        for position in positions(ruleset, record, 4):
            show(page, in_language(position, language))
            expect(page.locator(".seat .avatar svg:visible")).to_have_count(3)
            expect(page.locator(".seat .tag", has_text=team)).to_have_css("position", "static")
            names = page.locator(".seat .name").evaluate_all(
                "all => all.filter(one => one.scrollWidth > one.clientWidth).map(one => one.textContent)"
            )
            assert names + page.evaluate(CUT) + page.evaluate(OUTSIDE) == []
    context.close()


@pytest.mark.parametrize("seat", [0, 1])
def test_the_end_is_told_once_and_in_the_second_person(chromium: Browser, seat: int) -> None:
    context, page = stage(chromium, viewport=PHONE)
    position = final("bisca", "target-2_seats")
    position["game"]["viewer"]["seats"] = [seat]
    show(page, position)
    said = {"winner": "You win; {} loses: ", "loser": "You lose; {} wins: "}
    role = "winner" if seat in position["game"]["result"]["winners"] else "loser"
    expect(page.locator(".title")).to_contain_text(said[role].format(NAMES[1 - seat]))
    page.locator(".bar").get_by_role("button", name="Result").click()
    expect(page.locator(".ending h2")).to_contain_text("You have")
    expect(page.locator(".ending .outcome")).to_be_hidden()
    resize(page, 1440, 900)
    expect(page.locator(".ending .outcome")).to_be_visible()
    context.close()


def chosen(page: Page, count: int) -> None:
    """Choose the first cards of the hand, which together the rules refuse."""
    page.evaluate(
        """count => {
            app.composing.force = () => {};
            app.live.judge = async () => ({legal: false, rule: "landlord.combination", reason: "no"});
            const zone = `hand.${app.seat}`;
            const cards = app.game.view.zones[zone].slice(0, count);
            const picks = cards.map((card, index) => ({zone, index, card}));
            app.composing.chose({type: null, values: {}, picks}, app.table());
        }""",
        count,
    )


@pytest.mark.parametrize("language", ["en", "de"])
def test_many_chosen_cards_are_counted(chromium: Browser, language: str) -> None:
    context, page = stage(chromium, language, viewport=PHONE)
    leading = next(
        each for each in positions("landlord", "highest_score-all", 12) if len(each["legal"]["moves"]) > 9
    )
    show(page, in_language(leading, language))
    for count, numbers in ((3, ["1", "2", "3"]), (15, [])):
        chosen(page, count)
        expect(page.locator(".hand .card[aria-pressed=true]")).to_have_count(count)
        orders = page.locator(".hand [data-order]").evaluate_all("all => all.map(one => one.dataset.order)")
        assert orders == numbers
    words = {"en": "Play 15 cards", "de": "15 Karten spielen"}
    expect(page.locator(".bar .send")).to_have_text(words[language])
    assert page.evaluate(CUT) == []
    context.close()


def test_notes_cover_nothing_that_is_pressed_and_go(chromium: Browser) -> None:
    """Words soon, an error later, and what is still true only when somebody closes it."""
    context, page = stage(chromium, viewport=PHONE)
    page.clock.install()
    show(page, positions("cats_and_dogs", GAMES["cats_and_dogs"][0])[0])
    note = page.locator(".trouble")
    for said, soon, later in (("'Done.', true", 0, 0), ("new Error('No.')", 1, 0), ("'Offline.'", 1, 1)):
        page.evaluate(f"app.note({said})")
        expect(note).to_be_visible()
        for seconds, count in ((8, soon), (30, later)):
            page.clock.fast_forward(1000 * seconds)
            expect(note.locator("visible=true")).to_have_count(count)
    note.get_by_role("button", name="Close").click()
    expect(note).to_be_hidden()
    buttons = ".talk-button, .menu > summary, .bar button, .plate a"
    resize(page, *PHONE.values())
    free = page.evaluate(FREE, buttons)
    page.evaluate("said => app.note(said)", "Some words that say a good deal of what has happened. " * 6)
    assert page.evaluate(FREE, buttons) == free
    expect(note.get_by_role("button", name="Close")).to_be_in_viewport(ratio=1)
    context.close()
