"""The table in a browser: it shows what the viewer may see, live and replayed, and verifies games."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterable
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, Route, expect

import referee
import referee.records
from tests.browser.games import NAMES, Table, ask, sit_down
from tests.support.visitors import Visitor, menu, press, violations

pytestmark = pytest.mark.browser

SEATS = {
    "bisca": 4,
    "cats_and_dogs": 3,
    "dog_cards": 4,
    "landlord": 4,
    "mau_mau": 4,
    "palace": 3,
    "pedro": 4,
    "pies": 4,
    "truco": 6,
}
MOVES = 8


def strings(value: Any) -> set[str]:
    """Yield every string in a JSON value, except names of members."""
    if isinstance(value, str):
        return {value}
    if isinstance(value, dict):
        value = value.values()
    return set().union(*map(strings, value)) if isinstance(value, Iterable) else set()


def played(app: httpx.Client, ruleset: str, visibility: str = "public") -> Table:
    table = sit_down(app, ruleset, SEATS[ruleset], visibility)
    table.play(MOVES, random.Random(ruleset))
    return table


def hidden(table: Table, seat: int | None) -> set[str]:
    """Return the cards that a viewer was never shown, from the referee. Ends the game to know all cards."""
    ask(table.app, "POST", f"/v1/games/{table.game}/resignation", json={"seat": 0})
    record = ask(table.app, "GET", f"/v1/games/{table.game}/record")
    seen, deck = set(), set()
    for step in referee.steps(referee.read_record({**record, "ended": None, "result": None})):
        public, private = referee.records.account(step.state, step.move, step.transfers, step.seat)
        seen |= strings([public, private.get(str(seat)), referee.view(step.state, seat)])
        deck |= strings(referee.dump(step.state)["zones"])
    return deck - seen


def assert_shown(page: Page, view: dict[str, Any]) -> None:
    """Check that the page shows the zones of the view: the same cards in the same order, or their count."""
    for zone in page.locator("[data-zone]").all():
        lies = view["zones"][zone.get_attribute("data-zone")]
        if zone.get_attribute("data-taken") is not None:  # a full trick is shown until the next step
            assert lies == []
            continue
        cards = [card.get_attribute("data-card") for card in zone.locator(".card").all()]
        count = len(lies) if isinstance(lies, list) else lies["count"]
        assert int(zone.get_attribute("data-count")) == count
        expected = lies if isinstance(lies, list) else [None] * count
        kinds = (zone.get_attribute("class") or "").split()
        seen = 1 if "pile" in kinds else 5 if "heap" in kinds else count
        assert cards == expected[count - seen :]
    drawn = set(page.locator("[data-zone]").evaluate_all("all => all.map(one => one.dataset.zone)"))
    for name, lies in view["zones"].items():
        if name not in drawn:  # an empty one, or another player's hand: the plate shows the number of cards
            count = len(lies) if isinstance(lies, list) else lies["count"]
            seat = name.partition(".")[2]
            held = page.locator(f"[data-seat='{seat}'] .held") if seat else None
            assert count == 0 or (held is not None and held.inner_text().split()[-1] == str(count)), name
    scores = [seat.locator(".score").inner_text().split()[-1] for seat in by_seat(page)]
    assert scores == [str(score) for score in view["scores"]]

    def acting() -> list[int]:
        return [n for n, seat in enumerate(by_seat(page)) if seat.locator(".plate.acts").count()]

    assert acting() == view["to_act"]


def by_seat(page: Page) -> list[Any]:
    return [page.locator(f"[data-seat='{n}']") for n in range(page.locator("[data-seat]").count())]


@pytest.fixture
def visitor(visit: Callable[..., Visitor]) -> Visitor:
    """Return a visitor for whom the page makes no forced moves: the table stays as it is."""
    visitor = visit()
    visitor.page.add_init_script("localStorage['card-referee:prefers:no-forced'] = 'yes'")
    return visitor


def wait_for_version(page: Page, version: int) -> None:
    expect(page.locator(".log > li[aria-current]")).to_have_attribute("data-seq", str(version))
    expect(page.locator(".where")).to_have_text(re.compile(rf"^{version}/"))


@pytest.mark.parametrize("ruleset", SEATS)
@pytest.mark.parametrize("seat", [None, 1])
def test_a_viewer_sees_what_it_may_and_nothing_else(
    visitor: Visitor, app: httpx.Client, ruleset: str, seat: int | None
) -> None:
    table = played(app, ruleset)
    version = table.now()["version"]
    page = visitor.go(f"/table/{table.game}" + ("" if seat is None else f"#token={table.tokens[seat]}"))
    wait_for_version(page, version)
    assert_shown(page, referee.view(referee.read(table.position_at(version)), seat))
    for _ in range(3):
        version -= 1
        press(page, "[")
        wait_for_version(page, version)
        assert_shown(page, referee.view(referee.read(table.position_at(version)), seat))
    sent = strings(visitor.documents("/v1/games/"))
    assert len(visitor.documents("/v1/games/")) >= 4
    drawn = set(page.locator("[data-card]").evaluate_all("all => all.map(one => one.dataset.card)"))
    secret = hidden(table, seat)
    assert secret or ruleset == "dog_cards"  # with eight cards of each kind, all may have been seen
    assert not secret & sent
    assert not secret & drawn


def test_a_move_shows_at_once(visitor: Visitor, app: httpx.Client) -> None:
    table = played(app, "pies")
    page = visitor.go(f"/table/{table.game}")
    wait_for_version(page, table.now()["version"])
    for _ in range(3):
        game = table.play(1, random.Random(1))
        wait_for_version(page, game["version"])
        assert_shown(page, referee.view(referee.read(game["view"]), None))
    assert page.locator(".log > li").count() == game["version"]
    # A viewer of an old version stays there, but sees that the game has continued.
    page.get_by_role("button", name="To the beginning").click()
    wait_for_version(page, 1)
    game = table.play(1, random.Random(1))
    expect(page.locator(".log > li")).not_to_have_count(0)
    expect(page.locator(".where")).to_have_text(f"1/{game['version']}")
    page.get_by_role("button", name="To the end").click()
    wait_for_version(page, game["version"])


def test_every_card_of_an_open_row_is_drawn(visitor: Visitor, app: httpx.Client) -> None:
    """In cats and dogs for two, the first of five open cards belongs to the trick."""
    table = sit_down(app, "cats_and_dogs", 2)
    page = visitor.go(f"/table/{table.game}")
    wait_for_version(page, table.now()["version"])
    drawn = page.locator("[data-zone=open] .card").evaluate_all("all => all.map(one => one.dataset.card)")
    assert drawn == table.now()["view"]["zones"]["open"]
    assert len(drawn) == 5


def test_a_finished_game_is_replayed_and_verified(visitor: Visitor, app: httpx.Client) -> None:
    table = sit_down(app, "cats_and_dogs", 2)
    game = table.play(1000, random.Random(2))
    assert game["status"] == "finished"
    page = visitor.go(f"/table/{table.game}#version=1")
    expect(page.locator(".where")).to_have_text(f"1/{game['version']}")
    slider = page.get_by_role("slider", name="Version")
    slider.focus()
    for version in (2, 3, 4):
        slider.press("ArrowRight")
        wait_for_version(page, version)
    slider.press("End")
    wait_for_version(page, game["version"])
    winner = table.now()["seats"][game["result"]["winners"][0]]["player"]["name"]
    expect(page.locator(".title")).to_contain_text(f"{winner} wins")
    page.get_by_role("tab", name="Trust").click()
    page.get_by_role("button", name="Verify in this browser").click()
    expect(page.locator(".checks [data-check='watched']")).to_have_count(1)
    expect(page.locator(".verdict")).to_contain_text("checks hold")
    assert page.locator(".checks .holds").count() >= 7
    assert page.locator(".checks .fails").count() == 0
    page.get_by_role("button", name="Verify on the server").click()
    expect(page.locator(".checks [data-check='verdicts']")).to_have_class("holds")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save the record").click()
    assert referee.verify(json.loads(saved.value.path().read_text())).ok


def test_keys_step_through_a_game_but_not_while_typing(visitor: Visitor, app: httpx.Client) -> None:
    table = played(app, "pies")
    newest = table.now()["version"]
    page = visitor.go(f"/table/{table.game}#token={table.tokens[0]}")
    wait_for_version(page, newest)
    for key, version in (
        ("[", newest - 1),
        ("[", newest - 2),
        ("]", newest - 1),
        ("Home", 1),
        ("End", newest),
    ):
        page.keyboard.press(key)
        wait_for_version(page, version)
    say = page.get_by_label("Say something")
    say.fill("")
    say.press_sequentially("[?]")
    expect(say).to_have_value("[?]")
    wait_for_version(page, newest)
    page.locator(".felt").focus()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    menu(page, "Disable shortcuts")
    press(page, "[")
    page.get_by_role("tab", name="Log").click()
    page.get_by_role("button", name=f"Show version {newest - 1}").click()
    wait_for_version(page, newest - 1)


def test_a_forged_record_does_not_verify(visitor: Visitor, app: httpx.Client) -> None:
    table = sit_down(app, "cats_and_dogs", 2)
    table.play(1000, random.Random(2))

    def forge(route: Route) -> None:
        record = route.fetch().json()
        entry = next(entry for entry in record["entries"] if entry["type"] == "moved")
        entry["at"] = entry["at"].replace("20", "21", 1)
        route.fulfill(json=record)

    visitor.page.route("**/record", forge)
    page = visitor.go(f"/table/{table.game}")
    page.get_by_role("tab", name="Trust").click()
    page.get_by_role("button", name="Verify in this browser").click()
    expect(page.locator(".verdict")).to_contain_text("checks fail")
    expect(page.locator(".checks .fails[data-check='chain']")).to_be_visible()


def test_no_address_contains_a_token(visitor: Visitor, app: httpx.Client) -> None:
    table = played(app, "pies", "private")
    token = table.tokens[2]
    page = visitor.go(f"/table/{table.game}#token={token}")
    expect(page.locator("[data-zone='hand.2'] [data-card]").first).to_be_visible()
    assert token not in page.url
    page.reload()
    expect(page.locator(".own[data-seat='2'] .tag.you")).to_be_visible()
    assert page.locator("[data-zone='hand.1'] [data-card]").count() == 0
    assert not any(token in url for url in visitor.asked)
    assert token not in page.content()


def test_a_private_game_asks_for_a_token(visit: Callable[..., Visitor], app: httpx.Client) -> None:
    table = played(app, "pies", "private")
    visitor = visit()
    page = visitor.go(f"/table/{table.game}")
    expect(page.locator("#why")).to_contain_text("no such game")
    expect(page.locator("#table")).to_be_hidden()
    page.locator("#by-token > summary").click()
    page.get_by_label("Player token or app key").fill(table.tokens[0])
    page.get_by_role("button", name="Use it").click()
    expect(page.locator("[data-zone='hand.0'] [data-card]").first).to_be_visible()
    # Chromium reports only the refusal that this test is about.
    assert len(visitor.complaints) == 1
    assert "404" in visitor.complaints.pop()


def test_messages_are_shown_as_text_never_as_markup(visitor: Visitor, app: httpx.Client) -> None:
    table = played(app, "pies")
    said = "<img src=x onerror=alert(1)> & <b>hello</b>"
    ask(app, "POST", f"/v1/games/{table.game}/messages", json={"seat": 0, "text": said})
    page = visitor.go(f"/table/{table.game}")
    expect(page.locator(".log q")).to_have_text(said)
    assert page.locator(".log img").count() == 0


def test_a_take_back_request_is_answered_at_the_table(visitor: Visitor, app: httpx.Client) -> None:
    table = sit_down(app, "pedro", 4)
    game = f"/v1/games/{table.game}"
    table.play(2, random.Random(1))  # the deal, and a bid that shows no card
    bid = ask(app, "GET", f"{game}/events?limit=200")["items"][-1]
    asker, other = bid["seat"], (bid["seat"] + 1) % 4
    page = visitor.go(f"/table/{table.game}#token={table.tokens[other]}")
    asked, log = page.locator(".asked"), page.locator(".log")
    for button, words in (
        ("Refuse", "does not agree to take back move"),
        ("Agree", "agrees to take back move"),
    ):
        ask(app, "POST", f"{game}/take-back", json={"seat": asker})
        expect(asked).to_contain_text(f"{NAMES[asker]} asks to take move {bid['seq']} back.")
        expect(log).to_contain_text(f"{NAMES[asker]} asks to take back move {bid['seq']}.")
        asked.get_by_role("button", name=button).click()
        expect(log).to_contain_text(f"{NAMES[other]} {words} {bid['seq']}.")
        expect(asked).to_be_hidden()
    for seat in {0, 1, 2, 3} - {asker, other}:
        ask(app, "POST", f"{game}/take-back/answer", json={"seat": seat, "agree": True})
    expect(log).to_contain_text(f"{NAMES[asker]} takes move {bid['seq']} back.")


def test_games_are_found_without_a_link(visitor: Visitor, app: httpx.Client) -> None:
    table = played(app, "bisca")
    page = visitor.go("/")
    page.locator(f"a[href='/table/{table.game}']").click()
    wait_for_version(page, table.now()["version"])


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_the_table_is_accessible(
    visit: Callable[..., Visitor], app: httpx.Client, scheme: str, width: int
) -> None:
    """Axe finds no problems with names, roles and contrast, and nothing is wider than a phone."""
    table = played(app, "dog_cards")
    page = visit(color_scheme=scheme, viewport={"width": width, "height": 800}).go(
        f"/table/{table.game}#token={table.tokens[0]}"
    )
    wait_for_version(page, table.now()["version"])
    for tab in ("Talk", "How to play", "Trust", "Log"):
        if width < 900 and not page.locator(".panel.sheet").count():
            menu(page, "Log")
        page.get_by_role("tab", name=tab).click()
        assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("ruleset", SEATS)
def test_every_phase_is_accessible(visit: Callable[..., Visitor], app: httpx.Client, ruleset: str) -> None:
    """Axe finds nothing in any phase, for a seat to act, with something selected, light and dark."""
    missing = {*ask(app, "GET", f"/v1/rulesets/{ruleset}")["phases"]}
    choices = random.Random(ruleset)
    page = visit(reduced_motion="reduce", viewport={"width": 390, "height": 844}).page
    for _ in range(6):
        table = sit_down(app, ruleset, SEATS[ruleset])
        for _ in range(150):
            game = table.now()
            phase = game["view"]["phase"]
            if phase in missing:
                missing.discard(phase)
                look_at(page, table, game)
            if game["status"] != "running" or not missing - {"over"}:
                break
            table.play(1, choices)
        if "over" in missing and not missing - {"over"}:
            if table.now()["status"] == "running":
                ask(app, "POST", f"/v1/games/{table.game}/resignation", json={"seat": 0})
            missing.discard("over")
            look_at(page, table, table.now())
        if not missing:
            break
    assert not missing


def look_at(page: Page, table: Table, game: dict[str, Any]) -> None:
    seat = game["to_act"][0] if game["to_act"] else 0
    if page.url.startswith("http"):
        page.evaluate(
            "sessionStorage.clear(); localStorage.clear()"
        )  # else the page asks before it takes another seat's token
    page.goto("about:blank")
    page.goto(f"{str(table.app.base_url).rstrip('/')}/table/{table.game}#token={table.tokens[seat]}")
    wait_for_version(page, game["version"])
    if game["to_act"]:
        expect(page.locator(".bar:not(.idle)")).to_be_visible()
    free = page.locator("button.card[aria-pressed=false]:not([aria-disabled])")
    if free.count():
        free.first.click(position={"x": 6, "y": 20})
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        assert violations(page) == []


def test_what_people_wrote_is_isolated(visitor: Visitor, app: httpx.Client) -> None:
    table = played(app, "cats_and_dogs")
    text = "\u202e73 ta tuc"
    ask(app, "POST", f"/v1/games/{table.game}/messages", json={"seat": 0, "text": text})
    ask(app, "POST", f"/v1/games/{table.game}/resignation", json={"seat": 0})
    page = visitor.go(f"/table/{table.game}")
    expect(page.locator(".title")).to_contain_text("win")
    loose = """names => {
        const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        const found = [];
        while (walk.nextNode())
            if (names.some(name => walk.currentNode.data.includes(name))
                && !walk.currentNode.parentElement.closest("bdi, script")) found.push(walk.currentNode.data);
        return found;
    }"""
    assert page.evaluate(loose, [*NAMES[:3], text]) == []
    expect(page.locator(".log bdi", has_text=text).first).to_be_attached()
    assert page.evaluate(loose, [*NAMES[:3], text]) == []
    visitor.go("/")
    expect(page.get_by_text(NAMES[0]).first).to_be_visible()
    assert page.evaluate(loose, [*NAMES[:3]]) == []


def test_a_seat_shows_what_its_cards_are_worth_so_far(
    visit: Callable[..., Visitor], app: httpx.Client
) -> None:
    """Card points that are scored only at the end of a hand; partners have one colour."""
    table = sit_down(app, "bisca", 4)
    table.play(24, random.Random(1))
    page = visit(reduced_motion="reduce").go(f"/table/{table.game}#token={table.tokens[0]}")
    points = {card["id"]: card["points"] for card in ask(app, "GET", "/v1/rulesets/bisca")["cards"]}
    zones = table.now()["view"]["zones"]
    worth = [sum(points[card] for card in zones[f"won.{seat}"]) for seat in range(4)]
    assert any(worth)
    for seat, found in enumerate(worth):
        tag = page.locator(f"[data-seat='{seat}'] .tag.taken")
        expect(tag).to_have_text([f"+{found}"] if found else [])
    truco = sit_down(app, "truco", 4)
    other = visit(reduced_motion="reduce").go(f"/table/{truco.game}#token={truco.tokens[0]}")
    expect(other.locator(".own .plate")).to_have_attribute("data-team", "0")
    expect(other.locator(".plate[data-team='0']")).to_have_count(2)
    expect(other.locator(".plate[data-team='1']")).to_have_count(2)
