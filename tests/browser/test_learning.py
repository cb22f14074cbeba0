"""A newcomer learns at the table: what a game is like, how to play it, and what a good move is."""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from playwright.sync_api import APIResponse, Browser, Page, Route, expect

import referee
import referee.bots
import referee.texts
from api.core import languages
from tests.browser.games import ask
from tests.browser.player import Player
from tests.browser.staged import (
    GAMES,
    HIDDEN,
    in_language,
    positions,
    resize,
    show,
    stage,
)
from tests.support.visitors import PHONE, Visitor, against_bots, choose, menu, start

pytestmark = pytest.mark.browser


def seated(page: Page, ruleset: str) -> Page:
    start(page, ruleset)
    expect(page.locator(".own .hand .card").first).to_be_visible()
    return page


def test_each_tile_says_what_its_game_is_like(visit: Callable[..., Visitor]) -> None:
    page = visit().go("/")
    for rules in referee.newest():
        tile = page.locator(f"[data-ruleset={rules.ID}]")
        minutes = referee.texts.tile(rules)["minutes"]
        expect(tile).to_contain_text(re.compile(f"players? · {minutes} minutes · (easy|medium|hard)"))
        expect(tile.locator(".card .whole-face")).to_have_count(3)
        summary = referee.texts.guide(rules.ID, rules.VERSION).summary
        assert f"About {minutes} minutes" in summary
    page.set_viewport_size(PHONE)
    choose(page, "pies")
    expect(page.locator("#summary")).to_have_text(referee.texts.guide("pies").summary)
    expect(page.locator("#summary")).to_be_visible()


def test_a_newcomer_gets_help_at_the_table(visit: Callable[..., Visitor]) -> None:
    visitor = visit(reduced_motion="reduce")
    page = seated(visitor.go("/"), "cats_and_dogs")
    expect(page.locator(".advice")).to_have_text(re.compile(r"^New here\? [^.]+\. [^.]+\.$"))
    expect(page.locator(".hand .card[data-tip]")).to_have_count(1)  # which glows before anything is asked for
    tip = page.get_by_role("button", name="Tip", exact=True)
    tip.click()
    says = page.locator(".advice")
    expect(says).to_contain_text("A good choice: ")
    expect(page.locator(".hand .card[data-tip]")).to_have_count(1)
    expect(page.locator(".hand .card[aria-pressed=true]")).to_have_count(0)
    tip.click()
    expect(page.locator(".hand .card[data-tip][aria-pressed=true]")).to_have_count(1)
    send = page.locator("button.send:not(:disabled), button.direct.tipped").first
    expect(says).to_have_text(f"A good move: {send.inner_text().lower()}.")
    assert sum("/suggestion" in url for url in visitor.asked) == 1, "what glows first is what Tip says"
    version = page.locator(".where").inner_text()
    send.click()
    expect(page.locator(".where")).not_to_have_text(version)
    page.get_by_role("tab", name="How to play").click()
    expect(page.locator(".how-to")).to_contain_text("Collect ribbons")
    expect(page.locator(".how-to")).not_to_contain_text("`")
    expect(page.locator(".how-to").get_by_role("link", name="All rules")).to_have_attribute(
        "href", re.compile("/docs/rules/cats_and_dogs$")
    )


class Held:
    """Holds the answer to the first request for an address back until it is released."""

    def __init__(self, page: Page, address: re.Pattern[str]) -> None:
        self.asked = 0
        self.answers: list[tuple[Route, APIResponse]] = []
        page.route(address, self.hold)

    def hold(self, route: Route) -> None:
        self.asked += 1
        if self.asked == 1:
            self.answers.append((route, route.fetch()))
        else:
            route.continue_()

    def release(self, of_later: int = 0) -> None:
        """Let the answer go, as one for a version that is so much later."""
        route, answer = self.answers.pop()
        found = answer.json()
        route.fulfill(json={**found, "version": found["version"] + of_later})


SUGGESTION = re.compile("/suggestion")
BOT_CHOOSES = re.compile("A good choice: ")
WELCOMED = (
    "localStorage.setItem('card-referee:prefers:welcomed:cats_and_dogs', 2)"  # and needs no first steps
)


@pytest.fixture
def held(visit: Callable[..., Visitor], app: httpx.Client) -> tuple[Page, Held, str]:
    """Return a table at the player's turn, where an answer with a tip is held back, and the game."""
    game, token = against_bots(app, "cats_and_dogs", 2, {})
    visitor = visit(reduced_motion="reduce")
    visitor.page.add_init_script(WELCOMED)
    page = visitor.go(f"/table/{game}#token={token}")
    held = Held(page, SUGGESTION)
    page.get_by_role("button", name="Tip", exact=True).click()
    while not held.answers:
        page.wait_for_timeout(50)
    expect(page.locator(".advice")).to_have_text("Looking for a good move …")
    return page, held, game


def speak(page: Page, app: httpx.Client, game: str) -> None:
    """Say something in a game, which is a version of its own, and wait until the table shows it."""
    where = page.locator(".where").inner_text()
    ask(app, "POST", f"/v1/games/{game}/messages", json={"text": "Good luck!"})
    expect(page.locator(".where")).not_to_have_text(where)


def test_a_tip_is_not_lost_when_the_table_is_drawn_again(held: tuple[Page, Held, str]) -> None:
    page, answer, _ = held
    with page.expect_response(re.compile("/orders")):
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")  # reads orders, and draws
    page.wait_for_timeout(100)
    answer.release()
    expect(page.locator(".advice")).to_have_text(BOT_CHOOSES)
    assert answer.asked == 1


def test_a_tip_that_was_overtaken_is_asked_for_again(held: tuple[Page, Held, str], app: httpx.Client) -> None:
    """Somebody says something meanwhile, so the answer is for an earlier version; the turn goes on."""
    page, answer, game = held
    speak(page, app, game)
    answer.release()
    expect(page.locator(".advice")).to_have_text(BOT_CHOOSES)
    assert answer.asked == 2


def test_a_tip_for_a_version_that_the_table_does_not_have_is_asked_for_again(
    held: tuple[Page, Held, str],
) -> None:
    page, answer, _ = held
    answer.release(of_later=1)
    expect(page.locator(".advice")).to_have_text(BOT_CHOOSES)
    assert answer.asked == 2


def test_a_tip_that_is_no_longer_wanted_is_not_taken(held: tuple[Page, Held, str]) -> None:
    page, answer, _ = held
    page.locator(".own .hand button.card[aria-pressed=false]:not([aria-disabled])").first.click()
    chosen = page.locator("button.send:not(:disabled)").first.inner_text()
    answer.release()
    page.wait_for_timeout(300)
    expect(page.locator("button.send:not(:disabled)").first).to_have_text(chosen)
    expect(page.locator(".advice")).not_to_have_text(BOT_CHOOSES)


def test_a_pressed_button_stays_when_words_come(visit: Callable[..., Visitor], app: httpx.Client) -> None:
    """Words that come between press and release draw the bar again, and leave its buttons where they are."""
    game, token = against_bots(app, "cats_and_dogs", 2, {})
    page = visit(reduced_motion="reduce").go(f"/table/{game}#token={token}")
    tip = page.get_by_role("button", name="Tip", exact=True)
    expect(tip).to_be_visible()
    page.evaluate("""() => new MutationObserver(all => (window.gone ||= all.some(one =>
        [...one.removedNodes].some(node => node.matches?.("button"))))).observe(
            document.querySelector(".bar"), {childList: true, subtree: true})""")
    tip.hover()
    page.mouse.down()
    speak(page, app, game)
    assert not page.evaluate("window.gone")
    page.mouse.up()
    expect(page.locator(".advice")).to_have_text(BOT_CHOOSES)


def test_what_stays_in_a_list_is_not_moved(visit: Callable[..., Visitor]) -> None:
    """To move an element takes its focus away, and the click of who presses it just then."""
    stayed = (
        visit()
        .go("/record")
        .evaluate("""async () => {
        const {h, patch} = await import("/web/table/dom.js");
        const list = h("div");
        document.body.append(list);
        const show = (...keys) => patch(list, keys, String, () => h("button"));
        show("a", "b", "c");
        list.children[1].focus();
        show("b", "d");
        const keys = [...list.children].map(({dataset}) => dataset.key);
        return [document.activeElement === list.children[0], ...keys];
    }""")
    )
    assert stayed == [True, "b", "d"]


def test_how_to_play_is_a_sheet_on_a_phone(visit: Callable[..., Visitor]) -> None:
    page = seated(visit(viewport=PHONE, reduced_motion="reduce").go("/"), "cats_and_dogs")
    menu(page, "How to play")
    expect(page.locator(".panel.sheet .how-to h2")).to_be_in_viewport(ratio=1)
    page.locator(".panel").get_by_role("button", name="Close").click()
    expect(page.locator(".own .hand .card").first).to_be_in_viewport()


@pytest.mark.parametrize("rules", referee.newest(), ids=lambda rules: rules.ID)
def test_every_game_has_a_guide_with_tips_for_its_moves(rules: referee.Ruleset) -> None:
    guide = referee.texts.guide(rules.ID, rules.VERSION)
    tips = re.findall(r"^- `(\w+)` — .+$", guide.how_to_play, re.M)
    talk = {kind for kind, fields in rules.MOVES.items() if "text" in fields}
    assert sorted(tips) == sorted(set(rules.MOVES) - talk)
    assert 80 < len(guide.how_to_play.split()) < 280


# --- a guided first game ----------------------------------------------------------------------------------

SIZES = {"phone": PHONE, "desktop": {"width": 1440, "height": 900}}


def guided(page: Page, ruleset: str) -> Page:
    choose(page, ruleset)
    page.get_by_role("button", name="Learn by playing").click()
    expect(page.locator(".guide")).to_be_visible()
    return page


IS_TURN = """() => !document.querySelector(".guide") ||
    [...document.querySelectorAll(".guide > button:not(.close, [hidden])")].length"""


def follow(page: Page, player: Player) -> bool:
    """At the player's turn read what the guide says and do it; return False once there is no guide."""
    page.wait_for_function(IS_TURN)
    guide = page.locator(".guide")
    if not guide.count():
        return False
    button = guide.locator("> button").first
    pressed = button.inner_text()
    if pressed == "Show me":
        button.click()
        expect(guide).to_contain_text("It is chosen")
        before = player.version()
        send = "button.send:not(:disabled), .direct.tipped:not(:disabled)"
        page.locator(send).first.click()
        page.wait_for_function(
            "before => Number(document.querySelector('.where').textContent.split('/')[1]) > before",
            arg=before,
        )
        player.check_silence()
    else:
        button.click()
    return pressed != "Play on"


@pytest.mark.parametrize("size", SIZES)
def test_a_newcomer_is_guided_through_a_first_hand(visit: Callable[..., Visitor], size: str) -> None:
    """Step by step: the aim, how to move, and at each turn a good move and why; then the guide goes."""
    page = guided(visit(viewport=SIZES[size], reduced_motion="reduce").go("/"), "truco")
    guide = page.locator(".guide")
    expect(guide).to_contain_text("Aim. Win hands with your partner")
    expect(page.locator(".bar button.tip")).to_have_count(0)
    assert page.evaluate(HIDDEN) == []
    guide.get_by_role("button", name="Next").click()
    expect(guide).to_contain_text("Your turn. Play any of your three cards")
    guide.get_by_role("button", name="Next").click()
    expect(guide).to_contain_text("A good move: ")
    tips = re.findall(r"^- `\w+` — (.+)$", referee.texts.guide("truco").how_to_play, re.M)
    assert any(tip in guide.inner_text() for tip in tips)
    assert page.evaluate(HIDDEN) == []
    page.reload()
    expect(guide).to_be_visible()
    player = Player(page, random.Random(1))
    for _ in range(40):
        if not follow(page, player):
            break
    expect(guide).to_have_count(0)
    expect(page.locator(".log, .panel").first).to_be_attached()
    page.reload()
    expect(page.locator(".own")).to_be_visible()
    expect(guide).to_have_count(0)


def test_the_guide_goes_when_the_player_says_so(visit: Callable[..., Visitor]) -> None:
    page = guided(visit(viewport=PHONE, reduced_motion="reduce").go("/"), "palace")
    page.get_by_role("button", name="End the guide").click()
    expect(page.locator(".guide")).to_have_count(0)
    page.reload()
    expect(page.locator(".own .hand .card").first).to_be_visible()
    expect(page.locator(".guide")).to_have_count(0)
    menu(page, "Guide me through the game")
    expect(page.locator(".guide")).to_contain_text("Aim.")


def alone(position: dict[str, Any]) -> dict[str, Any]:
    """Return a position of a game in which all others are bots."""
    found = copy.deepcopy(position)
    for seat in found["game"]["seats"]:
        if seat["seat"] not in found["game"]["viewer"]["seats"]:
            seat.update(player=None, bot="cautious")
    return found


BEGIN = "import('/web/play/guide.js').then(({begin}) => begin(window.app))"


@pytest.mark.parametrize("ruleset", GAMES)
def test_the_guide_hides_nothing_in_any_game(chromium: Browser, ruleset: str) -> None:
    context, page = stage(chromium)
    hidden = {}
    for record in GAMES[ruleset]:
        for number, position in enumerate(positions(ruleset, record)):
            show(page, alone(position))
            page.evaluate(BEGIN)
            guide = page.locator(".guide")
            expect(guide).to_contain_text("A good move: ")
            for width, height in ((320, 568), (390, 844), (844, 390), (1024, 768), (1440, 900)):
                resize(page, width, height)
                found = page.evaluate(HIDDEN)
                if width == 320:  # where there are many seats, cards are narrow
                    found = [each for each in found if "pixels wide" not in each]
                if found:
                    hidden[record, number, width, height] = found
            page.get_by_role("button", name="End the guide").click()
    context.close()
    assert hidden == {}


def test_a_ruleset_without_texts_has_a_guide_too(chromium: Browser) -> None:
    context, page = stage(chromium)
    position = alone(positions("pies", "ace")[0])
    position["ruleset"].update(how_to_play="", summary="", rules=[], words={})
    show(page, position)
    page.evaluate(BEGIN)
    expect(page.locator(".guide")).to_contain_text("A good move: ")
    position["ruleset"]["rules"] = [{"id": f"pies.{kind}", "text": f"{kind}, in words", "refuses": False}
                                    for kind in position["ruleset"]["moves"]]  # fmt: skip
    show(page, position)
    page.get_by_role("button", name="End the guide").click()
    page.evaluate(BEGIN)
    expect(page.locator(".guide")).to_contain_text(", in words")
    context.close()


def test_with_doubled_text_the_guide_can_be_read_and_pressed(chromium: Browser) -> None:
    context, page = stage(chromium)
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    show(page, alone(positions("truco", "target-played")[0]))
    resize(page, *PHONE.values())
    page.evaluate(BEGIN)
    expect(page.locator(".guide")).to_contain_text("A good move: ")
    boxes = """[".guide", ".guide .words", ".guide > button"].map(one => {
        const {top, bottom, width} = document.querySelector(one).getBoundingClientRect();
        return {top, bottom, width};
    })"""
    for _ in ("a good move", "a lesson"):
        guide, words, button = page.evaluate(boxes)
        assert button["top"] >= guide["top"]
        assert button["bottom"] <= guide["bottom"], "not below what scrolls"
        assert words["width"] > 100
        page.evaluate("(guide => { guide.read = 0; guide.due = 3; guide.draw(); })(app.guide)")
        expect(page.locator(".guide")).to_contain_text("Aim.")
    context.close()


RAW = re.compile(r"\b(Seat|Platz|Asiento|Lugar) \d|blocking|\blimit|\bmultiple |: –", re.IGNORECASE)


@pytest.mark.parametrize("language", languages.NAMES)
def test_people_read_neither_names_of_fields_nor_numbers_of_seats(chromium: Browser, language: str) -> None:
    context, page = stage(chromium, language)
    for ruleset, fact in (("pies", None), ("landlord", {"kind": "multiple_pair"})):
        position = copy.deepcopy(in_language(positions(ruleset, GAMES[ruleset][0])[0], language))
        position["game"]["seats"][0].update(player=None, open=True)
        if fact is not None:
            position["game"]["view"]["facts"]["combo"] = {**fact, "size": 6, "rank": "9", "seat": 0}
        show(page, position)
        page.locator("[role=tab]").nth(3).click()
        shown = page.locator(".app").inner_text() + page.locator(".about").inner_text()
        labels = page.locator("[aria-label]").evaluate_all("all => all.map(one => one.ariaLabel).join('\\n')")
        assert RAW.findall(shown + labels) == []
    context.close()


def test_who_starts_reads_of_players(visit: Callable[..., Visitor]) -> None:
    page = visit().go("/")
    choose(page, "pies")
    expect(page.locator("#others .other")).to_contain_text(["Player 2", "Player 3", "Player 4"])
