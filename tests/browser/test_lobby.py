"""The lobby of the start page: two strangers find each other, and anybody sits down at a public table."""

from __future__ import annotations

import json
from collections.abc import Callable

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.servers.serving import Server
from tests.support.visitors import PHONE, Visitor

pytestmark = pytest.mark.browser


def choose(page: Page, ruleset: str, seats: str, against: str, name: str) -> None:
    page.locator(f"input[value={ruleset}]").check(force=True)
    page.locator("#count").select_option(seats)
    page.locator("#all").select_option(against)
    page.get_by_label("Your name").fill(name)


def game_at(page: Page, server: Server) -> dict[str, object]:
    """Return the game at whose table a visitor is, as this visitor sees it."""
    page.wait_for_url("**/table/*")
    game = page.url.rpartition("/")[2].partition("#")[0]
    stored = page.evaluate("JSON.stringify({...localStorage})")
    token = next(text for name, text in json.loads(stored).items() if name.endswith(f"token:{game}"))
    answer = httpx.get(
        f"{server.url}/v1/games/{game}", headers={"Authorization": f"Bearer {token}"}, timeout=90
    )
    found: dict[str, object] = answer.json()
    return found


def test_strangers_find_each_other_in_the_lobby(visit: Callable[..., Visitor], server: Server) -> None:
    """The second presses once, and gets the very game that the first has chosen, with its options."""
    first, second = visit(), visit(viewport=PHONE)
    seeking, passing = first.go("/"), second.go("/")
    choose(seeking, "cats_and_dogs", "2", "anybody", "Ada")
    seeking.get_by_text("Options of the game").click()
    seeking.get_by_label("Player who begins").select_option("Player 2")
    seeking.get_by_role("button", name="Start").click()
    expect(seeking.get_by_text("Looking for players.")).to_be_visible()
    passing.get_by_label("Your name").fill("Bob")
    offered = passing.locator("#seeks li", has_text="Ada")
    expect(offered).to_contain_text("Cats and Dogs")
    offered.get_by_role("button", name="Play").click()
    mine, yours = game_at(seeking, server), game_at(passing, server)
    assert mine["id"] == yours["id"]
    assert mine["options"] == {"first": 1}
    names = [seat["player"]["name"] for seat in mine["seats"]]  # type: ignore[attr-defined]
    assert sorted(names) == ["Ada", "Bob"]
    expect(seeking.locator(".own .hand .card")).to_have_count(5)


def test_who_stops_looking_is_not_found(visit: Callable[..., Visitor]) -> None:
    first, second = visit(), visit()
    seeking, passing = first.go("/"), second.go("/")
    choose(seeking, "pies", "4", "anybody", "Eva")
    seeking.get_by_role("button", name="Start").click()
    expect(passing.locator("#seeks")).to_contain_text("Eva")
    seeking.get_by_role("button", name="Stop looking").click()
    expect(seeking.locator("#looking")).to_be_hidden()
    expect(passing.locator("#seeks")).not_to_contain_text("Eva")
    expect(seeking.get_by_role("button", name="Start")).to_be_enabled()


def test_anybody_sits_down_at_a_public_table(visit: Callable[..., Visitor], server: Server) -> None:
    first, second = visit(), visit()
    host = first.go("/")
    choose(host, "cats_and_dogs", "2", "open", "Ida")
    host.get_by_text("More options").click()
    host.get_by_label("Who may watch").select_option("public")
    host.get_by_role("button", name="Start").click()
    game = host.url if "/table/" in host.url else (host.wait_for_url("**/table/*"), host.url)[1]
    passing = second.go("/")
    table = passing.locator(f"#tables li:has(a[href$='{game.rpartition('/')[2]}'])")
    table.get_by_role("button", name="Sit down").click()
    passing.wait_for_url("**/table/*")
    expect(passing.locator(".own .hand .card")).to_have_count(5)
    passing.goto(f"{second.base}/")
    expect(table).to_have_count(0)  # it has begun


OPTIONS = {
    "bisca": 2,
    "cats_and_dogs": 1,
    "dog_cards": 4,
    "landlord": 2,
    "mau_mau": 4,
    "palace": 2,
    "pedro": 2,
    "pies": 3,
    "truco": 3,
}


def test_every_option_of_every_game_can_be_chosen(visitor: Visitor) -> None:
    """Those that are left as they are are not sent."""
    page = visitor.go("/")
    sent: list[dict[str, object]] = []
    page.on("request", lambda asked: asked.method == "POST" and sent.append(asked.post_data_json))
    for ruleset, number in OPTIONS.items():
        page.locator(f"input[value={ruleset}]").check(force=True)
        expect(page.locator("#options > label")).to_have_count(number)
        expect(page.locator("#options")).not_to_contain_text("null")
    page.locator("input[value=mau_mau]").check(force=True)
    page.get_by_text("Options of the game").click()
    page.get_by_label("An ace fits on every card").check()
    page.get_by_label("Who can play may not draw instead").uncheck()
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/table/*")
    assert [body["options"] for body in sent if "ruleset" in body] == [{"ace_wild": True, "must_play": False}]
