"""The pages as sent: their policy, anchors and static files. How they look is tested in tests/browser."""

from __future__ import annotations

import gzip
import re
from base64 import b64encode
from dataclasses import replace
from graphlib import TopologicalSorter
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from posixpath import normpath

import pytest
from flask import Flask
from flask.testing import FlaskClient

import referee
import referee.texts
from api.app import create_app
from api.core.config import Settings
from api.features import load_features
from api.features.site.pages import TABLE, WEB, lasting, modules, without_comments
from api.features.site.rendering import render
from api.http.problem_types import types

TABLE_PAGE = "/table/01890000-0000-7000-8000-000000000000"
PAGES = (
    "/",
    "/record",
    "/join",
    "/sign-in",
    "/games",
    "/settings",
    TABLE_PAGE,
    "/dispute/01890000-0000-7000-8000-000000000000",
    "/fairness/01890000-0000-7000-8000-000000000000",
    "/embed/01890000-0000-7000-8000-000000000000",
    "/docs",
    "/docs/rules",
    "/docs/rules/pies",
    "/docs/problems",
    "/docs/embedding",
    "/problems/illegal-move",
)
GAMES = [game.ID for game in referee.newest()]


class Tags(HTMLParser):
    """The tags of a page with their attributes, and the text inside scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.inline: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.cdata_elem:
            self.inline.append(data)

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
    for part in page.inline:  # only a table has any, see `part_of_page`
        assert path == TABLE_PAGE
        assert f"'sha256-{b64encode(sha256(part.encode()).digest()).decode()}'" in policy
    assert not page.values("style")
    assert not [name for _, attributes in page.tags for name in attributes if name.startswith("on")]
    assert all(address.startswith(("/", "#")) for address in page.values("src") + page.values("href"))


@pytest.mark.parametrize("path", PAGES)
def test_links_of_pages_work(client: FlaskClient, path: str) -> None:
    page = Tags(client.get(path).text)
    for address in set(page.values("href") + page.values("src")):
        place, _, anchor = address.partition("#")
        answer = client.get(place or path)
        assert answer.status_code == 200, address
        assert not anchor or anchor in Tags(answer.text).values("id"), address


@pytest.mark.parametrize("path", [*PAGES, "/openapi.yaml", "/v1/rulesets", "/nothing", "/docs/"])
def test_no_page_repeats_the_host_that_a_request_names(client: FlaskClient, path: str) -> None:
    """A cache, or a proxy that passes any host on, would show others a script from that host."""
    forged = {"Host": "evil.example", "X-Forwarded-Host": "evil.example", "Forwarded": "host=evil.example"}
    response = client.get(path, headers=forged)
    assert "evil.example" not in response.text
    assert "evil.example" not in str(response.headers)


def test_the_guide_names_the_public_address(settings: Settings) -> None:
    for url, shown in (("", "https://referee.example"), ("https://cards.example",) * 2):
        made = create_app(replace(settings, public_url=url))
        text = made.test_client().get("/docs/embedding").text
        assert f"{shown}/web/embed.js" in text
        assert f"{shown}/embed/" in text


def test_a_page_seen_before_is_not_sent_again(client: FlaskClient) -> None:
    for path in ("/docs/rules/pies", "/web/styles/style.css", "/web/swagger/swagger-ui-bundle.js"):
        first = client.get(path)
        again = client.get(path, headers={"If-None-Match": first.headers["ETag"]})
        assert (first.status_code, again.status_code) == (200, 304)


TYPES = types(load_features())


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
    assert sorted(anchors) == sorted(rule.id for rule in referee.texts.rules(ruleset))


@pytest.mark.parametrize("ruleset", GAMES)
def test_the_rules_page_shows_where_each_rule_comes_from_and_what_the_marks_mean(
    client: FlaskClient, ruleset: str
) -> None:
    before, _, shown = client.get(f"/docs/rules/{ruleset}").text.partition('<li id="')
    for mark in referee.texts.RULE_ORIGINS:
        assert f"<em>{mark}</em>: " in before
    for rule in client.get(f"/v1/rulesets/{ruleset}").json["rules"]:
        own = shown.partition(f">{rule['id']}</code></a> (")[2]
        assert own.partition(")")[0] == ("refuses, " if rule["refuses"] else "") + rule["origin"]


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
def test_a_missing_path_is_a_problem(client: FlaskClient, path: str) -> None:
    response = client.get(path)
    assert response.status_code == 404
    assert response.mimetype == "application/problem+json"


def test_a_browser_gets_a_page_for_a_missing_path(client: FlaskClient) -> None:
    for path in ("/watch/notauuid", "/table/17", "/nothing", "/docs/rules/whist"):
        response = client.get(path, headers={"Accept": "text/html,*/*;q=0.8"})
        assert (response.status_code, response.mimetype) == (404, "text/html"), path
        assert "There is nothing here" in response.text
    api = client.get("/v1/games/17", headers={"Accept": "text/html"})
    assert api.mimetype == "application/problem+json"


def test_the_sample_record_verifies(client: FlaskClient) -> None:
    response = client.get("/web/sample.json")
    assert response.mimetype == "application/json"
    report = referee.verify(response.json)
    assert report.ok
    assert not report.unchecked


def test_old_links_lead_to_the_table(client: FlaskClient) -> None:
    game = "01890000-0000-7000-8000-000000000000"
    assert client.get(f"/watch/{game}").headers["Location"] == f"/table/{game}"


def test_long_answers_are_compressed_for_clients_that_accept_it(client: FlaskClient) -> None:
    site = ("/", "/web/styles/table.css", "/web/swagger/swagger-ui-bundle.js", "/openapi.yaml")
    for path in site:
        plain = client.get(path, headers={"Accept-Encoding": "gzip;q=0"})
        packed = client.get(path, headers={"Accept-Encoding": "gzip, br"})
        assert packed.headers["Content-Encoding"] == "gzip"
        assert "Accept-Encoding" in packed.headers["Vary"]
        assert gzip.decompress(packed.data) == plain.data
        assert len(packed.data) < len(plain.data) / 2
        assert "Content-Encoding" not in plain.headers
        if "ETag" in packed.headers:
            headers = {"Accept-Encoding": "gzip", "If-None-Match": packed.headers["ETag"]}
            assert client.get(path, headers=headers).status_code == 304
    short = client.get("/healthz", headers={"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in short.headers


def test_only_named_sites_may_frame_a_table_or_run_its_element(settings: Settings) -> None:
    ours, theirs = "https://club.example", "https://evil.example"
    client = create_app(replace(settings, embed_origins=(ours,))).test_client()
    game = "01890000-0000-7000-8000-000000000000"
    assert client.get(f"/embed/{game}").headers["Content-Security-Policy"].endswith(f"frame-ancestors {ours}")
    assert client.get(f"/table/{game}").headers["Content-Security-Policy"].endswith("frame-ancestors 'none'")
    for path in ("/web/embed.js", "/v1/rulesets"):
        let_in = client.get(path, headers={"Origin": ours})
        assert let_in.headers["Access-Control-Allow-Origin"] == ours
        assert "Access-Control-Allow-Origin" not in client.get(path, headers={"Origin": theirs}).headers
    nobody = create_app(settings).test_client().get(f"/embed/{game}")
    assert nobody.headers["Content-Security-Policy"].endswith("frame-ancestors 'none'")


def size(client: FlaskClient, path: str) -> int:
    return len(gzip.compress(client.get(path).get_data()))


def test_the_pages_are_small(client: FlaskClient) -> None:
    """What a first move needs is at most 53.1 kB, compressed; the first view of a table at most 94 kB.

    Without the faces of cards, and without what is loaded when somebody may want it.
    """
    page = client.get(TABLE_PAGE).get_data(as_text=True)
    needed = [TABLE_PAGE, *re.findall(r'(?:href|src)="(/web/[^"]+)"', page)]
    sizes = {path: size(client, path) for path in needed}
    assert len(sizes) <= 14  # each is a request, which takes long on a slow line
    assert sum(sizes.values()) <= 53_100, sizes
    later = {*modules(*TABLE), "styles/aside.css", "styles/style.css"} - {"cards/faces.js"}
    sizes |= {path: size(client, path) for name in later if (path := f"{lasting()}/{name}") not in sizes}
    assert len(sizes) > 30
    assert sum(sizes.values()) <= 94_000, sizes


def test_scripts_are_sent_without_the_comments_that_fill_lines(client: FlaskClient) -> None:
    """All other lines are the same, and have the same numbers, so that errors name them."""
    for path in Path(WEB).rglob("*.js"):
        written = path.read_text("utf-8").split("\n")
        sent = client.get(f"{lasting()}/{path.relative_to(WEB)}").get_data(as_text=True).split("\n")
        assert len(written) == len(sent)
        is_in_text = False
        for before, after in zip(written, sent, strict=True):
            if after != before:
                assert after == ""
                assert before.strip().startswith(("//", "/**", "*")), f"{path}: {before}"
                assert not is_in_text, f"{path}: {before}"
            is_in_text ^= re.sub(r'"[^"]*"', "", after).count("`") % 2 == 1
    assert without_comments("a();\n\t// b\n/** c\n * d */\ne(); // f") == "a();\n\n\n\ne(); // f"


IMPORTED = re.compile(r'\bimport\("(\.[^"]+\.js)"\)')


def test_a_table_loads_ahead_all_that_it_may_want_later() -> None:
    """So that dialogs open without a connection, too."""
    online = {"game/streams.js"}  # nothing wants them without an answer of the server
    ahead = [
        normpath(f"pages/{name}") for name in IMPORTED.findall((WEB / "pages/table-more.js").read_text())
    ]
    kept = modules(*TABLE, *ahead)
    for module in kept:
        for name in IMPORTED.findall((WEB / module).read_text("utf-8")):
            wanted = normpath(f"{module}/../{name}")
            assert wanted in kept or wanted in online, f"{module} imports {wanted}"


def test_parts_that_come_later_are_asked_for_again() -> None:
    """A page that waits for one names it to `later`, which tries until it comes."""
    for path in WEB.rglob("*.js"):
        assert not re.search(r'await import\("', path.read_text("utf-8")), path.name


def test_scripts_import_in_one_direction() -> None:
    """Those that are loaded later as well; graphlib raises CycleError and names the circle."""
    imports = re.compile(r'(?:^import .*from |(?<!{)\bimport\()"(\.[^"]+\.js)"', re.MULTILINE)
    graph = {
        str(path.relative_to(WEB)): {
            normpath(f"{path.relative_to(WEB)}/../{name}")
            for name in imports.findall(path.read_text("utf-8"))
        }
        for path in WEB.rglob("*.js")
    }
    assert "game/following.js" in graph["embed.js"]
    assert len([*TopologicalSorter(graph).static_order()]) == len(graph)


def test_markup_in_a_text_is_escaped() -> None:
    shown = render("- `pies.beat` — <b>x</b> [link](javascript:alert(1)), see `pies.beat` and `hand.0`")
    assert shown.count('href="#pies.beat"') == 2
    assert '<li id="pies.beat">' in shown
    assert "<b>" not in shown
    assert 'href="javascript' not in shown
    assert "<code>hand.0</code>" in shown


def test_a_table_asks_for_all_of_its_scripts_at_once(client: FlaskClient) -> None:
    """The page names every module that it or one of its modules imports."""
    page = Tags(client.get(TABLE_PAGE).text)
    shown = [attributes for tag, attributes in page.tags if tag == "link"]
    listed = [each["href"] or "" for each in shown if each["rel"] == "modulepreload"]
    begins = re.findall(r'^import .*from "(/.+)"', "\n".join(page.inline), re.MULTILINE)
    assert any(each.endswith("/table/app.js") for each in begins)
    assert set(begins) <= set(listed)
    assert len(set(listed)) == len(listed)
    for address in listed:
        for name in re.findall(r'^import .*from "(\..+)"', client.get(address).text, re.MULTILINE):
            assert normpath(f"{address}/../{name}") in listed


def test_files_carry_only_the_headers_that_they_need(settings: Settings) -> None:
    """A table is some forty files. Documents and workers have a policy, and so has what is not found."""
    client = create_app(replace(settings, cors_origins=("*",))).test_client()
    for name in ("table/app.js", "game/streams.js", "styles/table.css", "styles/icon.svg", "sample.json"):
        response = client.get(f"/web/{name}", headers={"Origin": "https://club.example"})
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        assert response.headers["Cache-Control"] == "no-cache"
        assert response.headers["Access-Control-Allow-Origin"] == "*"
        assert response.headers["ETag"]
        again = client.get(f"/web/{name}", headers={"If-None-Match": response.headers["ETag"]})
        assert again.status_code == 304
        has_policy = name in ("game/streams.js", "styles/icon.svg")
        assert ("connect-src 'self'" in response.headers.get("Content-Security-Policy", "")) == has_policy
        if not has_policy:
            assert len(str(response.headers)) < 400
    for script in ("pages/push-worker.js", "verify/verifier.js"):
        assert "connect-src 'self'" in client.get(f"/web/{script}").headers["Content-Security-Policy"]
    assert "default-src 'none'" in client.get("/web/nothing.js").headers["Content-Security-Policy"]


def test_browsers_keep_the_files_of_a_page_until_these_change(client: FlaskClient) -> None:
    """Their addresses change with them; another release's address is served too, but not kept."""
    for language in ("en", "de"):
        page = client.get("/record", headers={"Accept-Language": language})
        assert page.headers["Cache-Control"] == "no-cache"
        files = set(re.findall(r'(?:href|src)="(/web/[^"]+)"', page.text))
        assert any(file.endswith(".json") for file in files) == (language == "de")
        for file in files:
            assert client.get(file).headers["Cache-Control"] == "public, max-age=31536000, immutable", file
            older = re.sub("at-[0-9a-f]+", "at-0123456789ab", file)
            assert client.get(older).headers["Cache-Control"] == "no-cache"
            assert client.get(older).get_data() == client.get(file).get_data()
    assert client.get("/web/at-0123456789ab/missing.js").status_code == 404
    assert client.get("/web/at-0123456789ab/messages/fi.json").status_code == 404
    assert client.get("/web/at-0123456789ab/../app.py").status_code == 404


def test_a_link_is_drawn_as_a_code(client: FlaskClient) -> None:
    """It is sent in the body, and nothing keeps the answer."""
    drawn = client.post("/qr", data="https://cards.example/join#game=1&invite=secret")
    assert (drawn.status_code, drawn.content_type) == (200, "image/svg+xml")
    assert drawn.headers["Cache-Control"] == "no-store"
    assert drawn.text.startswith("<svg ")
    for wrong in ("", "x" * 501):
        assert client.post("/qr", data=wrong).status_code == 400
    assert client.get("/qr").status_code == 405


def test_scripts_and_styles_name_no_other_server_and_write_no_markup() -> None:
    files = [path for path in Path(WEB).rglob("*") if path.suffix in (".js", ".css")]
    assert len(files) > 6
    for path in files:
        text = path.read_text("utf-8")
        assert not re.search(r"https?://|\binnerHTML\b|\bouterHTML\b|insertAdjacentHTML|\beval\(", text), (
            path.name
        )
        assert len(text.splitlines()) <= 400
    for folder in (path for path in [WEB, *WEB.rglob("*")] if path.is_dir()):
        assert sum(path.is_file() for path in folder.iterdir()) <= 12, folder.name
