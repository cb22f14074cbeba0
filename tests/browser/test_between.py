"""Between players: others are heard, a lost connection is said at once, messages appear on the phone."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import httpx
import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.games import Table, ask, sit_down
from tests.browser.staged import HIDDEN
from tests.support.visitors import PHONE, Visitor, menu, press, violations

# Open hands and plates that are covered by something else, or outside of the felt.
COVERED = """() => [...document.querySelectorAll(".mat .zone[data-zone^=hand] .card, .plate")].filter(one => {
    const {left, top, height} = one.getBoundingClientRect();
    return !one.contains(document.elementFromPoint(left + 4, top + height / 2));
}).map(one => one.outerHTML.slice(0, 200))"""

pytestmark = pytest.mark.browser


def seated(visit: Callable[..., Visitor], table: Table, seat: int, **settings: object) -> Visitor:
    visitor = visit(reduced_motion="reduce", **settings)
    visitor.go(f"/table/{table.game}#token={table.tokens[seat]}")
    expect(visitor.page.locator(".own .hand .card").first).to_be_visible()
    return visitor


def at_version(page: Page, version: int) -> None:
    expect(page.locator(".where")).to_have_text(f"{version}/{version}")


def test_what_others_do_is_announced_once_and_in_order(
    visit: Callable[..., Visitor], app: httpx.Client
) -> None:
    table = sit_down(app, "cats_and_dogs", 3)
    page = seated(visit, table, 0).page
    choices = random.Random(1)
    told = []
    for _ in range(7):
        [mover] = table.now()["to_act"]
        before = table.now()["version"]
        game = table.play(1, choices)
        at_version(page, game["version"])
        if mover != 0:
            entry = ask(app, "GET", f"/v1/games/{table.game}/events?after={before}&limit=1")["items"][0]
            kind = "cat" if entry["move"]["card"][0] == "C" else "dog"
            name = ("Anna", "Bela", "Carl")[mover]
            told.append(f"{name} plays {kind} {entry['move']['card'][1]}.")
    announced = page.locator(".announcer p").all_inner_texts()
    assert [line for line in announced if " plays " in line] == told
    assert any(line.startswith("Trick to ") for line in announced)
    assert not any(line.startswith("Anna plays") for line in announced)


def test_offline_is_said_at_once_and_a_move_goes_through_afterwards(
    visit: Callable[..., Visitor], app: httpx.Client
) -> None:
    table = sit_down(app, "cats_and_dogs", 2)
    [mover] = table.now()["to_act"]
    visitor = seated(visit, table, 1 - mover)
    page = visitor.page
    page.context.set_offline(True)
    expect(page.locator(".trouble")).to_contain_text("offline", timeout=3000)
    game = table.play(1, random.Random(2))
    page.context.set_offline(False)
    at_version(page, game["version"])
    page.locator(".hand button.card").first.click(position={"x": 6, "y": 20})
    page.locator("button.send:not(:disabled)").first.click()
    at_version(page, game["version"] + 1)
    visitor.complaints[:] = [said for said in visitor.complaints if "ERR_INTERNET_DISCONNECTED" not in said]


def test_a_card_that_is_tapped_before_the_legal_moves_have_come_is_chosen(
    visit: Callable[..., Visitor], app: httpx.Client
) -> None:
    table = sit_down(app, "cats_and_dogs", 2)
    [mover] = table.now()["to_act"]
    page = seated(visit, table, 1 - mover).page
    held: list[Route] = []
    page.route("**/legal-moves?*", lambda route: held.append(route), times=1)
    at_version(page, table.play(1, random.Random(2))["version"])
    page.locator(".hand button.card").first.click(position={"x": 6, "y": 20})
    expect(page.locator("button.send")).to_have_count(0)
    while not held:
        page.wait_for_timeout(20)
    held[0].continue_()
    page.locator("button.send:not(:disabled)").first.click()


def test_a_message_appears_on_a_phone(visit: Callable[..., Visitor], app: httpx.Client) -> None:
    table = sit_down(app, "cats_and_dogs", 2)
    page = seated(visit, table, 0, viewport=PHONE).page
    player = {"Authorization": f"Bearer {table.tokens[1]}"}
    ask(app, "POST", f"/v1/games/{table.game}/messages", json={"text": "Well met", "seat": 1}, headers=player)
    expect(page.locator(".bubble")).to_have_text("Well met")
    expect(page.locator(".trouble")).to_be_hidden()  # which would say it twice


@pytest.mark.parametrize("is_phone", [True, False], ids=["phone", "desktop"])
def test_a_badge_counts_what_came_while_the_log_was_out_of_sight(
    visit: Callable[..., Visitor], app: httpx.Client, is_phone: bool
) -> None:
    table = sit_down(app, "cats_and_dogs", 2, pace={"per_move": "P1D", "on_timeout": "resign"})
    size = PHONE if is_phone else {"width": 1280, "height": 800}
    page = seated(visit, table, 0, viewport=size).page
    if not is_phone:
        page.get_by_role("tab", name="Trust").click()
    player = {"Authorization": f"Bearer {table.tokens[1]}"}
    for path, body in (("messages", {"text": "Well met", "seat": 1}), ("pause", {"seat": 1})):
        ask(app, "POST", f"/v1/games/{table.game}/{path}", json=body, headers=player)
    badge = page.locator(".talk-button .badge")
    expect(badge).to_have_text("2")
    if is_phone:
        expect(badge).to_be_visible()
    expect(page.locator(".announcer p", has_text="Well met")).to_have_count(1)
    expect(page.locator("[role=alert]:visible", has_text="Well met")).to_have_count(0)
    unread = "Talk. Messages and requests: 2 new"
    expect(page.get_by_role("button" if is_phone else "tab", name=unread)).to_have_count(1)
    assert violations(page) == []
    page.get_by_role("button" if is_phone else "tab", name=unread).click()
    expect(page.locator("div.said", has_text="Well met")).to_be_in_viewport()
    expect(badge).to_be_hidden()
    expect(page.get_by_role("tab", name="Talk", exact=True)).to_have_count(1)


def test_a_badge_counts_what_came_while_the_table_was_closed(
    visit: Callable[..., Visitor], app: httpx.Client
) -> None:
    table = sit_down(app, "cats_and_dogs", 2)
    page = seated(visit, table, 0, viewport=PHONE).page
    badge = page.locator(".talk-button .badge")

    def say(text: str, seat: int = 1) -> None:
        player = {"Authorization": f"Bearer {table.tokens[seat]}"}
        body = {"text": text, "seat": seat}
        ask(app, "POST", f"/v1/games/{table.game}/messages", json=body, headers=player)

    say("Well met")
    expect(badge).to_have_text("1")
    page.reload()
    expect(badge).to_have_text("1")
    page.goto("about:blank")
    say("Are you there?")
    say("Not really", seat=0)
    page.go_back()
    expect(badge).to_have_text("2")
    page.get_by_role("button", name="Talk. Messages and requests: 2 new").click()
    expect(badge).to_be_hidden()
    page.reload()
    expect(page.locator(".own .hand button.card").first).to_be_visible()
    page.wait_for_timeout(300)
    expect(badge).to_be_hidden()


def test_a_take_back_is_offered_only_where_it_can_succeed(
    visit: Callable[..., Visitor], app: httpx.Client
) -> None:
    table = sit_down(app, "pedro", 4)
    game = table.play(1, random.Random(4))  # the cut: what follows is dealt
    while game["view"]["phase"] != "bid":
        game = table.play(1, random.Random(4))
    [bidder] = game["to_act"]
    page = seated(visit, table, bidder).page
    item = page.get_by_role("button", name="Ask to take my last move back", include_hidden=True)
    expect(item).to_have_count(0)
    body = {"seat": bidder, "move": {"type": "bid", "points": 3}}
    version = ask(app, "POST", f"/v1/games/{table.game}/moves", json=body)["game"]["version"]
    at_version(page, version)
    expect(item).to_have_count(1)
    while (game := table.now())["view"]["phase"] != "play":
        table.play(1, random.Random(5))
    game = table.play(4, random.Random(5))
    at_version(page, game["version"])
    expect(item).to_have_count(0)


def test_a_moment_that_is_still_loading_can_be_shared(
    visit: Callable[..., Visitor], app: httpx.Client
) -> None:
    table = sit_down(app, "cats_and_dogs", 2)
    game = table.play(6, random.Random(6))
    page = seated(visit, table, 0).page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.route(re.compile(r"[?]version="), lambda route: None)
    press(page, "[")
    page.locator(".menu > summary").click()
    page.get_by_role("button", name="Share this moment").click()
    page.get_by_role("button", name="Copy the link").click()
    expect(page.locator(".trouble")).to_contain_text("has been copied")
    assert page.evaluate("navigator.clipboard.readText()").endswith(f"#version={game['version'] - 1}")


def test_a_link_leads_to_the_moment(visit: Callable[..., Visitor], app: httpx.Client) -> None:
    table = sit_down(app, "cats_and_dogs", 2)
    game = table.play(6, random.Random(6))
    visitor = seated(visit, table, 0)
    page = visitor.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    press(page, "[")
    press(page, "[")
    moment = f"{game['version'] - 2}/{game['version']}"
    expect(page.locator(".where")).to_have_text(moment)
    page.locator(".menu > summary").click()
    page.get_by_role("button", name="Share this moment").click()
    page.get_by_role("button", name="Copy the link").click()
    expect(page.locator(".trouble")).to_contain_text("has been copied")
    link = page.evaluate("navigator.clipboard.readText()")
    assert "token" not in link
    other = visit(reduced_motion="reduce")
    other.page.goto(link)
    expect(other.page.locator(".where")).to_have_text(moment)
    expect(other.page.locator(".comment")).to_have_count(0)


def test_a_link_to_a_moment_carries_a_comment(visit: Callable[..., Visitor], app: httpx.Client) -> None:
    """It stands in the link alone, is text whatever it contains, and no longer than 280 characters."""
    table = sit_down(app, "cats_and_dogs", 2)
    version = table.play(6, random.Random(6))["version"]
    page = seated(visit, table, 0).page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    press(page, "[")
    menu(page, "Share this moment")
    written = "<b>Why</b> not the 6 & the 2?\n" + "x" * 400
    page.get_by_label("Comment").fill(written[:280])
    page.get_by_role("button", name="Copy the link").click()
    expect(page.locator(".trouble")).to_contain_text("has been copied")
    link = page.evaluate("navigator.clipboard.readText()")
    other = visit(reduced_motion="reduce", viewport=PHONE)
    shown = other.page.locator(".comment q")
    for address in (link, f"{link}{'x' * 400}"):
        other.page.goto("about:blank")
        other.page.goto(address)
        expect(shown).to_have_text(written[:280].replace("\n", " "))
        expect(shown.locator("b")).to_have_count(0)
    assert not any("Why" in url.partition("#")[0] for url in other.asked)
    expect(other.page.locator(".where")).to_have_text(f"{version - 1}/{version}")
    assert other.page.evaluate(HIDDEN) == []
    press(other.page, "End")
    other.page.get_by_role("button", name="To this moment").click()
    expect(other.page.locator(".where")).to_have_text(f"{version - 1}/{version}")
    other.page.locator(".comment").get_by_role("button", name="Close").click()
    expect(shown).to_have_count(0)


def test_the_recorded_match_plays_at_once(visit: Callable[..., Visitor]) -> None:
    page = visit(reduced_motion="reduce").go("/")
    page.get_by_role("link", name=re.compile("A recorded match")).click()
    expect(page.locator(".where")).to_have_text(re.compile("^([89]|1\\d)/"))
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(page.locator(".mat .zone[data-zone^=hand]")).to_have_count(4)
    for size in ({"width": 1280, "height": 800}, PHONE):
        page.set_viewport_size(size)
        assert page.evaluate(COVERED) == []


def test_the_table_says_when_a_reserve_begins_to_run(
    visit: Callable[..., Visitor], app: httpx.Client
) -> None:
    pace = {"per_move": "P2D", "reserve": "P1D", "on_timeout": "resign"}
    table = sit_down(app, "cats_and_dogs", 2, pace=pace)
    [mover] = table.now()["to_act"]
    deadline = datetime.fromisoformat(table.now()["seats"][mover]["deadline"])
    begins = (deadline - timedelta(days=1)).astimezone(ZoneInfo("Asia/Tokyo"))
    said = f"the reserve runs from {begins:%a, %b} {begins.day}, {begins:%I:%M %p}"
    for seat, size in ((mover, PHONE), (1 - mover, {"width": 1280, "height": 800})):
        visitor = seated(visit, table, seat, viewport=size, timezone_id="Asia/Tokyo", locale="en-US")
        page = visitor.page
        expect(page.locator(".plate .reserve")).to_have_text(said)
        expect(page.locator(".plate .reserve")).to_be_in_viewport()
        expect(page.locator(".about")).to_contain_text(said)
        wide = "document.querySelector('.middle .card').offsetWidth"
        page.wait_for_function(f"{wide} > 40")  # the label takes no room from the cards
        if seat == mover:
            visitor.go("/")
            mine = page.locator("#mine-list li").filter(has_text="your turn until")
            expect(mine.filter(has_text=said)).to_have_count(1)
