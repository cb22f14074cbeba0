"""The guides: each one is served, its links work, and the operations that it names exist."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urljoin

import pytest
from flask.testing import FlaskClient

import referee
from api.app import create_app
from api.core import VERSION
from api.core.config import Settings
from api.features.site.guides import GUIDES, file_of, guides
from api.features.specification.specification import spec
from docs.generating import site

CALL = re.compile(r"\b(GET|POST|PUT|PATCH|DELETE) (/v1/[^\s`?]*)")


@pytest.fixture
def client(settings: Settings) -> FlaskClient:
    return create_app(settings).test_client()


def text(name: str) -> str:
    file = file_of(f"{name}.md")
    assert file is not None, name
    return file.read_text("utf-8")


def described(path: str) -> str:
    """Return a path of a guide as in the specification, with parameters instead of values."""
    return next(
        (
            known
            for known in sorted(spec()["paths"], key=lambda known: known.count("{"))
            if re.fullmatch(re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(known)), path)
        ),
        "",
    )


@pytest.mark.parametrize("name", [name for name in GUIDES if name != "embedding"])
def test_a_guide_names_existing_operations(name: str) -> None:
    for method, path in CALL.findall(text(name)):
        whole = path.rstrip(".,:;)")
        if "…" in whole or whole.endswith(("/", "*")):  # a family of addresses
            continue
        assert method.lower() in spec()["paths"].get(described(whole), {}), f"{method} {path}"


def test_every_guide_is_served_and_its_links_work(client: FlaskClient) -> None:
    shown = client.get("/docs").text
    assert list(guides()) == list(GUIDES)
    for name, title in guides().items():
        assert f'<a href="/docs/{name}">{title}</a>' in shown.replace("&#39;", "'")
        page = client.get(f"/docs/{name}")
        assert page.status_code == 200
        for leads in set(re.findall(r'href="([^":#]+[^":]*)"', page.text.partition("<main")[2])):
            address, _, anchor = urljoin(f"/docs/{name}", leads).partition("#")
            there = client.get(address)
            assert there.status_code == 200, (name, leads)
            assert not anchor or f'id="{anchor}"' in there.text, (name, leads)


def test_every_page_has_the_side_bar_with_itself_marked(client: FlaskClient) -> None:
    for name in ("docs", *GUIDES):
        address = "/docs" if name == "docs" else f"/docs/{name}"
        text = client.get(address).text
        assert re.findall(r'<a href="([^"]+)" aria-current="page">', text) == [address]
        assert text.count('role="search"') == 1
        assert f"API {VERSION}" in text
        assert text.index("<nav id=") < text.index("<h2>Start</h2>") < text.index("<h2>Explanation</h2>")


def test_each_guide_leads_to_the_next_one(client: FlaskClient) -> None:
    way, name = [GUIDES[0]], GUIDES[0]
    while following := re.search(r'rel="next" href="/docs/([^"]+)"', client.get(f"/docs/{name}").text):
        name = following[1]
        way.append(name)
    assert way == list(GUIDES)


def test_each_game_has_a_page_without_links_to_files_that_are_not_served(client: FlaskClient) -> None:
    page = client.get("/docs/games/bisca").text
    assert '<li id="bisca.ace_waits"' in page
    assert "06-ace-waits" in page
    assert 'href="/docs/games/bisca"' in client.get("/docs/rules/bisca").text
    assert 'href="/docs/library#actions"' in page
    assert {f"games/{rules.ID}" for rules in referee.newest()} <= set(GUIDES)
    assert not any('href=".' in client.get(f"/docs/{name}").text for name in GUIDES)


def test_other_pages_do_not_exist(client: FlaskClient) -> None:
    for name in ("nothing", "dependencies", "..%2FREADME", "make_pages", "games/whist", "games"):
        assert client.get(f"/docs/{name}").status_code == 404


def test_the_guides_are_searched(client: FlaskClient) -> None:
    found = client.get("/docs/search?q=webhook+signature").text
    assert '<a href="/docs/webhooks#verify-the-signature">' in found
    assert "/docs/citus" not in found.partition("<main")[2].partition("</main>")[0]
    assert 'role="search"' in client.get("/docs/webhooks").text
    assert "form-action 'self'" in client.get("/docs").headers["Content-Security-Policy"]
    nothing = client.get("/docs/search?q=%3Cscript%3E").text
    assert "<script>" not in nothing
    assert "0 sections" in nothing


def test_the_static_site_has_every_guide_and_its_links_work(tmp_path: Path) -> None:
    site.build(tmp_path)
    pages = {path: path.read_text("utf-8") for path in tmp_path.rglob("*.html")}
    assert {str(path.relative_to(tmp_path)) for path in pages} == {
        f"{name}.html" for name in ("index", *GUIDES)
    }
    links = [(path, leads) for path in pages for leads in re.findall(r'(?:href|src)="([^":]+)"', pages[path])]
    for path, leads in links:
        address, _, anchor = leads.partition("#")
        there = (path.parent / address).resolve() if address else path
        assert there.is_file(), (path, leads)
        assert tmp_path in there.parents
        assert not anchor or f'id="{anchor}"' in pages[there], (path, leads)
    assert "06-ace-waits.yaml.txt" in pages[tmp_path / "games/bisca.html"]
