"""The pages as they are sent: their policy, their anchors, their static files; their looks: tests/browser."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

import referee
from api.problems import TYPES
from api.routes.docs import render
from api.routes.pages import WEB

PAGES = (
    "/",
    "/watch",
    "/docs",
    "/docs/rules",
    "/docs/rules/pies",
    "/docs/problems",
    "/problems/illegal-move",
)
GAMES = [game.ID for game in referee.newest()]


class Tags(HTMLParser):
    """The tags of a page with their attributes, and the text inside scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.inline = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.cdata_elem:
            self.inline += data

    def values(self, name: str) -> list[str]:
        return [attributes[name] or "" for _, attributes in self.tags if name in attributes]


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.mark.parametrize("path", PAGES)
def test_pages_are_sent_under_a_policy_that_allows_nothing_from_elsewhere(
    client: FlaskClient, path: str
) -> None:
    response = client.get(path)
    assert response.status_code == 200
    assert response.mimetype == "text/html"
    policy = response.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    page = Tags(response.text)
    assert page.inline.strip() == ""
    assert not page.values("style")
    assert not [name for _, attributes in page.tags for name in attributes if name.startswith("on")]
    assert all(address.startswith(("/", "#")) for address in page.values("src") + page.values("href"))


@pytest.mark.parametrize("path", PAGES)
def test_what_pages_link_to_is_there(client: FlaskClient, path: str) -> None:
    page = Tags(client.get(path).text)
    for address in set(page.values("href") + page.values("src")):
        place, _, anchor = address.partition("#")
        answer = client.get(place or path)
        assert answer.status_code == 200, address
        assert not anchor or anchor in Tags(answer.text).values("id"), address


def test_a_page_seen_before_is_not_sent_again(client: FlaskClient) -> None:
    for path in ("/docs/rules/pies", "/web/style.css", "/web/swagger/swagger-ui-bundle.js"):
        first = client.get(path)
        again = client.get(path, headers={"If-None-Match": first.headers["ETag"]})
        assert (first.status_code, again.status_code) == (200, 304)


@pytest.mark.parametrize("slug", TYPES)
def test_every_problem_type_can_be_read_at_its_uri(client: FlaskClient, slug: str) -> None:
    for path in (f"/problems/{slug}", f"/docs/problems/{slug}"):
        response = client.get(path)
        assert response.status_code == 200
        assert slug in response.text
        assert str(TYPES[slug].status) in response.text


@pytest.mark.parametrize("ruleset", GAMES)
def test_every_rule_has_its_anchor_once(client: FlaskClient, ruleset: str) -> None:
    page = Tags(client.get(f"/docs/rules/{ruleset}").text)
    anchors = [name for name in page.values("id") if "." in name]
    assert sorted(anchors) == sorted(rule.id for rule in referee.rules(ruleset))


@pytest.mark.parametrize(
    "path",
    [
        "/docs/rules/whist",
        "/docs/rules/..%2Fpies",
        "/problems/nothing",
        "/watch/17",
        "/web/base.html",
        "/web/templates",
        "/web/..%2Fapp.py",
        "/web/swagger/index.css",
        "/web/swagger/..%2F__init__.py",
    ],
)
def test_what_is_not_there_is_a_problem(client: FlaskClient, path: str) -> None:
    response = client.get(path)
    assert response.status_code == 404
    assert response.mimetype == "application/problem+json"


def test_markup_in_a_text_is_shown_and_not_obeyed() -> None:
    shown = render("- `pies.beat` — <b>x</b> [link](javascript:alert(1)), see `pies.beat` and `hand.0`")
    assert shown.count('href="#pies.beat"') == 2
    assert '<li id="pies.beat">' in shown
    assert "<b>" not in shown
    assert 'href="javascript' not in shown
    assert "<code>hand.0</code>" in shown


def test_scripts_and_styles_name_no_other_server_and_write_no_markup() -> None:
    files = [path for path in Path(WEB).iterdir() if path.suffix in (".js", ".css")]
    assert len(files) > 6
    for path in files:
        text = path.read_text("utf-8")
        assert not re.search(r"https?://|\binnerHTML\b|\bouterHTML\b|insertAdjacentHTML|\beval\(", text), (
            path.name
        )
        assert len(text.splitlines()) <= 400
