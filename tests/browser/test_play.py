"""Playing at the page: a whole game of each ruleset by taps, and one of each by keys alone."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import httpx
import pytest
from playwright.sync_api import Browser, Locator, Route, expect

from tests.browser.games import SHORT, ask
from tests.browser.player import FREE, Player, Typist
from tests.browser.staged import GAMES, positions, show, stage
from tests.support.visitors import PHONE, Visitor, against_bots

pytestmark = pytest.mark.browser


TYPED = ("bisca", "landlord", "palace", "truco")  # by the keyboard; the others in `make faults`


@pytest.mark.parametrize(
    ("how", "ruleset"),
    [
        *((Player, ruleset) for ruleset in SHORT),
        *(pytest.param(Typist, each, marks=[] if each in TYPED else pytest.mark.long) for each in SHORT),
    ],
)
def test_a_whole_game(
    visit: Callable[..., Visitor], app: httpx.Client, ruleset: str, how: type[Player]
) -> None:
    seats, options = SHORT[ruleset]
    game, token = against_bots(app, ruleset, seats, options)
    size = {"width": 1280, "height": 800} if how is Typist else PHONE
    page = visit(viewport=size, reduced_motion="reduce").go(f"/table/{game}#token={token}")
    how(page, random.Random(ruleset)).play()
    shown = ask(app, "GET", f"/v1/games/{game}")
    assert shown["status"] == "finished"
    if shown["result"]["winners"]:
        winner = shown["seats"][shown["result"]["winners"][0]]["player"]
        expect(page.locator(".title")).to_contain_text("You" if winner else "Bot")
    # After the end every hand is visible.
    expect(page.get_by_role("group", name="Version")).to_have_count(0)
    assert not any("hidden" in (zone or "") for zone in page.locator("[data-zone^=hand]").all_inner_texts())


def test_a_card_that_is_pulled_onto_the_felt_is_played(
    visit: Callable[..., Visitor], app: httpx.Client
) -> None:
    """Where it is let go over the hand, nothing happens."""
    game, token = against_bots(app, "cats_and_dogs", 2, {})
    page = visit(reduced_motion="reduce").go(f"/table/{game}#token={token}")
    player = Player(page, random.Random(1))
    assert player.wait_for_turn()
    before, card, felt = player.version(), page.locator(FREE).first, page.locator(".centre")
    name = card.get_attribute("data-card")
    start, end = card.bounding_box(), felt.bounding_box()
    assert start
    assert end
    x, y = start["x"] + 20, start["y"] + 30
    beside, centre = (x + 40, y + 5), (end["x"] + end["width"] / 2, end["y"] + end["height"] / 2)
    for to in (beside, centre):
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(*to, steps=5)
        page.mouse.up()
        if to == beside:
            expect(page.locator(".hand .card[aria-pressed=true]")).to_have_count(0)
            assert player.version() == before
    expect(page.locator(f".hand [data-card={name}]")).to_have_count(0)
    expect(page.locator(f".log [data-card={name}]").first).to_be_attached()


def edge(one: Locator) -> tuple[float, float]:
    """Return a point of a card that no other card covers."""
    box = one.bounding_box()
    assert box
    return box["x"] + 8, box["y"] + box["height"] / 2


def test_a_card_that_is_pulled_onto_an_open_card_is_swapped_for_it(
    visit: Callable[..., Visitor], app: httpx.Client
) -> None:
    """While it is pulled, the table shows where it may go."""
    game, token = against_bots(app, "palace", 2, {})
    page = visit(reduced_motion="reduce").go(f"/table/{game}#token={token}")
    expect(page.locator(".own-zones button.card:not([aria-disabled])").first).to_be_visible()
    expect(page.locator(".panel")).to_be_attached()  # and what lets cards be pulled
    swaps = ask(app, "GET", f"/v1/games/{game}/legal-moves?seat=0")["moves"]
    swap = next(move for move in swaps if move["type"] == "swap")
    card = page.locator(f".hand [data-card='{swap['hand']}']")
    page.mouse.move(*edge(card))
    page.mouse.down()
    page.mouse.move(*edge(page.locator(f".own-zones [data-card='{swap['up']}']")), steps=5)
    shown = page.locator(".own-zones .zone:has(button.card)")
    assert "dashed" in [one.evaluate("one => getComputedStyle(one).outlineStyle") for one in shown.all()]
    page.mouse.up()
    expect(page.locator(f".own-zones [data-card='{swap['hand']}']")).to_be_visible()
    expect(page.locator(f".hand [data-card='{swap['up']}']")).to_be_visible()


def test_a_card_that_is_clicked_twice_at_once_is_played(
    visit: Callable[..., Visitor], app: httpx.Client
) -> None:
    """Also before the page has loaded what a first move does not need."""
    game, token = against_bots(app, "cats_and_dogs", 2, {})
    visitor = visit(reduced_motion="reduce")
    held: list[Route] = []
    visitor.page.route("**/table/aside.js", lambda route: held.append(route))
    page = visitor.go(f"/table/{game}#token={token}")
    assert Player(page, random.Random(1)).wait_for_turn()
    card = page.locator(FREE).first
    name = card.get_attribute("data-card")
    with page.expect_response(re.compile("/moves$")) as answer:
        card.dblclick()
    assert answer.value.request.post_data_json["move"]["card"] == name


def test_a_card_that_is_pulled_is_played_without_the_others_of_its_rank(chromium: Browser) -> None:
    """A tap takes them with it, and shows what would be played."""
    context, page = stage(chromium)
    position = positions("palace", GAMES["palace"][-1], 12)[0]
    moves = position["legal"]["moves"]
    name, other = next(move["cards"] for move in moves if len(move["cards"]) == 2)
    assert {"type": "play", "cards": [name]} in moves
    show(page, position)
    page.evaluate("() => { app.live.move = async (seat, move) => { window.sent = move; }; }")
    card = page.locator(f".hand [data-card='{name}']").first
    card.click(position={"x": 6, "y": 20})
    expect(page.locator(f".hand [data-card='{other}'][aria-pressed=true]")).to_have_count(1)
    page.get_by_role("button", name="Clear").click()
    start, end = card.bounding_box(), page.locator(".centre").bounding_box()
    assert start
    assert end
    page.mouse.move(start["x"] + 6, start["y"] + 20)
    page.mouse.down()
    page.mouse.move(end["x"] + end["width"] / 2, end["y"] + end["height"] / 2, steps=5)
    page.mouse.up()
    page.wait_for_function("() => window.sent")
    assert page.evaluate("sent.cards") == [name]
    context.close()
