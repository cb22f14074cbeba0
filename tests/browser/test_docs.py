"""The documentation pages in a browser: they show their content and send no requests to other servers."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest
import yaml
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.browser.games import ask, sit_down
from tests.support.visitors import Visitor

pytestmark = pytest.mark.browser


def test_the_start_page_links_to_everything(visitor: Visitor) -> None:
    page = visitor.go("/")
    # At once: links to running games are coming meanwhile.
    ways = page.get_by_role("link").evaluate_all("all => all.map(one => one.getAttribute('href'))")
    for way in set(ways) - {"#content"}:
        assert page.request.get(visitor.base + way).ok, way
    assert {"/docs", "/docs/rules", "/record", "/docs/problems", "/docs/embedding"} <= set(ways)


def test_the_reference_shows_the_operations_of_a_tag(visitor: Visitor, app: httpx.Client) -> None:
    page = visitor.go("/docs")
    spec = yaml.safe_load(app.get("/openapi.yaml").text)
    expect(page.locator(".opblock-tag")).to_have_count(len(spec["tags"]))  # opened one by one
    page.locator("#operations-tag-moves").click()
    expect(page.get_by_text("Make a move", exact=True)).to_be_visible()
    expect(page.get_by_role("link", name="Skip to the content")).not_to_be_in_viewport()  # the site's styles
    paths = [verb for path in spec["paths"].values() for verb in path.values() if isinstance(verb, dict)]
    operations = sum("moves" in operation.get("tags", ()) for operation in paths)
    expect(page.locator(".opblock")).to_have_count(operations + len(spec["webhooks"]))
    page.set_viewport_size({"width": 360, "height": 740})
    page.wait_for_function("document.documentElement.scrollWidth <= 360")
    page.set_viewport_size({"width": 1280, "height": 720})
    page.get_by_text("Make a move", exact=True).click()
    expect(page.locator(".opblock.is-open")).to_contain_text("Idempotency-Key")


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
    expect(page.get_by_role("heading", level=2)).to_contain_text("illegal-move")


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/docs/first-game",
        "/docs/settings",
        "/docs/rules",
        "/docs/rules/landlord",
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
        "/docs/problems",
        "/docs/embedding",
        "/record",
        "/join#game=1",
    ],
)
def test_the_pages_are_accessible(visit: Callable[..., Visitor], path: str) -> None:
    page = visit(color_scheme="light").go(path)
    page.wait_for_load_state("networkidle")
    assert Axe().run(page).response["violations"] == []
    page.emulate_media(color_scheme="dark")
    assert Axe().run(page).response["violations"] == []


def test_the_rules_name_every_rule_once(visitor: Visitor, app: httpx.Client) -> None:
    for game in ask(app, "GET", "/v1/rulesets")["items"]:
        rules = [rule["id"] for rule in ask(app, "GET", f"/v1/rulesets/{game['id']}")["rules"]]
        page = visitor.go(f"/docs/rules/{game['id']}")
        anchors = [item.get_attribute("id") for item in page.locator("li[id]").all()]
        assert sorted(anchors) == sorted(rules)
