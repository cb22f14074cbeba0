"""The pages in other languages: no English is left, whichever way the language was chosen."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import httpx
import pytest
from playwright.sync_api import Page, expect

import referee
import referee.texts
from api.core import languages
from referee.texts.rulebook import COMMON
from tests.browser.games import SHORT, ask
from tests.support.visitors import PHONE, Visitor, against_bots, menu

pytestmark = pytest.mark.browser

# Every text that somebody can read or hear on a page.
TEXTS = """() => {
    const found = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const others = "script, style, noscript, bdi, body [lang=en], #language";
    const isOther = node => node.parentElement.closest(others);
    while (walk.nextNode()) if (!isOther(walk.currentNode)) found.push(walk.currentNode.data);
    const spoken = ["aria-label", "title", "placeholder", "aria-valuetext"];
    for (const one of document.querySelectorAll("*"))
        found.push(...spoken.filter(name => one.hasAttribute(name)).map(name => one.getAttribute(name)));
    return found.map(text => text.trim()).filter(text => /[a-z]{2}/i.test(text));
}"""
# Names, ids, hashes, addresses, what programs, keys and languages are called, and words that German shares.
SAME = re.compile(
    r"(Bot \d|Card Referee|API|referee verify|[0-9a-f-]{8,}|.*\d{4}.*|[a-z]+\.[a-z_]+"
    r"|Enter|Escape|English|Deutsch|Español|Português|Name|Truco!)"
)


def shown(page: Page) -> set[str]:
    found = page.evaluate(TEXTS)
    return {text for text in found if not SAME.fullmatch(text)}


def allowed(language: str) -> set[str]:
    """Return texts that are the same in a language as in English."""
    catalogue = languages.texts(language)
    games = referee.newest()
    pairs = [pair for game in games for pair in referee.texts.words(game.ID, language).items()]
    pairs += [(text, catalogue.gettext(text)) for text in languages.texts_of_scripts(language)]
    same = {text for text, word in pairs if text == word}
    translated = {text for text, word in pairs if text != word}
    names = {game.NAME for game in games} - translated
    return same | {text.capitalize() for text in same} | names


def places(page: Page) -> Iterator[str]:
    """Open everything that can be opened at a table, and yield what it is."""
    yield "table"
    for tab in page.get_by_role("tab").all():
        if tab.is_visible():
            tab.click()
            yield f"tab {tab.get_attribute('id')}"
    page.keyboard.press("?")
    yield "keys"
    page.keyboard.press("Escape")


def texts_in(visit: Callable[..., Visitor], language: str, path: str) -> set[str]:
    page = visit(locale=language, reduced_motion="reduce", viewport={"width": 1400, "height": 900}).go(path)
    found: set[str] = set()
    if path.startswith("/table"):
        expect(page.locator(".where")).to_contain_text("/")
        expect(page.locator(".bar:not(.idle), .ending h2").first).to_be_attached()
        for _ in places(page):
            found |= shown(page)
    else:
        page.wait_for_load_state("networkidle")
        found = shown(page)
    return found


@pytest.mark.parametrize(
    "path", ["/", "/games", "/ladder", "/docs/rules", "/settings", "/sign-in", "/join", "/record"]
)
def test_no_text_of_a_page_stays_english(visit: Callable[..., Visitor], path: str) -> None:
    english, german = texts_in(visit, "en", path), texts_in(visit, "de", path)
    assert len(german) > 5
    assert english & german - allowed("de") == set()


@pytest.mark.parametrize("ruleset", SHORT)
def test_no_text_of_a_table_stays_english(
    visit: Callable[..., Visitor], app: httpx.Client, ruleset: str
) -> None:
    """The table of each game: title, cards, buttons, log, panel with its guide, and keys."""
    seats, options = SHORT[ruleset]
    game, token = against_bots(app, ruleset, seats, options)
    path = f"/table/{game}#token={token}"
    left = texts_in(visit, "en", path) & texts_in(visit, "de", path)
    assert left - allowed("de") == set()


@pytest.mark.parametrize("ruleset", ["dog_cards", "truco"])
@pytest.mark.parametrize("language", languages.NAMES)
def test_how_to_play_and_tips_are_in_the_reader_s_language_on_a_phone(
    visit: Callable[..., Visitor], app: httpx.Client, language: str, ruleset: str
) -> None:
    seats, options = SHORT[ruleset]
    game, token = against_bots(app, ruleset, seats, options)
    page = visit(locale=language, viewport=PHONE, reduced_motion="reduce").go(f"/table/{game}#token={token}")
    say = languages.texts(language).gettext
    tip = page.get_by_role("button", name=say("Tip"), exact=True)
    expect(tip).to_be_visible()
    menu(page, say("How to play"))
    guide = referee.texts.guide(ruleset, language=language)
    lessons, _, tips = guide.how_to_play.partition("\n\n- ")
    shown = page.locator(".panel.sheet .how-to p")
    lines = [guide.summary, *lessons.replace("*", "").split("\n\n"), say("All rules")]
    expect(shown).to_have_text(lines)
    for paragraph in shown.all():
        paragraph.scroll_into_view_if_needed()
        expect(paragraph).to_be_in_viewport(ratio=0.95)
        assert paragraph.evaluate("each => each.scrollWidth <= each.clientWidth")
    page.locator(".panel").get_by_role("button", name=say("Close")).click()
    why = page.locator(".advice")
    for _ in "the cards", "the move", "why":
        tip.click()
        expect(why).not_to_have_text(say("Looking for a good move …"))
    expect(why).to_contain_text(re.compile("|".join(map(re.escape, re.findall("— (.+)", tips)))))


@pytest.mark.parametrize(("ruleset", "language"), [("pies", "pl"), ("pedro", "lt")])
def test_a_guide_in_a_language_that_the_pages_lack_is_shown_to_who_prefers_it(
    visit: Callable[..., Visitor], app: httpx.Client, ruleset: str, language: str
) -> None:
    """The rest of the page stays English, until a reader chooses a language: then the guide follows."""
    seats, options = SHORT[ruleset]
    game, token = against_bots(app, ruleset, seats, options)
    page = visit(locale=language, reduced_motion="reduce").go(f"/table/{game}#token={token}")
    page.get_by_role("tab", name="How to play").click()
    lead = page.locator(".how-to .lead")
    expect(lead).to_have_text(referee.texts.guide(ruleset, language=language).summary)
    expect(lead).to_have_attribute("lang", language)
    with page.expect_popup() as opened:
        page.locator(".how-to").get_by_role("link", name="All rules").click()
    first = opened.value.locator(f"#exact div[lang={language}] li[id]").first
    expect(first).to_contain_text(referee.texts.rules(ruleset, language=language)[len(COMMON)].text[:30])
    opened.value.wait_for_load_state()  # the page's script hears of the choice
    opened.value.get_by_label("Language").select_option("de")
    expect(opened.value.locator("#exact div[lang=en]")).to_be_attached()
    page.reload()
    page.get_by_role("tab", name="Anleitung").click()
    expect(lead).to_have_text(referee.texts.guide(ruleset, language="de").summary)


def test_a_reader_chooses_a_language_at_the_foot_of_a_page(visit: Callable[..., Visitor]) -> None:
    page = visit(locale="de").go("/")
    expect(page.get_by_role("heading", name="Jetzt spielen")).to_be_visible()
    page.get_by_label("Sprache").select_option("pt")
    expect(page.get_by_role("heading", name="Jogar agora")).to_be_visible()
    page.goto(page.url + "sign-in")
    expect(page.get_by_text("Este servidor não envia e-mails")).to_be_visible()
    assert page.locator("html").get_attribute("lang") == "pt"


def test_a_refusal_has_its_frame_in_the_reader_s_language(
    visit: Callable[..., Visitor], app: httpx.Client
) -> None:
    game, _ = against_bots(app, "bisca", 2, {})
    visitor = visit(locale="es")
    expect(visitor.go(f"/table/{game}").locator("#why")).to_contain_text("No existe esa partida")
    visitor.complaints.clear()  # Chromium's own message about the refusal
    assert ask(app, "GET", "/v1/rulesets/bisca?language=es")["words"]["trick"] == "baza"


REFUSED = """async verdict => {
    window.app = new (await import("/web/table/bar.js")).Bar();
    document.body.append(app.root);
    app.shown = {home: "", ruleset: {id: "bisca"}};
    app.say(verdict);
    return [app.says.firstChild.textContent.trim(), app.says.firstChild.lang];
}"""


def test_what_every_game_refuses_is_said_in_the_reader_s_language(visit: Callable[..., Visitor]) -> None:
    """What only one game refuses is said by its ruleset, and marked as English."""
    page = visit(locale="de").go("/")
    common = {"rule": "common.turn", "reason": "seat 1 may not act now; the game waits for seat 0"}
    assert page.evaluate(REFUSED, common) == ["Sie sind nicht am Zug.", ""]
    own = {"rule": "bisca.lead", "reason": "lead a card"}
    assert page.evaluate(REFUSED, own) == ["Lead a card.", "en"]
