"""Laying out the next moves on the others' turn: they are standing orders, shown at the own table alone."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from playwright.sync_api import Locator, Page, Route, expect

import referee
from tests.browser.games import SHORT, Table, ask, sit_down
from tests.support.visitors import PHONE, Visitor, menu, violations

pytestmark = pytest.mark.browser
DESKTOP = {"width": 1280, "height": 800}
WAYS = ("mouse", "touch", "keys")
LAY = re.compile("Lay it out for your turn$")


def open_table(visit: Callable[..., Visitor], table: Table, seat: int, **settings: Any) -> Visitor:
    visitor = visit(**{"reduced_motion": "reduce", **settings})
    visitor.go(f"/table/{table.game}#token={table.tokens[seat]}")
    expect(visitor.page.locator(".own .hand button.card").first).to_be_visible()
    return visitor


def stored(table: Table, seat: int) -> list[dict[str, Any]]:
    headers = {"Authorization": f"Bearer {table.tokens[seat]}"}
    return ask(table.app, "GET", f"/v1/games/{table.game}/orders?seat={seat}", headers=headers)["orders"]


def seen_by(table: Table, seat: int) -> list[Any]:
    """Return all that another seat gets to see of the game."""
    headers = {"Authorization": f"Bearer {table.tokens[seat]}"}
    paths = ("", "/events?limit=200")
    return [ask(table.app, "GET", f"/v1/games/{table.game}{path}", headers=headers) for path in paths]


def axe_is_silent(page: Page) -> None:
    assert violations(page) == []


def press(page: Page, target: Locator, way: str) -> None:
    """Use a card, at its left edge, which no other card covers, or a button."""
    edge = {"x": 6, "y": 20} if "card" in (target.get_attribute("class") or "").split() else None
    if way == "keys":
        target.focus()
        page.keyboard.press("Space")
    elif way == "touch":
        target.tap(position=edge)
    else:
        target.click(position=edge)


@pytest.mark.parametrize("way", WAYS)
def test_cards_are_laid_out_before_the_own_turn(
    visit: Callable[..., Visitor], app: httpx.Client, way: str
) -> None:
    table = sit_down(app, "cats_and_dogs", 3)
    [first] = table.now()["to_act"]
    seat, third = (first + 1) % 3, (first + 2) % 3
    phone = {"viewport": PHONE, "has_touch": True} if way == "touch" else {"viewport": DESKTOP}
    page = open_table(visit, table, seat, **phone).page
    before = seen_by(table, third)
    says = page.locator(".bar .says")
    expect(says).to_contain_text("Tap cards to lay out your next move")
    cards = page.locator(".hand button.card")
    wanted = [card for card in (cards.nth(n).get_attribute("data-card") for n in (0, 2)) if card]
    for n, place in enumerate((0, 2), 1):
        press(page, cards.nth(place), way)
        expect(cards.nth(place)).to_have_attribute("aria-pressed", "true")
        if way == "keys":
            page.keyboard.press("Enter")
        else:
            press(page, page.get_by_role("button", name=LAY), way)
        expect(cards.nth(place)).to_have_attribute("data-laid", str(n))
        expect(says).to_contain_text("Laid out: Play")
    expect(page.locator(".bar button.laid")).to_have_count(2)
    axe_is_silent(page)
    assert [order["move"]["card"] for order in stored(table, seat)] == wanted
    assert seen_by(table, third) == before
    page.reload()
    expect(page.locator(".hand [data-laid]")).to_have_count(2)
    press(page, page.locator(".bar button.laid").first, way)
    expect(page.locator(".hand [data-laid]")).to_have_count(1)
    press(page, page.locator(".hand [data-laid]"), way)
    expect(page.locator(".hand [data-laid]")).to_have_count(0)
    expect(page.locator(".bar button.laid")).to_have_count(0)
    assert stored(table, seat) == []
    assert seen_by(table, third) == before


def waiting(table: Table, choices: random.Random) -> tuple[int, str]:
    """Play on until a seat that is not awaited has cards that a move of this phase plays; return both."""
    ruleset = ask(table.app, "GET", f"/v1/rulesets/{table.now()['ruleset']}")
    for _ in range(60):
        view = table.now()["view"]
        specs = [ruleset["moves"][name] for name in ruleset["phases"][view["phase"]]]
        if any({"card", "cards"} & set(spec.get("required", ())) for spec in specs):
            for seat in range(len(table.tokens)):
                if seat not in view["to_act"] and view["zones"].get(f"hand.{seat}"):
                    return seat, view["phase"]
        table.play(1, choices)
    raise AssertionError("nobody ever waits with cards")


@pytest.mark.parametrize("ruleset", [*SHORT])
def test_the_next_card_of_any_game_is_played_or_dropped_with_a_word(
    visit: Callable[..., Visitor], app: httpx.Client, ruleset: str
) -> None:
    seats, options = SHORT[ruleset]
    table = sit_down(app, ruleset, seats, options=options)
    choices = random.Random(7)
    seat, _ = waiting(table, choices)
    page = open_table(visit, table, seat, viewport=PHONE).page
    press(page, page.locator(".hand button.card").first, "mouse")
    page.get_by_role("button", name=LAY).first.click()
    expect(page.locator(".hand [data-laid='1']")).to_have_count(1)
    [order] = stored(table, seat)
    since = table.now()["version"]
    for _ in range(40):
        game = table.now()
        if seat in game["to_act"]:
            break
        other = choices.choice(game["to_act"])
        move = choices.choice(referee.legal_moves(referee.read(game["view"]), other))
        ask(app, "POST", f"/v1/games/{table.game}/moves", json={"seat": other, "move": move})
        if not stored(table, seat):
            break
    entries = ask(app, "GET", f"/v1/games/{table.game}/events?after={since}&limit=200")["items"]
    played = [entry for entry in entries if entry.get("order")]
    expect(page.locator("[data-laid]")).to_have_count(0)
    assert stored(table, seat) == []
    if played:
        assert [entry["seat"] for entry in played] == [seat]
    else:
        expect(page.locator(".trouble")).to_contain_text("was not played")
        assert order["move"]["type"].capitalize() in page.locator(".trouble").inner_text()


def test_a_chain_is_played_turn_by_turn(visit: Callable[..., Visitor], app: httpx.Client) -> None:
    table = sit_down(app, "cats_and_dogs", 3)  # in which every card is legal
    game = table.now()
    [first] = game["to_act"]
    seat = (first + 1) % 3
    page = open_table(visit, table, seat, viewport=PHONE).page
    for place in (0, 1):
        press(page, page.locator(".hand button.card").nth(place), "mouse")
        page.get_by_role("button", name=LAY).click()
        expect(page.locator(".hand [data-laid]")).to_have_count(place + 1)
    wanted = [order["move"] for order in stored(table, seat)]
    played: list[Any] = []
    while len(played) < 2 and (game := table.now())["status"] == "running":
        mover = game["to_act"][0]
        legal = referee.legal_moves(referee.read(game["view"]), mover)
        move = next(each for each in legal if each["type"] == "play")
        ask(app, "POST", f"/v1/games/{table.game}/moves", json={"seat": mover, "move": move})
        entries = ask(app, "GET", f"/v1/games/{table.game}/events?limit=200")["items"]
        played = [entry["move"] for entry in entries if entry.get("order")]
        expect(page.locator(".hand [data-laid]")).to_have_count(2 - len(played))
    assert played == wanted


def next_to_act(visit: Callable[..., Visitor], app: httpx.Client) -> tuple[Table, int, Visitor]:
    """Return a game of three, the seat whose turn comes next, and its player at the table."""
    table = sit_down(app, "cats_and_dogs", 3)
    seat = (table.now()["to_act"][0] + 1) % 3
    return table, seat, open_table(visit, table, seat)


def is_refused_once(visitor: Visitor) -> None:
    assert [said for said in visitor.complaints if "412" not in said] == []
    visitor.complaints.clear()


def test_two_devices_never_overwrite_what_the_other_laid_out(
    visit: Callable[..., Visitor], app: httpx.Client
) -> None:
    table, seat, visitor = next_to_act(visit, app)
    page = visitor.page
    cards = page.locator(".hand button.card")
    kept = {"move": {"type": "play", "card": cards.nth(3).get_attribute("data-card")}}
    headers = {"Authorization": f"Bearer {table.tokens[seat]}"}
    body = {"seat": seat, "orders": [kept]}
    ask(app, "PUT", f"/v1/games/{table.game}/orders", json=body, headers=headers)
    lay_out(page, 0)
    expect(page.locator(".bar .says")).to_contain_text("changed elsewhere")
    expect(page.locator(".hand [data-laid]")).to_have_count(1)
    assert stored(table, seat) == [kept]
    is_refused_once(visitor)


def test_a_card_laid_out_behind_one_that_was_just_played_is_not_kept(
    visit: Callable[..., Visitor], app: httpx.Client
) -> None:
    """The turn came while the page still showed the others' moves; nobody else has changed anything."""
    table, seat, visitor = next_to_act(visit, app)
    page = visitor.page
    lay_out(page, 1)
    expect(page.locator(".hand [data-laid]")).to_have_count(1)

    def late(route: Route) -> None:
        if route.request.method == "PUT" and stored(table, seat):
            table.play(1, random.Random(1))
            while stored(table, seat):
                time.sleep(0.1)
        route.continue_()

    page.route(f"**/v1/games/{table.game}/orders", late)
    lay_out(page, 3)
    expect(page.locator(".bar .says")).to_contain_text("has been played meanwhile")
    assert stored(table, seat) == []
    is_refused_once(visitor)


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_orders_are_made_in_the_dialog(
    visit: Callable[..., Visitor], app: httpx.Client, size: dict[str, int]
) -> None:
    table = sit_down(app, "pedro", 4)
    choices = random.Random(3)
    while table.now()["view"]["phase"] != "bid":
        table.play(1, choices)
    [first] = table.now()["to_act"]
    seat = (first + 1) % 4
    page = open_table(visit, table, seat, viewport=size).page
    menu(page, "Standing orders")
    dialog = page.get_by_role("dialog")
    for said in ("Pass", "Bid"):
        dialog.get_by_label("Kind of move").select_option(label=said)
        if said == "Bid":
            dialog.locator(".move").first.get_by_label("Points").fill("8")
        dialog.get_by_role("button", name="Add").click()
        expect(dialog.locator(".chain li").last).to_contain_text(said)
    dialog.get_by_label("Kind of move").select_option("play")
    shown = dialog.locator("select[name=card] option").evaluate_all("all => all.map(one => one.value)")
    hand = ask(app, "GET", f"/v1/games/{table.game}")["view"]["zones"][f"hand.{seat}"]
    assert sorted(filter(None, shown)) == sorted(hand)
    wanted: list[Any] = [{"move": {"type": "pass"}}, {"move": {"type": "bid", "points": 8}}]
    assert stored(table, seat) == wanted
    axe_is_silent(page)
    dialog.get_by_role("button", name="Remove order 1").click()
    expect(dialog.locator(".chain li")).to_have_count(1)
    dialog.get_by_role("button", name="Close").click()
    assert stored(table, seat) == wanted[1:]
    body = {"seat": first, "move": {"type": "bid", "points": 7}}
    ask(app, "POST", f"/v1/games/{table.game}/moves", json=body)
    expect(page.locator(".hand-over")).to_have_text("Played as you had laid it out: bid 8.")
    expect(page.locator(".log")).to_contain_text("8")
    assert stored(table, seat) == []


def lay_out(page: Page, place: int) -> None:
    press(page, page.locator(".hand button.card").nth(place), "mouse")
    page.get_by_role("button", name=LAY).first.click()


def call_truco(table: Table) -> int:
    """Let the seat to act call truco, which all orders to play a card come to an end by; return the seat."""
    [first] = table.now()["to_act"]
    body = {"seat": first, "move": {"type": "truco"}}
    ask(table.app, "POST", f"/v1/games/{table.game}/moves", json=body)
    return first


def test_a_card_that_is_laid_out_too_late_says_that_it_was_dropped(
    visit: Callable[..., Visitor], app: httpx.Client
) -> None:
    table = sit_down(app, "truco", 4)
    seat = (table.now()["to_act"][0] - 1) % 4
    page = open_table(visit, table, seat).page
    held: list[Route] = []
    page.route("**/orders", lambda route: held.append(route))
    lay_out(page, 0)
    page.wait_for_timeout(200)
    call_truco(table)
    expect(page.locator(".title.yours")).to_be_visible()
    [late] = held
    late.continue_()
    expect(page.locator(".trouble")).to_contain_text("was not played: no such move is possible now")
    expect(page.locator(".bar .says")).not_to_contain_text("Laid out")
    assert stored(table, seat) == []


def test_a_card_that_is_laid_out_is_shown_although_the_answer_was_lost(
    visit: Callable[..., Visitor], app: httpx.Client
) -> None:
    table = sit_down(app, "truco", 4)
    visitor = open_table(visit, table, (table.now()["to_act"][0] - 1) % 4)
    page = visitor.page

    def lose(route: Route) -> None:
        route.fetch()
        route.abort()

    page.route("**/orders", lose)
    lay_out(page, 0)
    expect(page.locator(".trouble")).to_contain_text("Connection lost")
    page.unroute("**/orders")
    expect(page.locator(".hand [data-laid]")).to_have_count(1)
    expect(page.locator(".trouble")).to_be_hidden()
    page.route("**/orders", lambda route: route.abort())
    lay_out(page, 1)
    expect(page.locator(".advice")).to_contain_text("so nothing was changed")
    expect(page.locator(".hand [data-laid]")).to_have_count(1)
    assert {said for said in visitor.complaints if "net::ERR_FAILED" not in said} == set()
    visitor.complaints.clear()


def test_why_a_card_was_dropped_is_told_when_the_table_is_opened_again(
    visit: Callable[..., Visitor], app: httpx.Client
) -> None:
    table = sit_down(app, "truco", 4)
    seat = (table.now()["to_act"][0] - 1) % 4
    page = open_table(visit, table, seat).page
    lay_out(page, 0)
    expect(page.locator(".hand [data-laid]")).to_have_count(1)
    page.goto("about:blank")
    call_truco(table)
    body = {"seat": (seat + 2) % 4, "move": {"type": "accept"}}
    ask(app, "POST", f"/v1/games/{table.game}/moves", json=body)
    page.go_back()
    expect(page.locator(".trouble")).to_contain_text("was not played")
    page.reload()
    expect(page.locator(".hand button.card").first).to_be_visible()
    expect(page.locator(".trouble")).to_be_hidden()


def test_another_device_shows_what_is_left_of_a_chain(
    visit: Callable[..., Visitor], app: httpx.Client
) -> None:
    table = sit_down(app, "truco", 4)
    [first] = table.now()["to_act"]
    seat = (first - 1) % 4
    other = open_table(visit, table, seat).page
    page = open_table(visit, table, seat).page
    for place in (0, 1):
        lay_out(page, place)
        expect(page.locator(".hand [data-laid]")).to_have_count(place + 1)
    legal = referee.legal_moves(referee.read(table.now()["view"]), first)
    body = {"seat": first, "move": next(move for move in legal if move["type"] == "play")}
    ask(app, "POST", f"/v1/games/{table.game}/moves", json=body)
    expect(other.locator(".hand [data-laid]")).to_have_count(1)


def test_another_device_shows_a_new_chain_at_the_next_event(
    visit: Callable[..., Visitor], app: httpx.Client
) -> None:
    table = sit_down(app, "cats_and_dogs", 3)
    [first] = table.now()["to_act"]
    seat = (first + 2) % 3
    other = open_table(visit, table, seat).page
    lay_out(open_table(visit, table, seat).page, 0)
    expect(other.locator(".hand [data-laid]")).to_have_count(0)
    assert table.play(1, random.Random(1))["to_act"] != [seat]
    expect(other.locator(".hand [data-laid]")).to_have_count(1)


def test_cards_that_are_laid_out_end_with_the_hand(visit: Callable[..., Visitor], app: httpx.Client) -> None:
    table = sit_down(app, "truco", 4)
    seat = (table.now()["to_act"][0] + 2) % 4  # its partner calls
    page = open_table(visit, table, seat).page
    lay_out(page, 0)
    expect(page.locator(".hand [data-laid]")).to_have_count(1)
    call_truco(table)
    body = {"seat": (seat + 1) % 4, "move": {"type": "fold"}}
    ask(app, "POST", f"/v1/games/{table.game}/moves", json=body)
    expect(page.locator(".trouble")).to_contain_text("was not played: a new hand was dealt")
    expect(page.locator("[data-laid], .bar .laid")).to_have_count(0)
    assert stored(table, seat) == []
