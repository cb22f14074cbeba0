"""Late answers on the pages before a game move nothing under a finger, and take back nothing chosen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, Route, expect

from tests.servers.serving import Server
from tests.support.visitors import PHONE, Visitor, choose, start, violations

pytestmark = pytest.mark.browser

# Where all that can be pressed is, by its words, in the document.
PLACES = """() => {
    const all = [...document.querySelectorAll("button, input, select, summary, a")];
    const isShown = one => one.checkVisibility({visibilityProperty: true}) && !one.closest(".games, .strip");
    return Object.fromEntries(all.filter(isShown).map(one => {
        const {left, top, width, height} = one.getBoundingClientRect();
        const name = one.id || one.dataset.ruleset || one.getAttribute("href") || one.name || one.textContent;
        return [name, [left + scrollX, top + scrollY, width, height].map(Math.round)];
    }));
}"""


class Held:
    """Answers of the API that wait until they are let go, but those of some addresses."""

    def __init__(self, page: Page, but: str | tuple[str, ...] = "/v1/rulesets") -> None:
        self.page, self.routes, self.is_open = page, [], False
        self.but = but
        page.route("**/v1/**", self.take)

    def take(self, route: Route) -> None:
        path = route.request.url.partition("?")[0]
        if self.is_open or path.endswith(self.but):
            route.continue_()
        else:
            self.routes.append(route)

    def let_go(self) -> None:
        self.is_open = True
        for route in self.routes:
            route.continue_()
        self.page.wait_for_load_state("networkidle")


@pytest.mark.parametrize("size", [{"width": 1280, "height": 800}, PHONE], ids=str)
def test_late_answers_move_nothing_on_the_start_page(
    visit: Callable[..., Visitor], app: httpx.Client, size: Any
) -> None:
    """For somebody who plays here already: own games, the lobby and public games come after the tiles."""
    visitor, other = visit(viewport=size), visit()
    start(visitor.go("/"), "cats_and_dogs")
    visitor.page.wait_for_url("**/table/**")
    looking = other.go("/")
    looking.get_by_label("Your name").fill("Ilse")
    choose(looking, "pies", 4, "anybody")
    looking.locator("#start").click()
    expect(looking.get_by_text("Looking for players.")).to_be_visible()
    page = visitor.page
    held = Held(page)
    page.goto(f"{visitor.base}/")
    page.locator(".tile").first.wait_for()
    before = page.evaluate(PLACES)
    held.let_go()
    expect(page.locator("#mine-list .card").first).to_be_visible()
    expect(page.locator("#seeks")).to_contain_text("Ilse")
    assert page.evaluate(PLACES) == before
    assert violations(page) == []
    choose(page, "mau_mau")
    expect(page.locator("#options > label")).to_have_count(4)
    assert violations(page) == []
    looking.get_by_role("button", name="Stop looking").click()


def test_an_early_hand_keeps_what_it_chose_on_the_start_page(visit: Callable[..., Visitor]) -> None:
    """The name, the tile, and everything on its sheet, while its options are on their way."""
    visitor = visit()
    start(visitor.go("/"), "cats_and_dogs")
    visitor.page.wait_for_url("**/table/**")
    page = visitor.page
    scripts: list[Route] = []
    page.route("**/pages/home.js", lambda route: scripts.append(route))
    held = Held(page)
    page.goto(f"{visitor.base}/", wait_until="commit")
    page.get_by_label("Your name").fill("Early")
    scripts.pop().continue_()
    choose(page, "mau_mau", 4, "open")
    page.locator("#pace").select_option("day")
    for opened in ("Options of the game", "More options"):
        page.get_by_text(opened).click()
    page.locator("[name=visibility]").select_option("public")
    page.locator("[name=seat2]").select_option("random")
    before = page.evaluate(PLACES)
    held.let_go()
    expect(page.locator("#options > label")).to_have_count(4)
    after = page.evaluate(PLACES)
    for name in ("close", "count", "all", "pace", "start", "guided"):
        assert after[name] == before[name], name
    assert page.get_by_label("Your name").input_value() == "Early"
    values = "names => names.map(name => document.querySelector('#play').elements[name].value)"
    assert page.evaluate(values, ["way", "pace", "visibility", "seat2"]) == [
        "friends",
        "day",
        "public",
        "random",
    ]
    assert page.locator("#count").input_value() == "4"


def test_a_row_of_the_lobby_stays_under_the_pointer(visit: Callable[..., Visitor], server: Server) -> None:
    """Whoever comes is below; whoever goes stays while the pointer is there; a change takes no press."""
    page = visit().go("/")
    rows = page.locator("#seeks li")
    shown = ["Bea", "Cleo"]

    def seek(name: str) -> dict[str, Any]:
        return {"id": name, "player": {"id": name, "name": name}, "ruleset": "pies", "seats": 4, "bots": []}

    table = {
        "id": "01890000-0000-7000-8000-000000000000",
        "ruleset": "pies",
        "status": "open",
        "version": 1,
        "to_act": [],
        "title": None,
        "seats": [{"seat": seat, "open": True} for seat in range(4)],
    }
    page.route("**/v1/seeks?*", lambda route: route.fulfill(json={"items": [seek(name) for name in shown]}))
    page.route("**/v1/games?*status=open*", lambda route: route.fulfill(json={"items": [table]}))
    expect(rows).to_have_count(2)
    page.locator("#seeks").hover()
    button = page.locator("#tables button").element_handle()
    shown[:] = ["Ada", "Cleo"]
    table |= {"version": 2, "seats": [{"seat": seat, "open": seat > 0} for seat in range(4)]}
    expect(rows).to_have_count(3)
    assert [text.split(" · ")[1][:3] for text in rows.all_inner_texts()] == ["Bea", "Cle", "Ada"]
    expect(rows.first.get_by_role("button")).to_be_disabled()
    assert button
    assert button.evaluate("one => one.isConnected")
    expect(page.locator("#tables")).to_contain_text("3 seats are free")
    page.mouse.move(2, 2)
    expect(rows).to_have_count(2)


def test_late_answers_move_nothing_on_the_join_page(visit: Callable[..., Visitor], app: httpx.Client) -> None:
    """Its form appears once, with the name that is known; what is typed then stays."""
    wanted = {"ruleset": "pies", "seats": [{"open": True}] * 4}
    game = app.post("/v1/games", json=wanted).json()
    visitor = visit(viewport=PHONE)
    page = visitor.page
    held = Held(page, but=("/invitation", "/v1/rulesets/pies"))
    page.goto(f"{visitor.base}/join#game={game['id']}&seat=0&invite={game['seats'][0]['invite']}")
    expect(page.get_by_label("Your name")).to_be_visible()
    page.get_by_label("Your name").fill("Early")
    before = page.evaluate(PLACES)
    held.let_go()
    expect(page.locator("#game")).to_contain_text("Pies")
    assert page.evaluate(PLACES) == before
    assert page.get_by_label("Your name").input_value() == "Early"
