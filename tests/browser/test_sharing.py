"""Friends, tabs, interruptions and other sites: a shared game loses nothing and leaks nothing."""

from __future__ import annotations

import random
import re
import threading
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.games import SHORT, ask, sit_down
from tests.browser.player import Player
from tests.servers.serving import free_directory, serve
from tests.support.visitors import PHONE, Visitor, against_bots, menu, press, start, violations

pytestmark = pytest.mark.browser


def test_two_clicks_lead_to_a_table(visit: Callable[..., Visitor]) -> None:
    page = visit(viewport=PHONE, reduced_motion="reduce").go("/")
    start(page, "mau_mau")
    page.wait_for_url("**/table/**")
    player = Player(page, random.Random(1))
    assert player.wait_for_turn()
    player.move()


def test_a_friend_joins_by_a_link_and_sees_one_hand(visit: Callable[..., Visitor]) -> None:
    host = visit(reduced_motion="reduce").go("/")
    start(host, "cats_and_dogs", 2, "open")
    link = host.get_by_role("textbox", name="Link").input_value()
    assert "invite=" not in link.partition("#")[0]

    visitor = visit(reduced_motion="reduce", viewport=PHONE)
    visitor.page.goto(link)
    visitor.page.get_by_label("Your name").fill("Zoë")
    visitor.page.get_by_role("button", name="Join").click()
    friend = visitor.page
    friend.wait_for_url("**/table/**")
    for page, name in ((host, "Zoë"), (friend, "Guest")):
        expect(page.locator(".seat .name").first).to_have_text(name)
    expect(friend.locator(".own[data-seat='1'] .hand .card")).to_have_count(5)
    assert friend.locator("[data-zone='hand.0'] [data-card]").count() == 0
    players = [Player(page, random.Random(2)) for page in (host, friend)]
    for _ in range(4):
        turn = "document.querySelector('.title.yours') !== null"
        while not any(page.evaluate(turn) for page in (host, friend)):
            host.wait_for_timeout(50)
        mover = players[0] if host.evaluate(turn) else players[1]
        mover.wait_for_turn()
        mover.move()
        for page in (host, friend):
            expect(page.locator(".where")).to_have_text(re.compile(rf"/{mover.version()}$"))
    invite = re.search(r"invite=(\w+)", link)
    assert invite
    assert not any(invite[1] in url for url in visitor.asked)
    # The link can no longer be used.
    third = visit()
    third.page.goto(link)
    expect(third.page.get_by_role("alert")).to_contain_text("has begun without you")
    third.complaints.clear()  # Chromium's own message about the refusal


def test_eight_tabs_show_every_move(visit: Callable[..., Visitor], app: httpx.Client) -> None:
    tables = [sit_down(app, "pies", 4) for _ in range(4)]
    visitor = visit()
    pages = []
    for n in range(8):
        page = visitor.page if n == 0 else visitor.page.context.new_page()
        page.goto(f"{visitor.base}/table/{tables[n % 4].game}")
        pages.append(page)
    for page in pages:
        expect(page.locator(".title")).to_contain_text("Waiting for")
    for table in tables:
        table.play(1, random.Random(3))
    for n, page in enumerate(pages):
        expect(page.locator(".where")).to_have_text(re.compile(rf"/{tables[n % 4].now()['version']}$"))


def test_a_restart_during_a_move_gives_one_entry(chromium: Browser) -> None:
    with free_directory() as directory:
        with serve(directory) as first:
            port = first.url.rpartition(":")[2]
            context = chromium.new_context(reduced_motion="reduce")
            context.set_default_timeout(90_000)
            with httpx.Client(
                base_url=first.url, headers={"Authorization": f"Bearer {first.new_key('read', 'write')}"}
            ) as app:
                game, token = against_bots(app, "pies", 4, {})
            page = context.new_page()
            sent: list[str] = []
            page.on("request", lambda r: sent.append(r.headers.get("idempotency-key", "")))
            page.goto(f"{first.url}/table/{game}#token={token}")
            player = Player(page, random.Random(4))
            assert player.wait_for_turn()
            answered, restarted = threading.Event(), threading.Event()

            def lose_the_answer(route: Route) -> None:
                if not answered.is_set():  # the move was made, but its answer was lost
                    route.fetch()
                    answered.set()
                if not restarted.is_set():
                    route.abort("connectionreset")
                else:
                    route.continue_()

            page.route("**/moves", lose_the_answer)
            while not player.step():
                pass
            expect(page.locator(".bar .says")).to_contain_text("sent again")
        with serve(directory, "--port", port):
            restarted.set()
            expect(page.locator(".bar .says")).not_to_contain_text("sent again")
            expect(page.locator(".trouble")).to_be_hidden()
            shown = httpx.get(
                f"{first.url}/v1/games/{game}/events?limit=200", headers={"Authorization": f"Bearer {token}"}
            ).json()["items"]
            mine = [entry for entry in shown if entry["type"] == "moved" and entry["seat"] == 0]
            assert len(mine) == 1
            assert len({key for key in sent if key}) == 1
        context.close()


def test_ten_seats_fit_a_phone(visit: Callable[..., Visitor], app: httpx.Client) -> None:
    table = sit_down(app, "truco", 10)  # bots might end the game before it is a player's turn
    token = table.tokens[table.now()["to_act"][0]]
    page = visit(viewport=PHONE, reduced_motion="reduce").go(f"/table/{table.game}#token={token}")
    assert Player(page, random.Random(5)).wait_for_turn()
    for part in (".title", ".hand .card:last-child", ".bar", ".right .seat:last-child .plate"):
        box = page.locator(part).bounding_box()
        assert box is not None
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= PHONE["height"]
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= PHONE["width"]
    small = page.locator(".bar button").evaluate_all(
        """all => all.map(one => one.getBoundingClientRect())
            .filter(({width, height}) => Math.min(width, height) < 43.9).length"""
    )
    assert small == 0


def test_the_page_of_a_long_game_stays_small_and_does_not_shift(
    visit: Callable[..., Visitor], app: httpx.Client
) -> None:
    table = sit_down(app, "pies", 4)
    newest = table.play(239, random.Random(6))["version"]
    assert newest == 245
    visitor = visit(viewport=PHONE, reduced_motion="reduce")
    page = visitor.go(f"/table/{table.game}#token={table.tokens[0]}")
    expect(page.locator(".where")).to_have_text(f"{newest}/{newest}")

    def asked() -> int:
        beside = ("/legal-moves?seat=0", "/orders?seat=0")  # which may come at any time
        return len([url for url in visitor.asked if "/v1/" in url and not url.endswith(beside)])

    before = asked()
    press(page, "Home")
    expect(page.locator(".where")).to_have_text(f"1/{newest}")
    expect(page.locator(".log > li[aria-current]")).to_have_attribute("data-seq", "1")
    assert asked() - before <= 2
    places = set()
    for version in range(1, newest + 1, 6):
        page.locator(".replay input").fill(str(version))
        expect(page.locator(".log > li[aria-current]")).to_have_attribute("data-seq", str(version))
        places.add(page.locator(".bar").evaluate("bar => bar.getBoundingClientRect().y"))
        assert page.evaluate("document.querySelectorAll('*').length") <= 3000
    assert len(places) == 1


# --- records and disputes -------------------------------------------------------------------------------


def test_a_record_from_disk_is_replayed_and_verified(
    visitor: Visitor, app: httpx.Client, tmp_path: Path
) -> None:
    table = sit_down(app, "bisca", 2)
    table.play(30, random.Random(8))
    ask(app, "POST", f"/v1/games/{table.game}/resignation", json={"seat": 0})
    file = tmp_path / "record.json"
    file.write_text(app.get(f"/v1/games/{table.game}/record").text)
    page = visitor.go("/record")
    page.locator("#file").set_input_files(file)
    newest = table.now()["version"]
    expect(page.locator(".where")).to_have_text(f"1/{newest}")
    press(page, "End")
    expect(page.locator(".title")).to_contain_text("wins")
    page.get_by_role("tab", name="Trust").click()
    page.get_by_role("button", name="Verify in this browser").click()
    expect(page.locator(".verdict")).to_contain_text("checks hold")
    games = app.get("/v1/games").json()["items"]
    assert [game["id"] for game in games].count(table.game) == 1


def test_the_start_page_has_a_match_to_look_at(visitor: Visitor) -> None:
    page = visitor.go("/")
    page.get_by_text("A recorded match").click()
    expect(page.locator(".seat .card").first).to_be_visible()  # it begins with the deal
    page.get_by_role("button", name="To the beginning").click()
    expect(page.locator(".where")).to_have_text(re.compile("^1/"))
    page.get_by_role("button", name="One step forward").click()
    expect(page.locator(".where")).to_have_text(re.compile("^2/"))


def test_a_dispute_report_is_shown(visitor: Visitor, app: httpx.Client) -> None:
    table = sit_down(app, "pies", 4, "private")
    table.play(10, random.Random(9))
    game = ask(app, "POST", f"/v1/games/{table.game}/resignation", json={"seat": 0})["game"]
    page = visitor.go(f"/table/{table.game}#token={table.tokens[1]}")
    expect(page.locator(".title")).to_contain_text("loses")
    page.locator(".menu > summary").click()
    page.get_by_role("button", name="Dispute report").click()
    expect(page.locator("#report .moves")).to_be_visible()
    head = app.get(f"/v1/games/{table.game}/events?after={game['version'] - 1}").json()["items"][0]["hash"]
    for fact in (table.game, game["commitment"], head):
        expect(page.locator("#facts")).to_contain_text(fact)
    assert violations(page) == []


# --- what if ----------------------------------------------------------------------------------------------


def what_if(page: Page) -> None:
    menu(page, "What if? Play on from here")
    expect(page.locator(".what-if")).to_be_visible()


@pytest.mark.parametrize("ruleset", ["bisca", "dog_cards", "truco"])
def test_somebody_plays_on_from_a_moment_of_a_finished_game(
    visit: Callable[..., Visitor], app: httpx.Client, ruleset: str
) -> None:
    seats, options = SHORT[ruleset]
    table = sit_down(app, ruleset, seats, options=options)
    game = table.play(24, random.Random(7))
    if game["status"] == "running":
        game = ask(app, "POST", f"/v1/games/{table.game}/resignation", json={"seat": 0})["game"]
    before = len(app.get("/v1/games?limit=200").json()["items"])
    page = visit(reduced_motion="reduce").go(f"/table/{table.game}#version={seats + 8}")
    expect(page.locator(".where")).to_have_text(re.compile(f"^{seats + 8}/"))
    [seat] = table.position_at(seats + 8)["to_act"][:1]
    what_if(page)
    expect(page.locator(f".own[data-seat='{seat}'] .hand .card").first).to_be_visible()
    assert page.locator(f".seat:not([data-seat='{seat}']) [data-zone^=hand] [data-card]").count() == 0
    player = Player(page, random.Random(8))
    for _ in range(2):
        if player.wait_for_turn():
            player.move()
    assert table.now()["version"] == game["version"]
    assert len(app.get("/v1/games?limit=200").json()["items"]) == before, "nothing is stored"
    page.locator(".what-if").click()
    expect(page.locator(".where")).to_have_text(f"{seats + 8}/{game['version']}")
    expect(page.locator(".what-if")).to_be_hidden()


def test_what_if_in_a_running_game_shows_nothing(visit: Callable[..., Visitor], app: httpx.Client) -> None:
    """The other hand is dealt anew: the page is never sent the real one."""
    table = sit_down(app, "pies", 4, "private")
    game = table.play(5, random.Random(9))
    visitor = visit(reduced_motion="reduce")
    page = visitor.go(f"/table/{table.game}#token={table.tokens[2]}")
    expect(page.locator(".own .hand .card").first).to_be_visible()
    with page.expect_response("**/v1/referee/samples") as answered:
        what_if(page)
    dealt = answered.value.json()["position"]["zones"]
    real = game["view"]["zones"]
    assert sorted(dealt["hand.2"]) == sorted(real["hand.2"])
    hidden = [card for seat in (0, 1, 3) for card in dealt[f"hand.{seat}"]]
    assert sorted(hidden) == sorted(card for seat in (0, 1, 3) for card in real[f"hand.{seat}"])
    assert any(dealt[f"hand.{seat}"] != real[f"hand.{seat}"] for seat in (0, 1, 3))
    expect(page.locator(".trouble")).to_contain_text("dealt anew")


def test_back_from_what_if_the_table_shows_what_has_been_played_meanwhile(
    visit: Callable[..., Visitor], app: httpx.Client
) -> None:
    table = sit_down(app, "pies", 4)
    table.play(5, random.Random(9))
    page = visit(reduced_motion="reduce").go(f"/table/{table.game}#token={table.tokens[2]}")
    expect(page.locator(".own .hand .card").first).to_be_visible()
    what_if(page)
    version = table.play(1, random.Random(9))["version"]
    page.locator(".what-if").click()
    expect(page.locator(".where")).to_have_text(f"{version}/{version}")


@pytest.mark.parametrize("version", ["-3", "2.5", "1e9", "x"])
def test_a_link_to_an_impossible_moment_shows_the_table(
    visit: Callable[..., Visitor], app: httpx.Client, version: str
) -> None:
    table = sit_down(app, "cats_and_dogs", 2)
    shown = {"2.5": 2}.get(version, table.now()["version"])
    page = visit().go(f"/table/{table.game}#version={version}&comment=Look")
    expect(page.locator(".where")).to_have_text(re.compile(f"^{shown}/"))
