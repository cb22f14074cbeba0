"""Talk after the end of a game: out of sight, offline, on a small phone; a table that is taken away."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.games import Table, ask, sit_down
from tests.support.visitors import PHONE, Visitor, menu, violations

pytestmark = pytest.mark.browser
BACK = "() => document.dispatchEvent(new Event('visibilitychange'))"
CHANGE = "words => new Function('one', words)(document.querySelector('card-referee-table'))"
LATER = "() => fetch('/healthz').then(() => true)"


def say(table: Table, seat: int, text: str) -> None:
    ask(table.app, "POST", f"/v1/games/{table.game}/messages", json={"text": text, "seat": seat})


def over(app: httpx.Client) -> Table:
    table = sit_down(app, "cats_and_dogs", 2)
    table.play(6, random.Random(1))
    ask(app, "POST", f"/v1/games/{table.game}/resignation", json={"seat": 1})
    return table


def asks(visitor: Visitor) -> int:
    return sum(url.endswith("/messages") for url in visitor.asked)


def opened(visitor: Visitor, table: Table) -> Page:
    """Open the page of a game, and wait for the first answer to it."""
    with visitor.page.expect_response("**/messages"):
        return visitor.go(f"/table/{table.game}#token={table.tokens[0]}")


def test_what_is_said_out_of_sight_is_noted_once_and_the_newest_is_shown(
    visit: Callable[..., Visitor], app: httpx.Client
) -> None:
    table = over(app)
    visitor = visit(viewport=PHONE, reduced_motion="reduce", has_touch=True, is_mobile=True)
    page = opened(visitor, table)
    note = page.locator(".trouble")
    say(table, 1, "Well played!")
    page.evaluate(BACK)
    expect(note).to_have_text("Bela: Well played!")
    expect(note).to_have_attribute("role", "alert")
    with page.expect_response("**/messages"):
        page.reload()
    expect(page.locator(".chat p")).to_have_count(1)
    expect(note).to_be_hidden()
    for number in range(30):
        say(table, number % 2, f"Message {number}")
    ask(app, "POST", f"/v1/games/{table.game}/messages", json={"text": "Well done, both"})
    page.evaluate(BACK)
    expect(note).to_have_text("The organiser: Well done, both")
    say(table, 1, "W" * 300)
    page.evaluate(BACK)
    expect(note).to_have_text(f"Bela: {'W' * 150}…")
    assert violations(page) == []
    page.locator(".bar").get_by_role("button", name="Result").click()
    expect(note).to_be_hidden()  # the talk is in sight
    page.locator(".messages").scroll_into_view_if_needed()
    expect(page.locator(".chat p").last).to_be_in_viewport()
    expect(page.locator(".chat p").first).not_to_be_in_viewport()


def test_who_comes_back_reads_at_once_and_has_spoken_in_order(
    visit: Callable[..., Visitor], app: httpx.Client
) -> None:
    table = over(app)
    visitor = visit(reduced_motion="reduce")
    page = opened(visitor, table)
    page.get_by_role("tab", name="Result").click()
    page.context.set_offline(True)
    for words in ("One", "Two"):
        page.get_by_role("textbox").fill(words)
        page.get_by_role("button", name="Say").click()
    expect(page.locator(".trouble")).to_contain_text("What you do is sent when the connection is back")
    say(table, 1, "Where are you?")
    page.evaluate("() => { globalThis.setTimeout = () => 0; }")  # nothing comes by waiting
    page.context.set_offline(False)
    expect(page.locator(".chat p > bdi")).to_have_text(["Where are you?", "One", "Two"])
    visitor.complaints = [said for said in visitor.complaints if "ERR_INTERNET_DISCONNECTED" not in said]


def test_with_doubled_text_one_can_still_talk_on_a_small_phone(
    visit: Callable[..., Visitor], app: httpx.Client
) -> None:
    table = over(app)
    say(table, 1, "W" * 300)
    page = opened(visit(viewport={"width": 320, "height": 568}, locale="de-DE"), table)
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    page.locator(".bar").get_by_role("button", name="Ergebnis").click()  # the note leaves room for it
    for part in (page.get_by_role("button", name="Sagen"), page.locator(".chat p")):
        box = part.bounding_box()
        assert box is not None
        assert 0 <= box["x"] <= box["x"] + box["width"] <= 320


def test_a_table_that_is_taken_away_asks_no_more(visitor: Visitor, app: httpx.Client) -> None:
    table, other = over(app), sit_down(app, "cats_and_dogs", 2)
    page = visitor.page
    words = f"""<!doctype html><link rel="icon" href="data:,">
        <script type="module" src="/web/embed.js"></script>
        <card-referee-table game="{table.game}"></card-referee-table>
        <script>document.querySelector("card-referee-table").token = "{table.tokens[0]}"</script>"""
    page.route("**/host", lambda route: route.fulfill(body=words, content_type="text/html"))
    with page.expect_response("**/messages"):
        visitor.go("/host")
    for words in (f"one.setAttribute('game', '{other.game}')", "one.remove()"):
        with page.expect_response("**/messages"):
            page.evaluate(CHANGE, f"one.setAttribute('game', '{table.game}')")
        page.evaluate(CHANGE, words)
        page.evaluate(LATER)
        before = asks(visitor)
        page.evaluate(BACK)
        page.evaluate(LATER)
        assert asks(visitor) == before, words


def test_talk_stays_with_its_game(visit: Callable[..., Visitor], app: httpx.Client) -> None:
    table = over(app)
    say(table, 1, "Well played!")
    visitor = visit(reduced_motion="reduce")
    page = opened(visitor, table)
    page.locator(".replay input").fill("6")
    menu(page, "What if? Play on from here")
    expect(page.locator(".trouble")).to_contain_text("Nothing here counts")
    before = asks(visitor)
    page.evaluate(BACK)
    page.evaluate(LATER)
    assert asks(visitor) == before
    page.locator("button.what-if").click()
    expect(page.locator(".chat p")).to_have_text(["Bela Well played!"])
    expect(page.locator(".trouble")).to_be_hidden()


def test_whose_token_has_ended_is_told_and_keeps_the_words(
    visit: Callable[..., Visitor], app: httpx.Client
) -> None:
    table = over(app)
    visitor = visit(reduced_motion="reduce")
    page = opened(visitor, table)
    player = table.now()["seats"][0]["player"]["id"]
    for token in ask(app, "GET", f"/v1/players/{player}/tokens")["items"]:
        assert app.delete(f"/v1/players/{player}/tokens/{token['id']}").is_success
    page.get_by_role("tab", name="Result").click()
    page.get_by_role("textbox").fill("Are you there?")
    page.get_by_role("button", name="Say").click()
    expect(page.locator(".trouble")).to_have_text("Your token is no longer valid.")
    expect(page.get_by_role("textbox")).to_have_value("Are you there?")
    visitor.complaints = [said for said in visitor.complaints if not re.search("status of 401", said)]


def test_partners_of_dog_cards_read_why_they_cannot_talk(
    visit: Callable[..., Visitor], app: httpx.Client
) -> None:
    table = sit_down(app, "dog_cards", 4)
    page = visit().go(f"/table/{table.game}#token={table.tokens[0]}")
    expect(page.locator(".talk-rule")).to_have_text("The players do not talk in this game until it is over.")
    expect(page.locator(".talking")).to_be_hidden()


def test_what_is_said_in_mau_mau_is_a_move(visit: Callable[..., Visitor], app: httpx.Client) -> None:
    table = sit_down(app, "mau_mau", 2)
    page = visit().go(f"/table/{table.game}#token={table.tokens[0]}")
    expect(page.locator(".talk-rule")).to_contain_text("is a move here")
    page.locator(".talking input").fill("Nice weather")
    with page.expect_response("**/moves"):
        page.locator(".talking button").click()
    newest = ask(app, "GET", f"/v1/games/{table.game}/events?limit=200")["items"][-1]
    assert newest["private"]["all"]["move"] == {"type": "say", "text": "Nice weather"}
    expect(page.get_by_role("button", name="Say", exact=True)).to_have_count(1)
    page.get_by_role("checkbox", name="Keep a finger on the pile").check()
    page.locator(".talking input").fill("Still nice")
    with page.expect_response("**/moves"):
        page.locator(".talking button").click()
    newest = ask(app, "GET", f"/v1/games/{table.game}/events?limit=200")["items"][-1]
    assert newest["private"]["all"]["move"] == {"type": "say", "text": "Still nice", "finger": True}


def test_the_side_says_who_is_here(visit: Callable[..., Visitor], app: httpx.Client) -> None:
    """It says of the others whether their pages are open, or when they were last, and how many watch."""
    table = sit_down(app, "cats_and_dogs", 2)
    path = f"/table/{table.game}"
    page = visit(reduced_motion="reduce").go(f"{path}#token={table.tokens[0]}")
    people = page.locator(".presence li:visible")
    other = visit().go(f"{path}#token={table.tokens[1]}")
    visit().go(path)
    expect(other.locator(".presence li:visible")).to_contain_text(["Annahere now", "1 is watching"])
    expect(people).to_have_text(["Belahere now", "1 is watching"])
    never: dict[str, Any] = {"seats": [{"seat": 1, "here": False}], "watching": 0}
    page.route("**/presence", lambda route: route.fulfill(json=never))
    page.clock.install()
    page.reload()
    expect(people).to_have_text(["Belahere now"])  # the game began a moment ago
    page.clock.fast_forward("20:00")
    expect(people).to_have_text([re.compile(r"^Belahere 2\d min\. ago")])
