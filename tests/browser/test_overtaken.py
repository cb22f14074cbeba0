"""What a page asks by itself, and a tap, may come a moment too late: nothing is refused, and nobody blamed.

These are the requests that a game which goes on or ends can overtake. Questions about a turn are given up:
tips, first steps, the guide, and whether a move is legal. A move of the player's own is refused, and the page
says that the game has changed. One that the page makes for the player says nothing. Reading (the game, its
log, legal moves, orders) is never refused.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, Request, Route, expect

from tests.browser.games import Table, ask, forced, sit_down
from tests.support.visitors import Visitor, against_bots, menu

pytestmark = pytest.mark.browser

WAITS = 900  # milliseconds, longer than until the page asks why a card cannot be chosen
QUESTION = re.compile(r"/suggestion|/dry-run")
LOCKED = ".hand button.card[aria-disabled]"


class Questions:
    """The questions of a page about a turn, whose answers wait until they are let go."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.routes: list[Route] = []
        self.given_up: list[Request] = []
        page.route(QUESTION, lambda route: self.routes.append(route))
        page.on("requestfailed", self.note)

    def note(self, request: Request) -> None:
        if QUESTION.search(request.url):
            self.given_up.append(request)

    def wait(self) -> None:
        while not self.routes:
            self.page.wait_for_timeout(20)

    def let_go(self) -> None:
        """Let the server answer those that the page has not given up."""
        for route in self.routes:
            if route.request not in self.given_up:
                route.continue_()


def end(app: httpx.Client, game: str) -> None:
    ask(app, "POST", f"/v1/games/{game}/adjudication", json={"winners": [0], "losers": [1]})


def with_bots(visit: Callable[..., Visitor], app: httpx.Client) -> tuple[Page, str]:
    """Open a game at the player's turn, on a device on which its first steps have been shown."""
    game, token = against_bots(app, "cats_and_dogs", 2, {"first": 0})
    visitor = visit(reduced_motion="reduce")
    page = visitor.go("/sign-in")
    page.evaluate("localStorage.setItem('card-referee:prefers:welcomed:cats_and_dogs', '2')")
    page.goto(f"{visitor.base}/table/{game}#token={token}")
    expect(page.locator(".bar:not(.idle)")).to_be_visible()
    return page, game


def ask_for_tip(page: Page) -> None:
    page.get_by_role("button", name="Tip", exact=True).click()


def ask_guide(page: Page) -> None:
    menu(page, "Guide me through the game")


def ask_first_steps(page: Page) -> None:
    page.evaluate("localStorage.removeItem('card-referee:prefers:welcomed:cats_and_dogs')")
    page.reload()


@pytest.mark.parametrize("how", [ask_for_tip, ask_guide, ask_first_steps])
def test_advice_is_given_up_when_the_game_ends(
    visit: Callable[..., Visitor], app: httpx.Client, how: Callable[[Page], None]
) -> None:
    page, game = with_bots(visit, app)
    questions = Questions(page)
    how(page)
    questions.wait()
    end(app, game)
    expect(page.get_by_role("tab", name="Result")).to_have_attribute("aria-selected", "true")
    questions.let_go()
    page.wait_for_timeout(WAITS)
    assert len(questions.given_up) == len(questions.routes)
    expect(page.locator(".bar")).not_to_contain_text("Nothing more can happen")


def test_advice_is_given_up_when_the_player_moves(visit: Callable[..., Visitor], app: httpx.Client) -> None:
    """The server may come to the question after the move, which may have been the last."""
    page, _ = with_bots(visit, app)
    questions = Questions(page)
    ask_for_tip(page)
    questions.wait()
    page.locator(".hand button.card:not([aria-disabled])").first.click()
    with page.expect_response(re.compile("/moves$")):
        page.locator("button.send:not(:disabled)").first.click()
    assert len(questions.given_up) == 1


def leading(app: httpx.Client) -> tuple[Table, int]:
    """Play landlord until somebody leads: not all combinations of cards that are legal then are listed."""
    table = sit_down(app, "landlord", 4)
    choices = random.Random(4)
    while (game := table.now())["view"]["phase"] != "play":
        table.play(1, choices)
    return table, game["to_act"][0]


def opened(visit: Callable[..., Visitor], table: Table, seat: int) -> Page:
    page = visit(reduced_motion="reduce").go(f"/table/{table.game}#token={table.tokens[seat]}")
    expect(page.locator(".bar:not(.idle)")).to_be_visible()
    return page


def judge_choice(page: Page) -> None:
    cards = page.locator(".hand button.card")
    for n in range(4):
        cards.nth(3 * n).click(position={"x": 6, "y": 20})


@pytest.mark.parametrize("is_asked", [True, False], ids=["asked", "about to be asked"])
def test_a_combination_is_not_judged_after_the_end(
    visit: Callable[..., Visitor], app: httpx.Client, is_asked: bool
) -> None:
    table, seat = leading(app)
    page = opened(visit, table, seat)
    questions = Questions(page)
    judge_choice(page)
    if is_asked:
        questions.wait()
    end(app, table.game)
    expect(page.get_by_role("tab", name="Result")).to_have_attribute("aria-selected", "true")
    questions.let_go()
    page.wait_for_timeout(WAITS)
    assert len(questions.given_up) == len(questions.routes)


def following(app: httpx.Client) -> tuple[Table, int]:
    """Play until a seat has some cards that it may play, and some that it may not."""
    table = sit_down(app, "bisca", 4)
    choices = random.Random(2)
    for _ in range(150):
        game = table.now()
        seat = game["to_act"][0]
        moves = ask(app, "GET", f"/v1/games/{table.game}/legal-moves?seat={seat}")["moves"]
        if 0 < sum("card" in move for move in moves) < len(game["view"]["zones"][f"hand.{seat}"]):
            return table, seat
        table.play(1, choices)
    raise AssertionError("nobody ever had to follow")


def test_nobody_is_told_why_a_card_is_locked_after_the_move(
    visit: Callable[..., Visitor], app: httpx.Client
) -> None:
    """A pointer rests on a locked card while its player sends a move by a key."""
    table, seat = following(app)
    page = opened(visit, table, seat)
    questions = Questions(page)
    page.locator(".hand button.card:not([aria-disabled])").first.focus()
    page.keyboard.press("Enter")
    held: list[Route] = []
    page.route(re.compile("/moves$"), lambda route: held.append(route))
    page.locator(LOCKED).first.hover()
    page.keyboard.press("Enter")
    page.wait_for_timeout(WAITS)
    assert questions.routes == []
    held[0].continue_()
    expect(page.locator(".title.yours")).to_have_count(0)


def send_late(page: Page, table: Table, seat: int, send: Callable[[], Any]) -> None:
    """Send a move from a page that has not heard yet that another device has moved for the seat."""
    held: list[Route] = []
    page.route(re.compile("/moves$"), lambda route: held.append(route))
    send()
    while not held:
        page.wait_for_timeout(20)
    version = table.now()["version"]
    legal = ask(table.app, "GET", f"/v1/games/{table.game}/legal-moves?seat={seat}")["moves"]
    headers = {"Authorization": f"Bearer {table.tokens[seat]}"}
    ask(
        table.app,
        "POST",
        f"/v1/games/{table.game}/moves",
        json={"seat": seat, "move": legal[0]},
        headers=headers,
    )
    expect(page.locator(".where")).to_have_text(f"{version + 1}/{version + 1}")
    with page.expect_response(re.compile("/moves$")) as answer:
        held[0].continue_()
    assert answer.value.status == 412


def test_who_moves_too_late_is_told_that_the_game_has_changed(
    visit: Callable[..., Visitor], app: httpx.Client
) -> None:
    table = sit_down(app, "cats_and_dogs", 2)
    seat = table.now()["to_act"][0]
    visitor = visit(reduced_motion="reduce")
    page = opened(lambda **_: visitor, table, seat)
    page.locator(".hand button.card:not([aria-disabled])").first.click()
    send_late(page, table, seat, page.locator("button.send:not(:disabled)").first.click)
    expect(page.locator(".stage")).to_contain_text("The game has changed meanwhile. Look again.")
    visitor.complaints.clear()  # the browser notes the refusal


def test_who_did_nothing_is_told_nothing(visit: Callable[..., Visitor], app: httpx.Client) -> None:
    """The page makes a forced move for a player whose other device has made it."""
    table, seat = forced(app)
    visitor = visit(reduced_motion="reduce")
    page = opened(lambda **_: visitor, table, seat)
    send_late(page, table, seat, lambda: None)
    page.wait_for_timeout(WAITS)
    expect(page.locator(".stage")).not_to_contain_text("The game has changed")
    visitor.complaints.clear()  # the browser notes the refusal


def test_who_may_act_does_not_wait_until_the_others_are_shown(
    visit: Callable[..., Visitor], app: httpx.Client
) -> None:
    table = sit_down(app, "palace", 4)
    path = f"/v1/games/{table.game}"
    page = visit().go(f"/table/{table.game}#token={table.tokens[0]}")
    ready = page.locator(".bar [data-type=ready]")
    expect(ready).to_be_enabled()
    held: list[Route] = []
    page.route(f"**{path}", lambda route: route.continue_() if held else held.append(route))
    page.clock.install()
    page.clock.pause_at("2030-01-01")  # nothing is shown one by one
    for seat in (1, 2, 3):
        ask(app, "POST", f"{path}/moves", json={"seat": seat, "move": {"type": "ready"}})
    while not held:
        page.wait_for_timeout(20)
    held[0].continue_()
    expect(page.locator(".chips")).to_contain_text("Done swapping: Bela, Carl, Dora")
    expect(ready).to_be_enabled()
