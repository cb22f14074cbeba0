"""Whole journeys: two friends by a link, and a spectator of a moment. A newcomer's is in test_ending."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.games import ask, sit_down
from tests.browser.player import Player
from tests.support.visitors import PHONE, Visitor, hosted, menu, saved, sit, verify, violations

pytestmark = pytest.mark.browser
DUE = "() => document.querySelector('.title.yours') && document.querySelector('.bar:not(.idle)')"
OVER = "() => document.querySelector('.bar .says')?.textContent === 'The game is over.'"


def play_in_turn(pages: list[Page], most: int) -> bool:
    """Let those move whose turn it is, up to a number of moves; return whether the game is over."""
    players = [Player(page, random.Random(n)) for n, page in enumerate(pages)]
    made = 0
    while made < most:
        if all(page.evaluate(OVER) for page in pages):
            return True
        for player in players:
            if player.page.evaluate(DUE):
                player.move()
                made += 1
        pages[0].wait_for_timeout(50)
    return False


def test_a_stranger_has_neither_won_nor_lost_a_game_of_bots(visitor: Visitor, app: httpx.Client) -> None:
    game = {
        "ruleset": "cats_and_dogs",
        "visibility": "public",
        "seats": [{"bot": "random"}, {"bot": "random"}],
    }
    made = ask(app, "POST", "/v1/games", json=game)
    page = visitor.go("/")
    listed = page.locator("li", has=page.locator(f"a[href='/table/{made['id']}']"))
    expect(listed.locator(".status")).to_have_text("finished")
    expect(listed.locator("time")).to_have_attribute("datetime", made["finished_at"])
    expect(listed.locator("time")).to_be_visible()


def test_two_friends_by_a_link_with_closed_tabs_and_a_phone(visit: Callable[..., Visitor]) -> None:
    host = visit(reduced_motion="reduce")
    friend = visit(reduced_motion="reduce", viewport=PHONE, has_touch=True, is_mobile=True)
    sit(friend.page, hosted(host.go("/")))
    expect(friend.page.locator(".own .hand .card")).to_have_count(5)
    assert not play_in_turn([host.page, friend.page], 3)
    pages = []
    for visitor in (host, friend):  # both close their tabs, and find their seats again
        again = visitor.page.context.new_page()
        visitor.page.close()
        again.goto(f"{visitor.base}/")
        again.locator("#mine-list a").click()
        expect(again.locator(".own .hand .card").first).to_be_visible()
        pages.append(again)
    assert play_in_turn(pages, 60)
    headings = [page.locator(".ending h2") for page in pages]
    for heading in headings:
        expect(heading).to_be_visible()
    assert sorted(heading.inner_text().rstrip(" 0123456789:,") for heading in headings) in (
        ["You have lost", "You have won"],
        ["The game is over", "The game is over"],
    )
    expect(pages[1].get_by_role("button", name="Play again").first).to_be_in_viewport()
    talks = [page.locator(".chat") for page in pages]
    for talk, words in zip(talks, ("Well played!", "Another one?"), strict=True):
        talk.get_by_role("textbox").fill(words)
        talk.get_by_role("button", name="Say").click()
    for talk in talks:  # the log has ended with the game
        expect(talk.locator(".messages p")).to_have_count(2, timeout=20_000)
        assert sorted(talk.locator("p > bdi").all_inner_texts()) == ["Another one?", "Well played!"]
    assert violations(pages[1]) == []
    pages[0].reload()
    expect(pages[0].locator(".chat .messages p")).to_have_count(2)


def test_a_spectator_goes_from_a_moment_to_a_verified_record_and_a_fork(
    visit: Callable[..., Visitor], app: httpx.Client, tmp_path: Path
) -> None:
    table = sit_down(app, "bisca", 2, visibility="public", options={"target": 1})
    game = table.now()
    choices = random.Random(4)
    while game["status"] == "running":
        game = table.play(1, choices)
    games = len(app.get("/v1/games?limit=200").json()["items"])
    page = visit(reduced_motion="reduce").go(f"/table/{table.game}#version=9&comment=Why+not+a+trump%3F")
    expect(page.locator(".where")).to_have_text(re.compile("^9/"))
    expect(page.locator(".comment q")).to_have_text("Why not a trump?")
    expect(page.locator(".own")).to_be_hidden()
    page.get_by_role("button", name="One step forward").click()
    expect(page.locator(".where")).to_have_text(re.compile("^10/"))
    verify(page)
    expect(page.locator(".verdict")).to_contain_text("checks hold")
    (tmp_path / "record.json").write_text(saved(page, "Save the record", tmp_path))
    page.goto(f"{page.url.split('/table')[0]}/record")
    page.locator("#file").set_input_files(tmp_path / "record.json")
    expect(page.locator(".where")).to_have_text(re.compile("^1/"))
    verify(page)
    expect(page.locator(".verdict")).to_contain_text("checks hold")
    assert ask(app, "GET", f"/v1/games/{table.game}")["result"]["winners"] is not None

    page.go_back()  # a page that is loaded again shows the end
    page.locator(".replay input").fill("9")
    expect(page.locator(".where")).to_have_text(re.compile("^9/"))
    menu(page, "What if? Play on from here")
    expect(page.locator(".what-if")).to_be_visible()
    player = Player(page, random.Random(5))
    assert player.wait_for_turn()
    player.move()
    expect(page.locator(".log")).to_contain_text("plays")
    assert table.now()["version"] == game["version"]
    assert len(app.get("/v1/games?limit=200").json()["items"]) == games, "a fork is stored nowhere"
    page.locator(".what-if").click()
    expect(page.locator(".where")).to_have_text(f"9/{game['version']}")


def test_a_record_with_another_seed_is_named_although_it_cannot_be_replayed(
    visitor: Visitor, app: httpx.Client, tmp_path: Path
) -> None:
    record = app.get("/web/sample.json").json()
    record["seed"] = ("1" if record["seed"][0] == "0" else "0") + record["seed"][1:]
    (tmp_path / "record.json").write_text(json.dumps(record))
    page = visitor.go("/record")
    page.locator("#file").set_input_files(tmp_path / "record.json")
    expect(page.locator("#trouble")).to_contain_text("is refused by")
    expect(page.locator("#checks .fails").filter(has_text="promised before the deal")).to_be_visible()
