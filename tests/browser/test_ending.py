"""The end of a game at the page: a result with the points, and another game; and a log without chatter."""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Callable
from uuid import uuid4

import httpx
import pytest
from playwright.sync_api import Browser, Route, expect

from tests.browser.games import ask, sit_down
from tests.browser.player import Player
from tests.browser.staged import HIDDEN, final, positions, show, stage
from tests.support.visitors import PHONE, Visitor, hosted, menu, sit, start

pytestmark = pytest.mark.browser
UNCOVERED = """one => {
    const {left, top, width, height} = one.getBoundingClientRect();
    return one.contains(document.elementFromPoint(left + width / 2, top + height * 0.95));
}"""


def test_a_newcomer_plays_to_the_result_and_again(visit: Callable[..., Visitor]) -> None:
    page = visit(reduced_motion="reduce").go("/")
    start(page, "cats_and_dogs", 2)
    player = Player(page, random.Random(3))
    assert player.wait_for_turn()
    player.play()
    first = page.url
    expect(page.locator(".middle .zone.around .card")).to_have_count(2)  # the last trick stays
    result = page.locator(".ending")
    expect(result).to_be_visible()  # it opens on its own
    expect(result.get_by_role("heading", level=2)).to_have_text(
        re.compile(r"^You have (won|lost), \d+ : \d+$|^The game is over$")
    )
    expect(result.locator(".outcome")).to_contain_text(re.compile("wins?|Nobody wins"))
    has_lost = "lost" in result.get_by_role("heading", level=2).inner_text()
    expect(result.locator("tfoot")).to_be_visible()  # with the whole log
    total = result.locator("tfoot td").all_inner_texts()
    has_best = has_lost and total[0] != "0" and result.locator(".moment").count() > 0
    expect(result.locator(".moment", has_text="(your best)")).to_have_count(int(has_best))
    scores = [page.locator(f"[data-seat='{seat}'] .score").inner_text().split()[-1] for seat in range(2)]
    assert total == scores
    hands = [
        [int(cell.replace("−", "-")) for cell in row.locator("td").all_inner_texts()]
        for row in result.locator("tbody tr").all()
    ]
    assert [str(sum(column)) for column in zip(*hands, strict=True)] == total
    page.get_by_role("tab", name="Trust").click()
    page.get_by_role("button", name="Verify in this browser").click()
    expect(page.locator(".verdict")).to_contain_text("checks hold")  # at once
    page.get_by_role("tab", name="Log").click()
    expect(
        page.locator(".log > [aria-current]")
    ).to_be_in_viewport()  # the log has followed while it was hidden
    page.get_by_role("tab", name="Result").click()
    moment = result.locator(".moment").first
    before = moment.evaluate("one => one.dataset.seq - 1")
    moment.click()
    expect(page.locator(".where")).to_have_text(re.compile(f"^{before}/"))
    expect(page.locator(".title")).to_have_text(re.compile(r"^(Guest|Bot \d) plays"))  # what happened then
    result.get_by_role("button", name="Play again").click()
    page.wait_for_url(lambda url: "/table/" in url and url != first)
    expect(page.locator(".own .hand .card")).to_have_count(5)


def test_the_result_does_not_take_the_page_that_somebody_chose(visit: Callable[..., Visitor]) -> None:
    page = visit(reduced_motion="reduce").go("/")
    start(page, "cats_and_dogs", 2)
    assert Player(page, random.Random(3)).wait_for_turn()
    page.clock.install()
    menu(page, "Resign")
    page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    expect(page.get_by_role("tab", name="Result")).to_be_visible()  # the game is over
    trust = page.get_by_role("tab", name="Trust")
    trust.click()
    page.clock.run_for(2000)
    expect(trust).to_have_attribute("aria-selected", "true")


def test_the_result_is_a_sheet_on_a_phone_and_leaves_the_trick_visible(
    visit: Callable[..., Visitor],
) -> None:
    page = visit(viewport=PHONE, reduced_motion="reduce").go("/")
    start(page, "cats_and_dogs", 2)
    player = Player(page, random.Random(3))
    assert player.wait_for_turn()
    player.play()
    sheet = page.locator(".panel.sheet")
    expect(sheet.get_by_role("heading", level=2)).to_be_in_viewport(ratio=1)
    expect(sheet.get_by_role("button", name="Play again")).to_be_in_viewport()
    for card in page.locator(".middle .zone.around .card").all():
        assert card.evaluate(UNCOVERED)
    sheet.get_by_role("button", name="Close").click()
    expect(page.locator(".bar").get_by_role("button", name="Result")).to_be_in_viewport(ratio=1)


def test_nothing_of_the_end_is_cut_off(visit: Callable[..., Visitor]) -> None:
    """On the smallest phone "New game" was outside of the window; Trust was, even on a desktop."""
    page = visit(viewport={"width": 320, "height": 568}, reduced_motion="reduce").go("/")
    start(page, "cats_and_dogs", 2)
    assert Player(page, random.Random(3)).wait_for_turn()
    menu(page, "Resign")
    page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    page.locator(".panel.sheet").get_by_role("button", name="Close").click()
    button = page.locator(".bar").get_by_role("button", name="Result")
    expect(button).to_be_in_viewport(ratio=1)
    assert button.evaluate("one => one.scrollWidth <= one.clientWidth")
    button.click()
    for size in (PHONE, {"width": 1280, "height": 800}):
        page.set_viewport_size(size)
        for tab in page.get_by_role("tab").all():
            expect(tab).to_be_in_viewport(ratio=1)


def test_bots_do_not_fill_the_log_with_talk(chromium: Browser) -> None:
    position = copy.deepcopy(positions("mau_mau", "out_of_cards-6_seats")[0])
    game, entries = position["game"], position["entries"]
    seat = (game["viewer"]["seats"][0] + 1) % 6
    game["seats"][seat] = {**game["seats"][seat], "player": None, "bot": "random"}
    for _ in range(3):
        said = {
            "type": "moved",
            "seat": seat,
            "player": None,
            "bot": "random",
            "move": {"type": "say", "text": "hm"},
            "transfers": [],
        }
        entries.insert(-1, {**said, "private": {}})
    for number, entry in enumerate(entries, 1):
        entry["seq"] = number
    game["version"] = position["legal"]["version"] = len(entries)
    context, page = stage(chromium)
    show(page, position)
    expect(page.locator(".log > li:visible")).not_to_have_count(0)
    expect(page.locator(".log > li:visible", has_text="says")).to_have_count(0)
    expect(page.locator(".log > li", has_text="says")).to_have_count(3)
    context.close()


def test_tricks_and_points_of_the_past_keep_their_names(visitor: Visitor, app: httpx.Client) -> None:
    table = sit_down(app, "bisca", 2, options={"target": 1})
    table.play(24, random.Random(1))
    ask(app, "PUT", f"/v1/games/{table.game}/seats/1/player", json={"bot": "random"})
    page = visitor.go(f"/table/{table.game}")
    log = page.locator(".log")
    expect(log).to_contain_text("The seat of Bela changes hands.")
    expect(log).to_contain_text(re.compile(r"Trick to (Anna|Bela)\."))  # who wins is luck
    told = "\n".join(log.locator("li").all_inner_texts())
    assert "Bot 1" not in told.partition("changes hands")[0]


@pytest.mark.parametrize("first", ["host", "friend"])
@pytest.mark.parametrize("viewport", [PHONE, {"width": 1280, "height": 800}])
def test_guests_who_play_again_meet(
    visit: Callable[..., Visitor], first: str, viewport: dict[str, int]
) -> None:
    """Whoever begins: the other one sees it on every screen, and takes the seat with one press."""
    host = visit(reduced_motion="reduce", viewport=viewport).go("/")
    friend = visit(reduced_motion="reduce", viewport=viewport).page
    sit(friend, hosted(host), "Zoë")
    expect(friend.locator(".own .hand .card").first).to_be_visible()
    before = host.url
    menu(friend, "Resign")
    friend.get_by_role("dialog").get_by_role("button", name="Resign").click()
    asker, asked = (host, friend) if first == "host" else (friend, host)
    name = "Guest" if first == "host" else "Zoë"
    expect(asker.get_by_role("tab", name="Result")).to_be_visible()
    asker.get_by_role("button", name="Play again").first.click()
    asker.wait_for_url(lambda url: "/table/" in url and url != before)
    expect(asker.locator(".bar .says")).to_contain_text("The others are asked to play again.")
    room = asker.locator(".waiting > section")
    expect(room.first).to_contain_text("The others are asked to play again.")
    expect(room.last).to_contain_text("Invite friends")  # somebody else may come
    offered = asked.get_by_role("button", name=f"{name} would like to play again. Play again")
    expect(offered.first).to_be_visible(timeout=20_000)
    expect(asked.locator(".chat .messages")).not_to_contain_text("join#")
    for tab in asked.get_by_role("tab").all():
        tab.click()
        expect(offered.locator("visible=true").last).to_be_in_viewport(ratio=1)
        expect(offered.locator("visible=true").last.locator(".badge")).to_be_visible()
    offered.locator("visible=true").last.click()
    asked.wait_for_url(asker.url)
    for each in (host, friend):
        expect(each.locator(".own .hand .card").first).to_be_visible()


def test_guests_who_press_at_the_same_time_meet(visit: Callable[..., Visitor]) -> None:
    """Each creates a game before it knows of the other's; both go to that of who has asked first."""
    host, friend = visit(reduced_motion="reduce").go("/"), visit(reduced_motion="reduce").page
    sit(friend, hosted(host), "Zoë")
    expect(friend.locator(".own .hand .card").first).to_be_visible()
    before = host.url
    deaf = [True]

    def listen(route: Route) -> None:
        if deaf[0] and route.request.method == "GET":
            route.fulfill(json={"items": []})
        else:
            route.fallback()

    host.route("**/messages", listen)
    friend.route("**/messages", listen)
    menu(friend, "Resign")
    friend.get_by_role("dialog").get_by_role("button", name="Resign").click()
    buttons = [each.get_by_role("button", name="Play again").first for each in (host, friend)]
    for button in buttons:
        expect(button).to_be_visible()
    deaf[0] = False
    for button in buttons:
        button.evaluate("button => void button.click()")
    for each in host, friend:
        each.wait_for_url(lambda url: "/table/" in url and url != before)
        expect(each.locator(".own .hand .card").first).to_be_visible()
    assert host.url.split("#")[0] == friend.url.split("#")[0]


def test_an_offer_that_is_gone_keeps_nobody_from_playing_again(visit: Callable[..., Visitor]) -> None:
    """Who finds it gone asks again, and waits at a table of their own."""
    visitor = visit(reduced_motion="reduce")
    host, friend = visit(reduced_motion="reduce").go("/"), visitor.page
    sit(friend, hosted(host), "Zoë")
    expect(friend.locator(".own .hand .card").first).to_be_visible()
    before, gone = friend.url, str(uuid4())
    origin = before.split("/table/")[0]
    links = [f"{origin}/join#game={gone}&seat={seat}&invite=x" for seat in (0, 1)]
    offers = [
        {"number": number, "seat": 0, "player": {"name": "Guest"}, "text": text, "at": "2026-01-01T00:00:00Z"}
        for number, text in enumerate(links, 1)
    ]
    friend.route(
        "**/messages",
        lambda route: (
            route.fulfill(json={"items": offers}) if route.request.method == "GET" else route.fallback()
        ),
    )
    menu(friend, "Resign")
    friend.get_by_role("dialog").get_by_role("button", name="Resign").click()
    friend.get_by_role("button", name="Guest would like to play again.").first.click()
    friend.get_by_role("button", name="Play again", exact=True).first.click()
    friend.wait_for_url(lambda url: "/table/" in url and url != before)
    assert gone not in friend.url
    expect(friend.locator(".bar .says")).to_contain_text("The others are asked to play again.")
    assert all(gone in complaint for complaint in visitor.complaints), visitor.complaints
    visitor.complaints.clear()  # what is gone was asked for


def test_the_replay_leaves_the_result_in_sight_on_a_phone_on_its_side(chromium: Browser) -> None:
    context, page = stage(chromium, viewport={"width": 844, "height": 390})
    show(page, final("bisca", "target-2_seats"))
    result = page.locator(".bar").get_by_role("button", name="Result")
    assert result.evaluate(UNCOVERED)
    expect(page.locator(".replay .step")).to_have_count(5)
    assert page.evaluate(HIDDEN) == []
    context.close()


def test_the_end_of_a_game_without_points_says_who_was_out_first(chromium: Browser) -> None:
    context, page = stage(chromium)
    position = final("palace", "last_with_cards-3")
    show(page, position)
    page.get_by_role("tab", name="Result").click()
    game = position["game"]
    names = [game["seats"][seat]["player"]["name"] for seat in game["view"]["facts"]["out"]]
    assert len(names) == 2
    expect(page.locator(".ending")).to_contain_text(f"Out of cards: {names[0]}, {names[1]}")
    context.close()


def test_the_card_that_took_the_last_trick_is_marked(chromium: Browser) -> None:
    context, page = stage(chromium)
    position = final("bisca", "target-2_seats")
    show(page, position)
    [winner] = [entry["won_by"] for entry in position["entries"][-2:] if entry.get("won_by") is not None]
    name = position["game"]["seats"][winner]["player"]["name"]
    expect(page.locator(".middle .card[data-won]")).to_have_attribute("title", name)
    context.close()


REPEATED = """() => [...document.querySelectorAll(".log details")].flatMap(folded => {
    folded.open = true;
    folded.ontoggle();
    const cards = where => new Set([...where.querySelectorAll("[data-card]")].map(one => one.dataset.card));
    const said = cards(folded.closest("li").querySelector(".what"));
    return [...folded.querySelectorAll("ul > li")].filter(one => {
        const inside = [...cards(one)];
        return inside.length && inside.every(card => said.has(card)) && !/hidden/.test(one.textContent);
    }).map(one => one.textContent);
})"""


@pytest.mark.parametrize(
    ("ruleset", "record"), [("pedro", "target-several_hands"), ("bisca", "target-2_seats")]
)
def test_the_log_says_no_cards_twice_and_key_moments_name_their_hand(
    chromium: Browser, ruleset: str, record: str
) -> None:
    context, page = stage(chromium)
    show(page, final(ruleset, record))
    assert page.locator(".log details").count()
    assert page.evaluate(REPEATED) == []
    moments = page.locator(".moment").all_text_contents()
    assert all(re.match(r"Hand \d+: ", moment) for moment in moments), moments
    assert moments or ruleset == "bisca"
    context.close()
