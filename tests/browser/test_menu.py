"""The ⋯ menu: days off, orders, take-backs, resigning, one-tap play, and remembered players."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, Route, expect

import referee
from tests.browser.games import Table, ask, sit_down
from tests.browser.player import FREE
from tests.support.visitors import PHONE, Visitor, menu

pytestmark = pytest.mark.browser
TOKENS = """() => [sessionStorage, localStorage].map(store =>
    Object.keys(store).filter(key => key.startsWith("card-referee:token:")).length)"""


def seated(visit: Callable[..., Visitor], table: Table, seat: int) -> Page:
    page = visit(reduced_motion="reduce").go(f"/table/{table.game}#token={table.tokens[seat]}")
    expect(page.locator(".own .hand .card").first).to_be_visible()
    return page


def test_days_off_are_taken(visit: Callable[..., Visitor], app: httpx.Client) -> None:
    pace = {"per_move": "P1D", "on_timeout": "resign", "vacation_days": 10}
    table = sit_down(app, "pies", 4, pace=pace)
    seat = table.now()["to_act"][0]
    page = seated(visit, table, seat)
    menu(page, "Take days off")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("You have 10 left")
    expect(dialog.get_by_label("Days")).to_be_focused()
    dialog.get_by_label("Days").fill("3")
    dialog.get_by_role("button", name="Take them").click()
    expect(page.locator(".log")).to_contain_text("is away until")
    assert table.now()["seats"][seat]["vacation_days"] == 7
    menu(page, "Take days off")
    expect(dialog).to_contain_text("You have 7 left")
    dialog.get_by_role("button", name="No").click()
    assert table.now()["seats"][seat]["vacation_days"] == 7


def test_standing_orders_are_set_played_and_deleted(visit: Callable[..., Visitor], app: httpx.Client) -> None:
    table = sit_down(app, "cats_and_dogs", 3)
    game = table.now()
    [first] = game["to_act"]
    second = (first + 1) % 3
    page = seated(visit, table, second)
    card = page.locator(".hand .card").first.get_attribute("data-card")
    headers = {"Authorization": f"Bearer {table.tokens[second]}"}
    path = f"/v1/games/{table.game}/orders?seat={second}"
    for wanted in (1, 0, 1):
        menu(page, "Standing orders")
        dialog = page.get_by_role("dialog")
        if wanted:
            expect(dialog).to_contain_text("There are none")
            dialog.get_by_label("Kind of move").select_option("play")
            dialog.locator("select[name=card]").select_option(card)
            dialog.get_by_role("button", name="Add").click()
        else:
            expect(dialog.locator("ol li")).to_have_count(1)
            dialog.get_by_role("button", name="Remove all").click()
        expect(dialog.locator("ol li")).to_have_count(wanted)
        orders = [{"type": "play", "card": card}] * wanted
        assert [order["move"] for order in ask(app, "GET", path, headers=headers)["orders"]] == orders
        dialog.get_by_role("button", name="Close").click()
        expect(dialog).to_have_count(0)
    move = referee.legal_moves(referee.read(game["view"]), first)[0]
    ask(app, "POST", f"/v1/games/{table.game}/moves", json={"seat": first, "move": move})
    made = table.now()["version"]
    expect(page.locator(".where")).to_have_text(f"{made}/{made}")
    entries = ask(app, "GET", f"/v1/games/{table.game}/events?after={game['version']}")["items"]
    moves = [entry for entry in entries if entry["type"] == "moved"]
    assert [entry["seat"] for entry in moves] in ([first, second], [first])
    if len(moves) == 1:  # the lead made it illegal: the page says why it was cancelled
        menu(page, "Standing orders")
        expect(page.get_by_role("dialog")).to_contain_text("was not played")


def test_orders_that_another_device_has_changed_are_shown_and_not_overwritten(
    visit: Callable[..., Visitor], app: httpx.Client
) -> None:
    table = sit_down(app, "cats_and_dogs", 3)
    second = (table.now()["to_act"][0] + 1) % 3
    visitor = visit(reduced_motion="reduce")
    page = visitor.go(f"/table/{table.game}#token={table.tokens[second]}")
    card = page.locator(".own .hand .card").first.get_attribute("data-card")
    path = f"/v1/games/{table.game}/orders"
    headers = {"Authorization": f"Bearer {table.tokens[second]}"}
    elsewhere = [{"move": {"type": "play", "card": card}}]
    dialog = page.get_by_role("dialog")
    for kept, button in (([*elsewhere], "Add"), ([*elsewhere, *elsewhere], "Remove all")):
        menu(page, "Standing orders")
        expect(dialog).to_be_visible()
        ask(app, "PUT", path, headers=headers, json={"seat": second, "orders": kept})
        if button == "Add":
            dialog.get_by_label("Kind of move").select_option("play")
            dialog.locator("select[name=card]").select_option(card)
        dialog.get_by_role("button", name=button).click()
        expect(dialog).to_contain_text("changed elsewhere")
        expect(dialog.locator("ol li")).to_have_count(len(kept))
        assert ask(app, "GET", f"{path}?seat={second}", headers=headers)["orders"] == kept
        dialog.get_by_role("button", name="Close").click()
    assert len(visitor.complaints) == 2
    assert all("412" in said for said in visitor.complaints), visitor.complaints
    visitor.complaints.clear()


def test_a_move_is_taken_back_when_the_others_agree(visit: Callable[..., Visitor], app: httpx.Client) -> None:
    table = sit_down(app, "truco", 4)
    before = table.now()["view"]
    [mover] = before["to_act"]
    call = {"seat": mover, "move": {"type": "truco"}}
    ask(app, "POST", f"/v1/games/{table.game}/moves", json=call)
    asks, answers = seated(visit, table, mover), seated(visit, table, (mover + 1) % 4)
    for agree in (False, True):
        menu(asks, "Ask to take my last move back")
        expect(asks.locator(".trouble")).to_contain_text("the others may agree")
        expect(answers.locator(".asked")).to_contain_text("asks to take move")
        expect(asks.locator(".asked")).to_be_empty()
        answers.get_by_role("button", name="Agree" if agree else "Refuse").click()
        expect(answers.locator(".asked")).to_be_empty()
        if not agree:
            assert table.now()["view"] != before
    for seat in ((mover + 2) % 4, (mover + 3) % 4):
        body = {"agree": True, "seat": seat}
        ask(app, "POST", f"/v1/games/{table.game}/take-back/answer", json=body)
    expect(answers.locator(".log")).to_contain_text("takes move")
    expect(asks.locator(".title.yours")).to_be_visible()
    assert table.now()["view"] == before


def test_resigning_asks_first(visit: Callable[..., Visitor], app: httpx.Client) -> None:
    table = sit_down(app, "truco", 4)
    page = seated(visit, table, 2)
    menu(page, "Resign")
    expect(page.get_by_role("dialog").get_by_role("button", name="Play on")).to_be_focused()
    page.get_by_role("dialog").get_by_role("button", name="Play on").click()
    assert table.now()["status"] == "running"
    menu(page, "Resign")
    page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    expect(page.locator(".title")).to_contain_text("win")
    assert table.now()["result"]["losers"] == [0, 2]
    page.locator(".menu > summary").click()
    expect(page.locator(".menu-items")).not_to_contain_text("Resign")


def test_the_menu_of_a_phone_leads_home_and_the_game_goes_on(
    visit: Callable[..., Visitor], app: httpx.Client
) -> None:
    table = sit_down(app, "cats_and_dogs", 2)
    visitor = visit(viewport=PHONE, reduced_motion="reduce")
    for item, path in (("Start page", "/"), ("My games", "/games")):
        page = visitor.go(f"/table/{table.game}#token={table.tokens[0]}")
        menu(page, item)
        page.wait_for_url(f"{visitor.base}{path}")
    assert table.now()["status"] == "running"


def test_one_tap_plays_a_card_if_the_player_prefers_that(
    visit: Callable[..., Visitor], app: httpx.Client
) -> None:
    table = sit_down(app, "cats_and_dogs", 2)
    version = table.now()["version"]
    [mover] = table.now()["to_act"]
    page = seated(visit, table, mover)
    page.locator(FREE).first.click(position={"x": 6, "y": 20})
    expect(page.locator("button.send")).to_be_visible()
    assert table.now()["version"] == version
    menu(page, "Play a card with one tap")
    page.locator(FREE).first.click(position={"x": 6, "y": 20})
    expect(page.locator(".where")).to_have_text(f"{version + 1}/{version + 1}")
    page.reload()  # the preference is kept
    menu(page, "Ask before playing a card")
    menu(page, "Play a card with one tap")


def test_a_seat_is_remembered_unless_the_player_says_no(
    visit: Callable[..., Visitor], app: httpx.Client
) -> None:
    tables = [sit_down(app, "pies", 4, "private") for _ in range(2)]
    visitor = visit(reduced_motion="reduce")
    page = visitor.go(f"/table/{tables[0].game}#token={tables[0].tokens[0]}")
    expect(page.locator(".own")).to_be_visible()
    assert page.evaluate(TOKENS) == [1, 1]

    other = page.context.new_page()  # as after closing the browser: another tab, without a session
    other.goto(f"{visitor.base}/table/{tables[0].game}")
    expect(other.locator(".own")).to_be_visible()
    menu(other, "Do not remember me")
    assert other.evaluate(TOKENS)[1] == 0
    other.reload()
    expect(other.locator("#why")).to_contain_text("no such game")
    other.close()

    page.goto(f"{visitor.base}/table/{tables[1].game}#token={tables[1].tokens[1]}")
    expect(page.locator(".own[data-seat='1']")).to_be_visible()
    assert page.evaluate(TOKENS) == [2, 0]
    menu(page, re.compile("^Remember me"))
    assert page.evaluate(TOKENS) == [2, 1]
    menu(page, "Forget all my seats on this device")
    page.get_by_role("button", name="Keep", exact=True).click()
    assert page.evaluate(TOKENS) == [2, 1]
    menu(page, "Forget all my seats on this device")
    page.get_by_role("button", name="Forget", exact=True).click()
    expect(page.locator("#why")).to_contain_text("no such game")
    assert page.evaluate(TOKENS) == [0, 0]
    visitor.complaints.clear()  # Chromium's own messages about the refusals


def test_a_tap_on_a_card_selects_its_rank(visit: Callable[..., Visitor], app: httpx.Client) -> None:
    """In landlord, the first tap selects all cards of a rank that can be played together."""
    for seed in range(20):
        table = sit_down(app, "landlord", 4)
        game = table.play(0, random.Random(seed))
        while game["view"]["phase"] != "play":
            game = table.play(1, random.Random(seed))
        seat = game["to_act"][0]
        hand = game["view"]["zones"][f"hand.{seat}"]
        ranks = [card[:-1] for card in hand]
        pair = next((rank for rank in ranks if ranks.count(rank) == 2), None)
        if pair is not None:
            break
    page = seated(visit, table, seat)
    expect(page.locator(".bar:not(.idle)")).to_be_visible()
    page.locator(f".hand button.card[data-card^='{pair}']").first.click(position={"x": 6, "y": 20})
    chosen = page.locator(".hand button.card[aria-pressed=true]")
    expect(chosen).to_have_count(2)
    chosen.first.click(position={"x": 6, "y": 20})
    expect(chosen).to_have_count(1)
    page.get_by_role("button", name="Clear").click()
    expect(chosen).to_have_count(0)


def test_a_pause_is_requested_agreed_to_and_ended(visit: Callable[..., Visitor], app: httpx.Client) -> None:
    table = sit_down(app, "cats_and_dogs", 2, pace={"per_move": "P1D", "on_timeout": "resign"})
    [mover] = table.now()["to_act"]
    asks, answers = seated(visit, table, mover), seated(visit, table, 1 - mover)
    menu(asks, "Agree to a pause")
    expect(asks.locator(".trouble")).to_contain_text("once all have agreed")
    expect(answers.locator(".asked")).to_contain_text("asks for a pause")
    menu(answers, "Agree to a pause")
    for page in (asks, answers):
        expect(page.locator(".title")).to_have_text("The game is paused.")
        expect(page.locator(".bar .says")).to_contain_text("may end the pause")
        expect(page.locator(".asked")).to_be_empty()
        expect(page.locator(FREE)).to_have_count(0)
    assert table.now()["paused"]
    menu(answers, "End the pause")
    expect(asks.locator(".title.yours")).to_be_visible()
    assert not table.now()["paused"]
    asks.locator(".menu > summary").click()
    expect(asks.get_by_role("button", name="Agree to a pause")).to_be_visible()


def test_a_draw_is_offered_and_accepted(visit: Callable[..., Visitor], app: httpx.Client) -> None:
    table = sit_down(app, "cats_and_dogs", 2)
    offers, accepts = seated(visit, table, 0), seated(visit, table, 1)
    menu(offers, "Agree to a draw")
    offers.get_by_role("dialog").get_by_role("button", name="Agree").click()
    expect(accepts.locator(".asked")).to_contain_text("offers a draw")
    accepts.locator(".asked").get_by_role("button", name="Agree").click()
    accepts.get_by_role("dialog").get_by_role("button", name="Agree").click()
    for page in (offers, accepts):
        expect(page.locator(".title")).to_contain_text("in an agreed draw")
    assert table.now()["result"]["reason"] == "drawn"


SUBSCRIBED = """subscription => {
    PushManager.prototype.subscribe = async function ({applicationServerKey}) {
        return {toJSON: () => ({...subscription, key: applicationServerKey})};
    };
}"""


SHOWN = """() => {
    self.shown = [];
    self.registration.showNotification = async (title, {data}) => self.shown.push([title, data]);
}"""


def until(page: Page, found: Callable[[], Any]) -> Any:
    """Wait for something that the page does without showing it."""
    for _ in range(1200):
        if got := found():
            return got
        page.wait_for_timeout(50)
    raise AssertionError("it never came")


def test_a_player_is_notified_while_the_table_is_closed(
    visit: Callable[..., Visitor], app: httpx.Client
) -> None:
    """The push service and the screen are simulated: nothing leaves this machine, which has no screen."""
    table = sit_down(app, "cats_and_dogs", 2)
    page = seated(visit, table, 0)
    page.context.grant_permissions(["notifications"])
    subscription = {"endpoint": "https://push.example/1", "expirationTime": None, "keys": {"auth": "a"}}
    page.evaluate(SUBSCRIBED, subscription)
    posted: list[Any] = []

    def take(route: Route) -> None:
        if route.request.method != "POST":
            return route.continue_()
        posted.append(route.request.post_data_json)
        return route.fulfill(status=201, json={})

    page.route("**/v1/me/push-subscriptions", take)
    menu(page, "Push messages on this device")
    expect(page.locator(".trouble")).to_have_text("Push messages are on.")
    headers = {"Authorization": f"Bearer {table.tokens[0]}"}
    key = ask(app, "GET", "/v1/me/push-subscriptions", headers=headers)["key"]
    assert posted == [{**subscription, "key": key}]
    # The service worker that the page has registered shows the message.
    devtools = page.context.new_cdp_session(page)
    found: list[Any] = []
    devtools.on("ServiceWorker.workerRegistrationUpdated", lambda told: found.extend(told["registrations"]))
    devtools.send("ServiceWorker.enable")
    registration = until(page, lambda: found)[0]
    worker = until(page, lambda: page.context.service_workers)[0]
    worker.evaluate(SHOWN)
    message = {"title": "Your turn", "url": page.url, "tag": "turn.began"}
    devtools.send(
        "ServiceWorker.deliverPushMessage",
        {
            "origin": page.evaluate("origin"),
            "registrationId": registration["registrationId"],
            "data": json.dumps(message),
        },
    )
    assert until(page, lambda: worker.evaluate("self.shown")) == [["Your turn", page.url]]
