"""The lobby of the start page: two strangers find each other, and anybody sits down at a public table."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, Route, expect

from tests.servers.receiver import eventually
from tests.servers.serving import Server
from tests.support.visitors import PHONE, Visitor, choose, violations

pytestmark = pytest.mark.browser


def named(page: Page, name: str, ruleset: str, seats: int, against: str = "anybody") -> None:
    page.get_by_label("Your name").fill(name)
    choose(page, ruleset, seats, against)


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
    named(seeking, "Ada", "cats_and_dogs", 2)
    seeking.get_by_text("Options of the game").click()
    seeking.get_by_label("Player who begins").select_option("Player 2")
    seeking.locator("#start").click()
    expect(seeking.get_by_text("Looking for players.")).to_be_visible()
    passing.get_by_label("Your name").fill("Bob")
    offered = passing.locator("#seeks li", has_text="Ada")
    expect(offered).to_contain_text("Cats and Dogs")
    offered.get_by_role("button", name="Play").click()
    mine, yours = game_at(seeking, server), game_at(passing, server)
    assert mine["id"] == yours["id"]
    assert mine["options"] == {"first": 1}
    names = [seat["player"]["name"] for seat in mine["seats"]]
    assert sorted(names) == ["Ada", "Bob"]
    expect(seeking.locator(".own .hand .card")).to_have_count(5)


def test_the_lobby_is_there_for_a_guest_whose_stay_is_over(visit: Callable[..., Visitor]) -> None:
    first, second = visit(), visit()
    seeking, passing = first.go("/"), second.go("/")
    named(seeking, "Zoe", "pies", 4)
    seeking.locator("#start").click()
    expect(passing.locator("#seeks")).to_contain_text("Zoe")
    over = {
        "token": "crp_over",
        "player": {"id": "over", "name": "Bob"},
        "expires_at": "2999-01-01T00:00:00Z",
    }
    passing.evaluate("guest => localStorage.setItem('card-referee:guest', guest)", json.dumps(over))
    second.go("/")
    expect(passing.get_by_label("Your name")).to_have_value("Bob")
    expect(passing.locator("#seeks")).to_contain_text("Zoe")
    second.complaints.clear()  # the token is refused


def test_who_stops_looking_is_not_found(visit: Callable[..., Visitor]) -> None:
    first, second = visit(), visit()
    seeking, passing = first.go("/"), second.go("/")
    named(seeking, "Eva", "pies", 4)
    seeking.locator("#start").click()
    expect(passing.locator("#seeks")).to_contain_text("Eva")
    expect(seeking.locator("#nobody")).to_be_hidden()
    expect(seeking.locator("#seen")).to_be_visible()
    seeking.get_by_role("button", name="Stop looking").click()
    expect(seeking.locator("#looking")).to_be_hidden()
    expect(passing.locator("#seeks")).not_to_contain_text("Eva")
    expect(seeking.locator("#start")).to_be_enabled()


def test_an_option_that_the_seats_do_not_allow_is_not_offered(visitor: Visitor) -> None:
    page = visitor.go("/")
    choose(page, "bisca", 4)
    page.get_by_text("Options of the game").click()
    pairs = page.get_by_label("Two against two")
    pairs.check()
    page.locator("#count").select_option("3")
    expect(pairs).to_be_disabled()
    page.locator("#start").click()
    page.wait_for_url("**/table/*")


def test_a_game_that_began_while_its_player_was_away_is_found(
    visit: Callable[..., Visitor], server: Server
) -> None:
    """Looking for players with clocks goes on without the page, also for who has no account."""
    first, second = visit(), visit()
    seeking, passing = first.go("/"), second.go("/")
    named(seeking, "Noa", "cats_and_dogs", 2)
    seeking.locator("#pace").select_option(index=1)
    seeking.locator("#start").click()
    expect(seeking.get_by_text("Looking for players.")).to_be_visible()
    seeking.goto(f"{first.base}/settings")
    passing.get_by_label("Your name").fill("Bob")
    passing.locator("#seeks li", has_text="Noa").get_by_role("button", name="Play").click()
    game = game_at(passing, server)["id"]
    first.go("/games")
    seeking.locator(f"a[href$='{game}']").click()
    expect(seeking.locator(".own .hand .card")).to_have_count(5)


def seeks_of(server: Server, name: str) -> list[dict[str, Any]]:
    items = httpx.get(f"{server.url}/v1/seeks", timeout=90).json()["items"]
    return [seek for seek in items if seek["player"]["name"] == name]


def test_who_still_looks_is_found_again_when_the_seek_has_ended(
    visit: Callable[..., Visitor], server: Server
) -> None:
    """A page that slept beyond the end of its seek does not find it any more."""
    visitor = visit()
    seeking = visitor.go("/")
    named(seeking, "Uma", "pies", 4)
    seeking.locator("#start").click()
    assert eventually(lambda: seeks_of(server, "Uma"))
    [before] = seeks_of(server, "Uma")
    stored = json.loads(seeking.evaluate("JSON.stringify({...localStorage})"))
    guest = json.loads(next(text for name, text in stored.items() if name.endswith("guest")))
    headers = {"Authorization": f"Bearer {guest['token']}"}
    httpx.delete(f"{server.url}/v1/seeks/{before['id']}", headers=headers, timeout=90).raise_for_status()
    assert eventually(lambda: seeks_of(server, "Uma"))
    expect(seeking.get_by_text("Looking for players.")).to_be_visible()
    visitor.complaints[:] = [said for said in visitor.complaints if "404 (NOT FOUND)" not in said]


def test_who_leaves_before_the_answer_is_not_found_for_long(
    visit: Callable[..., Visitor], server: Server
) -> None:
    """No page is there to withdraw the seek, so it ends by itself unless it is asked for again."""
    seeking = visit().go("/")
    asked: list[Route] = []
    seeking.route(re.compile("/v1/seeks$"), lambda route: asked.append(route))
    named(seeking, "Rex", "pies", 4)
    seeking.locator("#start").click()
    assert eventually(lambda: seeking.wait_for_timeout(20) or asked)
    answer = asked[0].fetch()
    seeking.goto("about:blank")
    made, ends = (datetime.fromisoformat(answer.json()[name]) for name in ("created_at", "expires_at"))
    assert ends - made <= timedelta(minutes=1)


def test_who_stops_as_somebody_comes_is_at_the_table(visit: Callable[..., Visitor], server: Server) -> None:
    first, second = visit(), visit()
    seeking, passing = first.go("/"), second.go("/")
    named(seeking, "Pia", "cats_and_dogs", 2)
    seeking.locator("#start").click()
    assert eventually(lambda: seeks_of(server, "Pia"))
    [before] = seeks_of(server, "Pia")

    def unchanged(route: Route) -> None:
        if route.request.method == "GET":
            route.fulfill(json=before)
        else:
            route.continue_()

    seeking.route(f"**/v1/seeks/{before['id']}", unchanged)
    passing.locator("#seeks li", has_text="Pia").get_by_role("button", name="Play").click()
    passing.wait_for_url("**/table/*")
    seeking.get_by_role("button", name="Stop looking").click()
    seeking.wait_for_url("**/table/*")
    expect(seeking.locator(".own .hand .card")).to_have_count(5)
    first.complaints[:] = [said for said in first.complaints if "409 (CONFLICT)" not in said]


def test_one_looks_for_one_game_however_often_one_presses(
    visit: Callable[..., Visitor], server: Server
) -> None:
    first, second, third = visit(), visit(), visit()
    for visitor, name in ((first, "Kim"), (second, "Lou")):
        page = visitor.go("/")
        named(page, name, "cats_and_dogs", 4 if name == "Kim" else 3)
        page.locator("#start").click()
    passing = third.go("/")
    passing.get_by_label("Your name").fill("Max")
    passing.locator("#seeks li", has_text="Kim").get_by_role("button", name="Play").dblclick()
    assert eventually(lambda: seeks_of(server, "Max"))
    passing.locator("#seeks li", has_text="Lou").get_by_role("button", name="Play").click()
    assert eventually(lambda: [seek["seats"] for seek in seeks_of(server, "Max")] == [3])
    guests = [url for url in third.asked if url.endswith("/v1/guests")]
    assert len(guests) == 1
    passing.get_by_role("button", name="Stop looking").click()
    assert eventually(lambda: not seeks_of(server, "Max"))


def test_anybody_sits_down_at_a_public_table(visit: Callable[..., Visitor], server: Server) -> None:
    first, second = visit(), visit()
    host = first.go("/")
    named(host, "Ida", "cats_and_dogs", 2, "open")
    host.get_by_text("More options").click()
    host.get_by_label("Who may watch").select_option("public")
    host.locator("#start").click()
    game = host.url if "/table/" in host.url else (host.wait_for_url("**/table/*"), host.url)[1]
    passing = second.go("/")
    table = passing.locator(f"#tables li:has(a[href$='{game.rpartition('/')[2]}'])")
    table.get_by_role("button", name="Sit down").click()
    passing.wait_for_url("**/table/*")
    expect(passing.locator(".own .hand .card")).to_have_count(5)
    passing.goto(f"{second.base}/")
    expect(table).to_have_count(0)  # it has begun


def test_the_seat_of_a_rematch_is_not_offered_to_strangers(
    visit: Callable[..., Visitor], server: Server
) -> None:
    """Another table, which is offered, shows that the lobby has come."""

    def ask(path: str, body: dict[str, Any], token: str = "") -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        answer = httpx.post(f"{server.url}{path}", json=body, headers=headers, timeout=90)
        assert answer.is_success, answer.text
        found: dict[str, Any] = answer.json()
        return found

    ute, ole = (ask("/v1/guests", {"name": name}) for name in ("Ute", "Ole"))
    seats = [{"player": ute["player"]["id"]}, {"open": True}]
    table = {"ruleset": "cats_and_dogs", "visibility": "public", "seats": seats}
    seek = {"ruleset": "cats_and_dogs", "seats": 2, "visibility": "public"}
    ask("/v1/seeks", seek, ute["token"])
    game = ask("/v1/seeks", seek, ole["token"])["game"]
    ask(f"/v1/games/{game}/resignation", {}, ole["token"])
    again = ask(f"/v1/games/{game}/rematch", {}, ute["token"])
    assert [seat["open"] for seat in again["seats"]].count(True) == 1
    offered = ask("/v1/games", table, ute["token"])
    tables = visit().go("/").locator("#tables")
    expect(tables.locator(f"a[href$='{offered['id']}']")).to_have_count(1)
    expect(tables.locator(f"a[href$='{again['id']}']")).to_have_count(0)
    headers = {"Authorization": f"Bearer {ole['token']}"}
    taken = httpx.put(f"{server.url}/v1/games/{offered['id']}/seats/1", json={}, headers=headers, timeout=90)
    assert taken.is_success, taken.text  # so that other tests do not see it


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
        choose(page, ruleset)
        expect(page.locator("#options > label")).to_have_count(number)
        expect(page.locator("#options")).not_to_contain_text("null")
        page.keyboard.press("Escape")
    choose(page, "mau_mau")
    page.get_by_text("Options of the game").click()
    page.get_by_label("An ace fits on every card").check()
    page.get_by_label("Who can play may not draw instead").uncheck()
    page.locator("#start").click()
    page.wait_for_url("**/table/*")
    assert [body["options"] for body in sent if "ruleset" in body] == [{"ace_wild": True, "must_play": False}]


def test_strangers_see_their_ratings_after_a_game(visit: Callable[..., Visitor], server: Server) -> None:
    """They meet in the lobby, one gives up, and both stand in the ladder."""
    first, second = visit(), visit(viewport=PHONE)
    seeking, passing = first.go("/"), second.go("/")
    named(seeking, "Uwe", "palace", 2)
    seeking.locator("#start").click()
    passing.get_by_label("Your name").fill("Vera")
    passing.locator("#seeks li", has_text="Uwe").get_by_role("button", name="Play").click()
    game = game_at(passing, server)["id"]
    game_at(seeking, server)
    stored = json.loads(passing.evaluate("JSON.stringify({...localStorage})"))
    token = next(text for name, text in stored.items() if name.endswith(f"token:{game}"))
    resigned = httpx.post(
        f"{server.url}/v1/games/{game}/resignation",
        headers={"Authorization": f"Bearer {token}"},
        timeout=90,
    )
    assert resigned.status_code == 201, resigned.text
    address = f"{server.url}/v1/rulesets/palace/ladder"
    assert eventually(lambda: httpx.get(address, timeout=90).json()["items"], 60)
    page = second.go("/ladder#palace")
    expect(page.locator("#ladder tbody tr th")).to_have_count(2)
    expect(page.locator("#ladder tr.mine")).to_contain_text("Vera")
    expect(page.locator("#ladder tr.mine")).to_contain_text("?")
    page.get_by_role("link", name="Uwe").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Uwe")
    expect(page.locator("#ratings tbody tr")).to_have_text(re.compile(r"^Palace\d+ provisional1$"))
    expect(page.locator("#between tbody tr")).to_have_text("Palace101")
    expect(page.locator("#together li")).to_contain_text("won")
    expect(page.locator("#latest")).to_be_hidden()
    assert violations(page) == []
    page.get_by_role("link", name="Ladder").click()
    page.get_by_label("Game").select_option("bisca")
    expect(page.get_by_text("Nobody has a rating in this game yet.")).to_be_visible()
    second.go("/")
    page.get_by_role("link", name="My profile").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Vera")
    expect(page.locator("#results tbody tr")).to_have_text(re.compile(r"^Palace\d+ provisional100$"))
    expect(page.locator("#people tbody tr")).to_have_text("Uwe101")
    expect(page.locator("#latest li")).to_contain_text("lost")
    assert page.evaluate("[...document.querySelectorAll('table')].every(t => t.scrollWidth <= t.clientWidth)")
    assert page.locator("#whose svg").evaluate("one => one.clientHeight") < 60
    assert violations(page) == []
    page.get_by_role("link", name="Uwe", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Uwe")
    assert not first.complaints + second.complaints


def test_a_plate_leads_to_the_profile_of_its_player(visit: Callable[..., Visitor]) -> None:
    """Also of somebody who has finished nothing, at a table whose reader has no seat on this device."""
    first, second = visit(), visit()
    seeking, passing = first.go("/"), second.go("/")
    named(seeking, "Ida", "pies", 4)
    seeking.locator("#start").click()
    expect(seeking.locator("#looking")).to_contain_text("Pies · 4 seats · now, without clocks")
    seeking.get_by_role("button", name="Stop looking").click()
    named(seeking, "Ida", "cats_and_dogs", 2)
    seeking.locator("#start").click()
    passing.get_by_label("Your name").fill("Jon")
    passing.locator("#seeks li", has_text="Ida").get_by_role("button", name="Play").click()
    expect(passing.get_by_role("tab", name="Talk")).to_have_attribute("aria-selected", "true")
    expect(passing.get_by_text("Nobody has said anything yet.")).to_be_visible()
    with passing.context.expect_page() as opened:
        passing.locator(".seats").get_by_role("link", name="Ida").click()
    expect(opened.value.get_by_text("No finished games that you may see.")).to_be_visible()
    assert violations(opened.value) == []


def test_the_ladder_shows_only_the_last_answer(visit: Callable[..., Visitor]) -> None:
    """Whoever chooses quickly back and forth, or presses twice, sees each player once."""
    page = visit().go("/ladder#bisca")
    expect(page.locator("#nobody, #ladder").locator("visible=true")).to_have_count(1)
    held: list[Route] = []
    page.route(re.compile("/ladder[?]"), lambda route: held.append(route))

    def answer(count: int) -> None:
        eventually(lambda: page.wait_for_timeout(20) or len(held) == count, 30)
        assert len(held) == count
        while held:
            route = held.pop(0)
            number = route.request.url.partition("cursor=")[2] or "0"
            player = {"id": f"0000000{number}-0000-7000-8000-000000000000", "name": f"Player {number}"}
            row = {"player": player, "rating": 1000, "games": 12, "provisional": False}
            route.fulfill(json={"items": [row], "next": f"{int(number) + 1}"})

    for ruleset in ("palace", "bisca", "palace"):
        page.get_by_label("Game").select_option(ruleset)
    answer(3)
    expect(page.locator("#more")).to_be_visible()
    expect(page.locator("#rows tr")).to_have_count(1)
    page.locator("#more").dblclick()
    answer(2)
    expect(page.locator("#rows tr th")).to_have_text(["Player 0", "Player 1"])
