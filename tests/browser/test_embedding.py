"""Tables in the pages of other sites: the element, the frame, and what they say."""

from __future__ import annotations

import html
import random
import re
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, Route, expect

from api.core import languages
from tests.browser.games import Table, ask, sit_down
from tests.servers.serving import Server, free_directory, serve

pytestmark = pytest.mark.browser
EXAMPLE = Path(__file__).parents[2] / "examples" / "embed"


OWN: list[str] = []


class Club(SimpleHTTPRequestHandler):
    """The example of the guide, and a page that a test has written."""

    def do_GET(self) -> None:
        if self.path != "/own":
            return super().do_GET()
        body = OWN[-1].encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        return None


@pytest.fixture(scope="module")
def club() -> Iterator[str]:
    """Serve the example of the guide on its own origin."""
    handler = partial(Club, directory=str(EXAMPLE))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@pytest.fixture(scope="module")
def embedding(club: str) -> Iterator[Server]:
    with free_directory() as directory, serve(directory, EMBED_ORIGINS=club) as server:
        yield server


def embedded_game(server: Server, visibility: str = "public") -> Table:
    client = httpx.Client(
        base_url=server.url, headers={"Authorization": f"Bearer {server.new_key('read', 'write', 'audit')}"}
    )
    table = sit_down(client, "cats_and_dogs", 3, visibility)
    table.play(2, random.Random(7))
    return table


def test_a_named_site_shows_and_plays_a_table(chromium: Browser, club: str, embedding: Server) -> None:
    table = embedded_game(embedding)
    context = chromium.new_context(reduced_motion="reduce")
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda said: complaints.append(said.text))
    page.goto(f"{club}/#server={embedding.url}&game={table.game}")
    expect(page.locator("#note")).to_have_text("The table is drawn.")
    inside = page.locator("card-referee-table")
    expect(inside.locator(".title")).to_contain_text("Waiting for")
    expect(page.frame_locator("iframe").locator(".title")).to_contain_text("Waiting for")
    assert page.frame_locator("iframe").locator("form").count() == 0
    # With the property `token`, it can play.
    seat = table.now()["to_act"][0]
    page.get_by_label("Player token").fill(table.tokens[seat])
    page.get_by_role("button", name="Show", exact=True).click()
    inside.locator("button.card").first.click()
    before = table.now()["version"]
    inside.locator("button.send").click()
    expect(inside.locator(".where")).to_have_text(re.compile(rf"/{before + 1}$"))
    assert table.tokens[seat] not in page.content()
    # Workers from other origins are not allowed, so the page itself checks everything.
    inside.get_by_role("tab", name="Trust").click()
    inside.get_by_role("button", name="Verify in this browser").click()
    expect(inside.locator(".verdict")).to_contain_text("checks hold")
    expect(inside.locator("[data-check=clocks], [data-check=order]")).to_have_count(2)
    assert complaints == []
    context.close()


SET = 'document.querySelector("card-referee-table").token = "%s";'
WHEN = {
    "before the module": "<script>%s</script>",
    "by another module": '<script type="module">%s</script>',
    "when it is known": "<script>customElements.whenDefined('card-referee-table').then(() => {%s});</script>",
    "after the first load": "<script>addEventListener('load', () => setTimeout(() => {%s}, 1500));</script>",
}


def own_page(
    page: Page, club: str, server: Server, game: str, script: str = "", attributes: str = ""
) -> None:
    """Open a page of the club that has the lines of the guide and a script."""
    guide = httpx.get(f"{server.url}/docs/embedding").text
    [module] = re.findall(r"&lt;script type=.*?&lt;/script&gt;", guide)
    [element] = re.findall(r"&lt;card-referee-table game=.*?&lt;/card-referee-table&gt;", guide)
    lines = html.unescape(f"{module}\n{element}").replace("01890000-…", game)
    lines = lines.replace("<card-referee-table ", f"<card-referee-table {attributes} ")
    lines = lines.replace("https://referee.example", server.url)
    OWN.append(f'<!doctype html><link rel="icon" href="data:,"><body>{lines}\n{script}')
    page.goto(f"{club}/own")


@pytest.mark.parametrize("when", WHEN)
def test_a_private_game_is_shown_whenever_its_token_is_set(
    chromium: Browser, club: str, embedding: Server, when: str
) -> None:
    """Also if the refusal of a load without the token comes after the answer to the one with it."""
    table = embedded_game(embedding, "private")
    context = chromium.new_context(reduced_motion="reduce")
    page = context.new_page()

    held: list[Route] = []

    def hold(route: Route) -> None:
        if "authorization" in route.request.headers:
            route.continue_()
        else:
            held.append(route)

    page.route(f"**/v1/games/{table.game}", hold)
    own_page(page, club, embedding, table.game, WHEN[when] % (SET % table.tokens[1]))
    inside = page.locator("card-referee-table")
    expect(inside.locator(".own[data-seat='1'] .hand .card").first).to_be_visible()
    for route in held:
        route.continue_()
    page.wait_for_timeout(1500)
    expect(inside.locator(".own[data-seat='1'] .hand .card").first).to_be_visible()
    expect(inside.get_by_role("alert").locator("visible=true")).to_have_count(0)
    assert inside.locator(".app").count() == 1
    assert page.evaluate("document.querySelector('card-referee-table').token") == table.tokens[1]
    context.close()


def test_friends_are_invited_to_the_server_of_the_game(
    chromium: Browser, club: str, embedding: Server
) -> None:
    with httpx.Client(base_url=embedding.url) as client:
        guest = client.post("/v1/guests", json={"name": "Anna"}).json()
        seats = [{"player": guest["player"]["id"]}, {"open": True}]
        body = {"ruleset": "cats_and_dogs", "visibility": "private", "seats": seats}
        bearer = {"Authorization": f"Bearer {guest['token']}"}
        game = client.post("/v1/games", json=body, headers=bearer).json()["id"]
    context = chromium.new_context(reduced_motion="reduce")
    page = context.new_page()
    own_page(page, club, embedding, game, WHEN["before the module"] % (SET % guest["token"]))
    inside = page.locator("card-referee-table")
    link = inside.get_by_label("Link", exact=True)
    expect(link).to_have_value(re.compile(rf"{re.escape(embedding.url)}/join#game={game}&invite=.+"))
    context.close()


def test_the_game_that_was_named_last_is_shown(chromium: Browser, club: str, embedding: Server) -> None:
    """Events are only of that one, and a removed element sends no more requests."""
    first, last = embedded_game(embedding), embedded_game(embedding)
    context = chromium.new_context(reduced_motion="reduce")
    page = context.new_page()

    def delay(route: Route) -> None:
        page.wait_for_timeout(1000)
        route.continue_()

    page.route(f"**/v1/games/{first.game}", delay)
    script = """<script>
        window.ready = [];
        const table = document.querySelector("card-referee-table");
        table.addEventListener("card-referee-ready", ({detail}) => ready.push(detail.game));
        customElements.whenDefined("card-referee-table")
            .then(() => setTimeout(() => table.setAttribute("game", "%s"), 50));
    </script>"""
    own_page(page, club, embedding, first.game, script % last.game)
    expect(page.locator("card-referee-table .title")).to_contain_text("Waiting for")
    page.wait_for_timeout(2000)
    assert page.evaluate("ready") == [last.game]
    page.evaluate("table.remove()")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    last.play(1, random.Random(8))
    page.wait_for_timeout(2500)
    assert asked == []
    context.close()


def test_other_sites_are_refused(chromium: Browser, club: str, server: Server, app: httpx.Client) -> None:
    table = sit_down(app, "cats_and_dogs", 3)
    context = chromium.new_context()
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda said: complaints.append(said.text))
    page.goto(f"{club}/#server={server.url}&game={table.game}")
    expect(page.locator("#note")).to_contain_text("does not let this site in")
    page.evaluate(
        "src => document.body.append(Object.assign(document.createElement('iframe'), {src}))",
        f"{server.url}/embed/{table.game}",
    )
    page.wait_for_timeout(500)
    assert page.frame_locator("iframe").last.locator(".title").count() == 0
    assert any("frame-ancestors" in said for said in complaints)
    assert any("CORS" in said for said in complaints)
    context.close()


LISTEN = """<script>
    window.said = [];
    const table = document.querySelector("card-referee-table");
    for (const name of ["ready", "turn", "moved", "finished", "error", "token-expired"])
        table.addEventListener(`card-referee-${name}`, ({detail}) => said.push([name, detail]));
    table.setAttribute("theme", "dark");
    table.token = "%s";
</script>"""


def test_the_element_says_what_happens_and_takes_a_new_token(
    chromium: Browser, club: str, embedding: Server
) -> None:
    table = embedded_game(embedding, "private")
    seat = table.now()["to_act"][0]
    player = table.now()["seats"][seat]["player"]["id"]
    made = [
        ask(
            table.app, "POST", f"/v1/players/{player}/tokens", json={"game": table.game, "expires_in": "PT1H"}
        )
        for _ in range(2)
    ]
    page = chromium.new_context(reduced_motion="reduce").new_page()
    own_page(page, club, embedding, table.game, LISTEN % made[0]["token"])

    def wait_for(name: str, version: int = 0) -> dict[str, Any]:
        found = f"([said, {{version}}]) => said === '{name}' && (version ?? 0) >= {version}"
        page.wait_for_function(f"said.some({found})")
        return page.evaluate(f"said.find({found})[1]")

    before = table.now()["version"]
    assert wait_for("ready") == {"game": table.game, "version": before, "status": "running", "seat": seat}
    assert wait_for("turn")["seat"] == seat
    assert page.evaluate("said.map(([name]) => name).slice(0, 2)") == ["ready", "turn"]
    assert "dark" in page.evaluate("getComputedStyle(table).colorScheme")
    table.play(1, random.Random(9))
    moved = wait_for("moved", before + 1)
    assert moved == {"game": table.game, "version": before + 1, "seat": seat}
    assert table.app.delete(f"/v1/players/{player}/tokens/{made[0]['id']}").status_code == 204
    wait_for("token-expired")
    page.evaluate("token => { said.length = 0; table.token = token; }", made[1]["token"])
    wait_for("ready")
    assert table.play(1000, random.Random(9))["status"] == "finished"
    assert wait_for("finished")["result"] == table.now()["result"]
    assert "card" not in str(page.evaluate("said.map(([, {game, ...rest}]) => Object.keys(rest))"))
    page.context.close()


def test_a_frame_tells_its_page_what_anybody_may_know(
    chromium: Browser, club: str, embedding: Server
) -> None:
    table = embedded_game(embedding)
    page = chromium.new_context(reduced_motion="reduce").new_page()
    frame = f'<iframe width="800" src="{embedding.url}/embed/{table.game}#theme=dark"></iframe>'
    listen = "<script>window.said = []; addEventListener('message', ({data}) => said.push(data));</script>"
    OWN.append(f'<!doctype html><link rel="icon" href="data:,"><body>{listen}{frame}')
    page.goto(f"{club}/own")
    page.wait_for_function("said.some(({type}) => type === 'card-referee-ready')")
    page.wait_for_function("said.some(({type}) => type === 'card-referee-size')")
    [size] = page.evaluate("said.filter(({type}) => type === 'card-referee-size')")
    assert size["detail"] == {"height": 600}
    inside = page.frame_locator("iframe").locator("card-referee-table")
    assert inside.get_attribute("theme") == "dark"
    before = table.now()["version"]
    table.play(1, random.Random(9))
    moved = "({type, detail}) => type === 'card-referee-moved' && detail.version === version"
    page.wait_for_function(f"version => said.some({moved})", arg=before + 1)
    page.context.close()


def test_the_site_chooses_the_language_and_the_height_follows_the_width(
    chromium: Browser, club: str, embedding: Server
) -> None:
    """Of the element and of the frame; on a page in English, for a reader with an English browser."""
    table = embedded_game(embedding)
    page = chromium.new_context(reduced_motion="reduce", viewport={"width": 1000, "height": 2000}).new_page()
    own_page(page, club, embedding, table.game, attributes='lang="de" fit')
    trust = page.locator("card-referee-table").get_by_role("tab", name=languages.texts("de").gettext("Trust"))
    expect(trust).to_be_visible()
    box = page.locator("card-referee-table").bounding_box()
    assert box
    assert box["height"] == pytest.approx(box["width"] * 3 / 4, abs=2)
    page.goto(f"{embedding.url}/embed/{table.game}?lang=es")
    expect(page.get_by_role("tab", name=languages.texts("es").gettext("Trust"))).to_be_visible()
    page.context.close()
