"""The documentation pages in a browser: they show their content and send no requests to other servers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import httpx
import pytest
import yaml
from playwright.sync_api import Page, expect

from tests.browser.games import ask, sit_down
from tests.support.visitors import Visitor, violations

pytestmark = pytest.mark.browser


def test_the_start_page_links_to_everything(visitor: Visitor) -> None:
    page = visitor.go("/")
    # At once: links to running games are coming meanwhile.
    ways = page.get_by_role("link").evaluate_all("all => all.map(one => one.getAttribute('href'))")
    for way in set(ways) - {"#content"}:
        assert page.request.get(visitor.base + way).ok, way
    assert {"/docs", "/docs/rules", "/record", "/docs/problems", "/docs/embedding"} <= set(ways)


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (360, 740)])
def test_the_documentation_opens_with_five_doors_and_leads_everywhere(
    visit: Callable[..., Visitor], width: int, height: int
) -> None:
    """At both sizes: from a door to a page, on to another one of the side bar, and by the search."""
    visitor = visit(viewport={"width": width, "height": height})
    page = visitor.go("/docs")
    expect(page.locator(".doors > li")).to_have_count(5)
    expect(page.locator(".doors > li").first).to_be_in_viewport()
    bar = page.get_by_role("navigation", name="Pages")
    expect(bar).to_contain_text("API 0.")
    page.locator(".doors").get_by_role("link", name="Deployment").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Deployment")
    expect(bar.locator("[aria-current]")).to_have_text("Deployment")
    if width < 800:
        expect(bar).not_to_be_in_viewport()
        page.get_by_role("link", name="All pages").click()
    expect(bar.get_by_role("heading", name="Start")).to_be_in_viewport()
    bar.get_by_role("link", name="Webhooks", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_be_in_viewport()
    expect(bar.locator("[aria-current]")).to_have_text("Webhooks")
    page.get_by_role("searchbox").fill("webhook signature")
    page.get_by_role("searchbox").press("Enter")
    page.get_by_role("link", name="Webhooks: Verify the signature").click()
    expect(page.get_by_role("heading", name="Verify the signature")).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def _scroll(page: Page) -> Iterator[set[str]]:
    """Yield the ids of the operations on the screen, from top to bottom: a long list draws no others."""
    for _ in range(200):
        yield set(page.locator(".opblock").evaluate_all("all => all.map(one => one.id)"))
        page.mouse.wheel(0, 400)
        page.wait_for_timeout(50)


def test_the_reference_shows_every_operation(visitor: Visitor, app: httpx.Client) -> None:
    spec = yaml.safe_load(app.get("/openapi.yaml").text)
    paths = [*spec["paths"].values(), *spec["webhooks"].values()]
    operations = sum(verb in path for path in paths for verb in ("get", "post", "put", "patch", "delete"))
    page = visitor.go("/docs")
    seen: set[str] = set()
    any(len(seen := seen | ids) == operations for ids in _scroll(page))
    assert len(seen) == operations


def test_an_operation_of_the_reference_opens(visitor: Visitor) -> None:
    page = visitor.go("/docs")
    assert any("operations-moves-append_move" in ids for ids in _scroll(page))
    expect(page.get_by_role("link", name="Skip to the content")).not_to_be_in_viewport()  # the site's styles
    page.get_by_text("Make a move", exact=True).click()
    expect(page.locator(".opblock.is-open")).to_contain_text("Idempotency-Key")
    page.set_viewport_size({"width": 360, "height": 740})
    page.wait_for_function("document.documentElement.scrollWidth <= 360")


def test_a_refused_move_links_to_the_text_of_its_rule(visitor: Visitor, app: httpx.Client) -> None:
    table = sit_down(app, "cats_and_dogs", 3)
    seat = (table.now()["to_act"][0] + 1) % 3
    answer = app.post(
        f"/v1/games/{table.game}/moves", json={"seat": seat, "move": {"type": "play", "card": "C1"}}
    )
    assert answer.status_code == 422
    verdict = answer.json()["verdict"]
    page = visitor.go(verdict["link"])
    assert verdict["rule"] == "common.turn"
    expect(page.locator(":target")).to_contain_text(verdict["rule"])
    page = visitor.go(answer.json()["type"])
    expect(page.get_by_role("main").get_by_role("heading", level=2)).to_contain_text("illegal-move")


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/docs/first-game",
        "/docs/settings",
        "/docs/rules",
        "/docs/rules/landlord",
        "/docs/games/landlord",
        "/docs/problems",
        "/record",
        "/join",
    ],
)
def test_pages_fit_a_phone(visit: Callable[..., Visitor], path: str) -> None:
    page = visit(viewport={"width": 360, "height": 740}).go(path)
    page.wait_for_load_state("networkidle")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/docs",
        "/docs/webhooks",
        "/docs/log-format",
        "/docs/rules/truco",
        "/docs/games/truco",
        "/docs/problems",
        "/docs/embedding",
        "/record",
        "/join#game=1",
    ],
)
def test_the_pages_are_accessible(visit: Callable[..., Visitor], path: str) -> None:
    page = visit(color_scheme="light").go(path)
    page.wait_for_load_state("networkidle")
    assert violations(page) == []
    page.emulate_media(color_scheme="dark")
    assert violations(page) == []


def test_the_rules_name_every_rule_once(visitor: Visitor, app: httpx.Client) -> None:
    for game in ask(app, "GET", "/v1/rulesets")["items"]:
        rules = [rule["id"] for rule in ask(app, "GET", f"/v1/rulesets/{game['id']}")["rules"]]
        page = visitor.go(f"/docs/rules/{game['id']}")
        anchors = [item.get_attribute("id") for item in page.locator("li[id]").all()]
        assert sorted(anchors) == sorted(rules)


def test_the_page_of_rules_leads_to_its_game(visitor: Visitor) -> None:
    page = visitor.go("/docs/rules/bisca")
    page.locator("main").get_by_role("link", name="Play", exact=True).click()
    expect(page.get_by_role("dialog")).to_contain_text("Bisca")


def test_the_rules_begin_with_how_to_play_and_a_hand(
    visit: Callable[..., Visitor], app: httpx.Client
) -> None:
    """What only programs need is folded away, and unfolds for a link to a rule."""
    visitor = visit(locale="de-DE")
    for game in ask(app, "GET", "/v1/rulesets")["items"]:
        page = visitor.go(f"/docs/rules/{game['id']}")
        expect(page.get_by_role("heading", name="Anleitung")).to_be_visible()
        expect(page.locator("#moves > li").nth(4)).to_be_visible()
        assert page.locator("#moves .card, #dealt .card").count() > 5
        expect(page.locator("#exact > div")).to_be_hidden()
        assert "_" not in page.locator("main").inner_text()
    page.goto(f"{visitor.base}/docs/rules/bisca#bisca.tap")
    expect(page.locator("li[id='bisca.tap']")).to_be_in_viewport()
