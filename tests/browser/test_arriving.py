"""Arriving at a table: from the start page, by an invite, in a frame, with a file; by pointer and by keys."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import httpx
import pytest
import segno
from playwright.sync_api import Route, expect

from tests.browser.games import sit_down
from tests.browser.player import FREE, Player
from tests.support.visitors import PHONE, Visitor, choose, hosted, sit, start, violations

pytestmark = pytest.mark.browser
NOBODY = "01890000-0000-7000-8000-000000000000"


@pytest.mark.parametrize("size", [PHONE, {"width": 360, "height": 640}])
def test_the_start_button_is_visible_on_a_phone_without_scrolling(
    visit: Callable[..., Visitor], size: Any
) -> None:
    page = visit(viewport=size).go("/")
    choose(page, "cats_and_dogs")
    begin = page.get_by_role("button", name="Start")
    expect(begin).to_be_enabled()
    expect(begin).to_be_in_viewport(ratio=1)
    assert page.evaluate("scrollY") == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]


def test_the_keyboard_focus_is_at_the_table_after_the_start(visit: Callable[..., Visitor]) -> None:
    page = visit(reduced_motion="reduce").go("/")
    choose(page, "cats_and_dogs")
    page.locator("#start").press("Enter")
    assert Player(page, random.Random(1)).wait_for_turn()
    expect(page.locator(".hand button.card:focus")).to_have_count(1)


def test_the_invitation_goes_when_its_seat_is_taken(visit: Callable[..., Visitor]) -> None:
    host, friend = (visit(reduced_motion="reduce") for _ in range(2))
    link = hosted(host.go("/"))
    expect(host.page.locator(".waiting .invitation .qr")).to_be_visible()
    expect(host.page.locator(".waiting .rules-card")).to_contain_text("Cats fight dogs")
    sit(friend.page, link)
    expect(host.page.locator(".own .hand .card")).to_have_count(5)
    expect(host.page.locator(".waiting")).to_have_count(0)
    assert host.page.evaluate("document.activeElement.closest('.app') !== null")


def test_a_friend_commits_without_a_request_that_fails(visit: Callable[..., Visitor]) -> None:
    """The page also says beforehand which game it is. (Errors fail the test for every visitor.)"""
    host, friend = (visit(reduced_motion="reduce") for _ in range(2))
    link = hosted(host.go("/"), "commit")
    friend.page.goto(link)
    expect(friend.page.locator("#game")).to_contain_text("Cats and Dogs")
    expect(friend.page.get_by_label("Your name")).to_be_focused()
    sit(friend.page, link)
    for page in (host.page, friend.page):
        expect(page.locator(".own .hand .card")).to_have_count(5)
    assert all(answer.status < 400 for answer in friend.answers)


def test_a_closed_tab_loses_no_seat(visit: Callable[..., Visitor]) -> None:
    """The start page and the used invite lead back to it; an open invite offers both."""
    host, friend = (visit(reduced_motion="reduce") for _ in range(2))
    link = hosted(host.go("/"))
    second = host.page.context.new_page()
    second.goto(link)
    expect(second.get_by_role("link", name="Back to my seat")).to_be_visible()
    expect(second.get_by_label("Your name")).to_be_visible()
    sit(friend.page, link)
    expect(friend.page.locator(".own[data-seat='1'] .hand .card")).to_have_count(5)
    reopened = friend.page.context.new_page()
    friend.page.close()
    reopened.goto(f"{friend.base}/")
    reopened.locator("#mine-list a").click()
    expect(reopened.locator(".own[data-seat='1'] .hand .card")).to_have_count(5)
    again = reopened.context.new_page()
    again.goto(link)
    again.wait_for_url("**/table/**")
    expect(again.locator(".own[data-seat='1'] .hand .card")).to_have_count(5)


def test_an_invalid_name_is_reported_in_a_sentence(visit: Callable[..., Visitor]) -> None:
    host, friend = visit(reduced_motion="reduce"), visit()
    link = hosted(host.go("/"))
    sit(friend.page, link, "   ")
    expect(friend.page.locator("#trouble")).not_to_be_empty()
    said = friend.page.locator("#trouble").inner_text()
    assert "name:" not in said
    assert said.startswith("Your name")
    assert said.endswith(".")
    friend.complaints.clear()  # Chromium's own message, if a request was sent


def test_a_frame_without_a_game_says_so_and_offers_nothing(visit: Callable[..., Visitor]) -> None:
    visitor = visit()
    page = visitor.go(f"/embed/{NOBODY}")
    expect(page.get_by_role("alert")).to_have_text("There is no such game, or you may not see it.")
    expect(page.locator("button:visible, input:visible, [role=tab]:visible, summary:visible")).to_have_count(
        0
    )
    assert [said for said in visitor.complaints if NOBODY not in said and "404" not in said] == []
    assert len(visitor.complaints) <= 1, "Chromium's own message about the refusal"
    visitor.complaints.clear()


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"format": "card-referee/1"}, "It lacks ruleset, seats and moves."),
        ({"format": "card-referee/1", "ruleset": "pies", "moves": []}, "It lacks seats."),
        (
            {"format": "card-referee/1", "ruleset": 7, "seats": "4", "moves": []},
            "It lacks ruleset and seats.",
        ),
        ([], "its format is not card-referee/1"),
    ],
)
def test_a_file_is_checked_before_any_request(
    visit: Callable[..., Visitor], tmp_path: Path, record: Any, said: str
) -> None:
    visitor = visit()
    page = visitor.go("/record")
    (tmp_path / "record.json").write_text(json.dumps(record))
    page.locator("#file").set_input_files(tmp_path / "record.json")
    expect(page.locator("#trouble")).to_contain_text(said)
    assert not [url for url in visitor.asked if "/v1/" in url]


def test_enter_selects_a_card_and_then_plays_it(visit: Callable[..., Visitor], app: httpx.Client) -> None:
    table = sit_down(app, "cats_and_dogs", 2)
    version = table.now()["version"]
    [mover] = table.now()["to_act"]
    page = visit(reduced_motion="reduce").go(f"/table/{table.game}#token={table.tokens[mover]}")
    card = page.locator(FREE).first
    card.focus()
    page.keyboard.press("Enter")
    expect(page.locator("button.card[aria-pressed=true]")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.locator(".where")).to_have_text(f"{version + 1}/{version + 1}")


def test_ten_seats_on_a_phone_show_their_teams(visit: Callable[..., Visitor], app: httpx.Client) -> None:
    table = sit_down(app, "truco", 10)
    page = visit(viewport=PHONE, reduced_motion="reduce").go(f"/table/{table.game}#token={table.tokens[0]}")
    expect(page.locator(".own .hand .card").first).to_be_visible()
    teams = page.locator(".tag", has_text="team")
    expect(teams).to_have_count(10)
    cut = teams.evaluate_all(
        """all => all.filter(tag => {
            const [inner, outer] = [tag, tag.parentElement].map(one => one.getBoundingClientRect());
            return !inner.width || inner.right > outer.right + 0.5 || inner.bottom > outer.bottom + 0.5;
        }).length"""
    )
    assert cut == 0


def test_the_last_jump_counts(visit: Callable[..., Visitor], app: httpx.Client) -> None:
    table = sit_down(app, "pies", 4)
    newest = table.play(4, random.Random(1))["version"]
    visitor = visit(reduced_motion="reduce")
    page = visitor.go(f"/table/{table.game}")
    expect(page.locator(".where")).to_have_text(f"{newest}/{newest}")
    held: list[Route] = []
    page.route("**/v1/games/*?version=2", lambda route: held.append(route))
    page.locator(".replay input").fill("2")
    while not held:
        page.wait_for_timeout(20)
    page.locator(".replay input").fill("3")
    held[0].continue_()
    expect(page.locator(".log > li[aria-current]")).to_have_attribute("data-seq", "3")
    expect(page.locator(".where")).to_have_text(f"3/{newest}")


COVERED = """() => {
  const focus = document.activeElement;
  const {left, top, width, height} = (focus.closest("label") ?? focus).getBoundingClientRect();
  const there = document.elementFromPoint(left + width / 2, top + height / 2);
  const isSeen = (focus.closest("label") ?? focus).contains(there);
  return {focus: focus.outerHTML.slice(0, 90), height, isSeen};
}"""


@pytest.mark.parametrize("size", [(390, 844), (844, 390), (1024, 768), (1280, 800)], ids=str)
def test_nothing_of_the_sheet_lies_over_what_has_the_focus(
    visit: Callable[..., Visitor], size: tuple[int, int]
) -> None:
    width, height = size
    page = visit(viewport={"width": width, "height": height}, reduced_motion="reduce").go("/")
    if min(size) > 500:
        page.evaluate("document.documentElement.style.fontSize = '200%'")
    choose(page, "mau_mau", against="open")
    for opened in ("Options of the game", "More options"):
        page.get_by_text(opened).click()
    for key in [*["Tab"] * 18, *["Shift+Tab"] * 18]:
        page.keyboard.press(key)
        found = page.evaluate(COVERED)
        if "<body" not in found["focus"]:
            assert found["isSeen"], (key, found)
            assert found["height"] < height / 2, (key, found)


def test_a_host_who_waits_gives_the_free_seat_to_a_bot(visit: Callable[..., Visitor]) -> None:
    host = visit()
    hosted(host.go("/"))
    host.page.get_by_role("button", name="Give a free seat to a bot").click()
    expect(host.page.locator(".own .hand .card")).to_have_count(5)
    expect(host.page.locator(".waiting")).to_have_count(0)


def test_a_host_takes_a_bot_back(visit: Callable[..., Visitor]) -> None:
    page = visit(viewport=PHONE).go("/")
    start(page, "pies", 4, "open")
    seating = page.locator(".waiting .seating")
    expect(seating).to_contain_text("3 seats are free")
    link = page.get_by_role("textbox", name="Link")
    link.focus()
    page.get_by_role("button", name="Give a free seat to a bot").click()
    expect(seating).to_contain_text("2 seats are free")
    page.get_by_role("button", name="Take the last bot back").click()
    expect(seating).to_contain_text("3 seats are free")
    assert violations(page) == []


def test_the_code_of_the_invitation_leads_to_it(visit: Callable[..., Visitor]) -> None:
    """The picture is drawn of the link, which is in no address that a server would write down."""
    visitor = visit()
    link = hosted(visitor.go("/"))
    picture = visitor.page.locator(".qr")
    expect(picture).to_be_visible()
    drawn = BytesIO()
    segno.make(link, micro=False, error="m").save(
        drawn, kind="svg", xmldecl=False, omitsize=True, border=2, light="#fff"
    )
    source = unquote(picture.get_attribute("src") or "").partition(",")[2]
    assert source == drawn.getvalue().decode()
    code = link.partition("invite=")[2]
    assert not [address for address in visitor.asked if code in address]
