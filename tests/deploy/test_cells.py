"""Two cells behind HAProxy with `deploy/haproxy-cells.cfg`: requests reach the cell of their token or id."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest

from api.app import create_app
from api.core.clock import new_id
from api.core.config import Settings
from api.features.mail import links
from api.features.mail.store import Contact
from api.http import tokens
from api.run.embedded.postgres import Postgres
from tests import clusters
from tests.clusters import Cluster
from tests.proxies import before
from tests.proxies import haproxy_cells as cells
from tests.receiver import eventually
from tests.serving import TIMEOUT
from tests.sites import Site, client, first_move, log, new_game, repeated

pytestmark = pytest.mark.long

HOST = "cards.example.org"


# --- routing, without cells: two servers that only answer with their number --------------------------------


@contextmanager
def stand_in(cell: int) -> Iterator[int]:
    """Run a server that answers every request with its number; yield its port."""

    class Answer(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def answer(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.send_response(200)
            self.send_header("Content-Length", "1")
            self.end_headers()
            self.wfile.write(b"%d" % cell)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = answer

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()


Where = Callable[..., str]


@contextmanager
def asking(kind: Callable[[Path, list[int], int], list[str]]) -> Iterator[Where]:
    """Run stand-ins behind a proxy; yield a function that returns which of them a request reaches."""
    with ExitStack() as stack:
        ports = [stack.enter_context(stand_in(cell)) for cell in (0, 1)]
        url = stack.enter_context(before(kind, ports))
        http = stack.enter_context(httpx.Client(base_url=url, verify=False, timeout=TIMEOUT))

        def where(path: str, authorization: str = "", host: str = HOST, method: str = "GET") -> str:
            headers = {"Host": host, **({"Authorization": authorization} if authorization else {})}
            answer = http.request(method, path, headers=headers)
            assert answer.status_code == 200, (path, answer.status_code)
            return answer.text

        yield where


def token(cell: int | None, prefix: str = tokens.APP_PREFIX, first: int = 0) -> str:
    """Return a token whose random part begins with the character of this number."""
    return tokens.new(prefix, lambda count: bytes([first << 2]) + bytes(count - 1), cell)


def addresses(settings: Settings) -> list[tuple[str, str]]:
    """Return every method and path with an id, except those below /v1/me/, which need a token."""
    app = create_app(settings)
    try:
        found = []
        for rule in app.url_map.iter_rules():
            if "<uuid:" in rule.rule and not rule.rule.startswith("/v1/me/"):
                path = re.sub(r"<uuid:\w+>", "{id}", rule.rule, count=1)
                path = re.sub(r"<[^>]+>", "1", path)
                methods = (rule.methods or set()) - {"HEAD"}
                found += [(method, path) for method in sorted(methods)]
        return found
    finally:
        app.extensions["card_referee"].database.close()


def test_every_address_reaches_the_cell_of_its_token_or_id(settings: Settings) -> None:
    found = addresses(settings)
    assert {("GET", "/v1/games/{id}"), ("GET", "/table/{id}"), ("POST", "/v1/games/{id}/moves")} <= set(found)
    with asking(cells) as where:
        for cell in (0, 1):
            other = f"Bearer {token(1 - cell)}"
            for method, address in found:
                path = address.replace("{id}", str(new_id(cell)))
                assert where(path, method=method) == str(cell), (method, address)
                assert where(path, other, method=method) == str(1 - cell), "the token decides, not the id"


def test_tokens_of_cells_reach_them_and_all_others_the_default(settings: Settings) -> None:
    with asking(cells) as where:
        for path in ("/v1/games", "/v1/me", "/v1/events", "/v1/keys"):
            for prefix in (tokens.APP_PREFIX, tokens.PLAYER_PREFIX):
                for cell in (0, 1):
                    for scheme in ("Bearer ", "bearer ", "BEARER  "):
                        assert where(path, scheme + token(cell, prefix)) == str(cell)
        theirs = f"/v1/games/{new_id(1)}"
        for first in range(64):  # tokens from before the cells, whatever they begin with
            assert where(theirs, f"Bearer {token(None, first=first)}") == "0"
        for cell in (2, 27, 63):  # of cells that do not exist; b in lower case is 27
            assert where(theirs, f"Bearer {token(cell)}") == "0"
        for wrong in (
            f"Basic Bearer {token(1)}",
            f"Bearer {token(1)}x",
            f"Bearer x{token(1)}",
            "Bearer cra_B",
        ):
            assert where(theirs, wrong) == "0"


def test_ids_in_queries_and_links_lead_to_their_cell_and_all_else_to_the_default() -> None:
    with asking(cells) as where:
        for cell in (0, 1):
            one = new_id(cell)
            contact = Contact(new_id(cell), new_id(cell), b"k" * 32)
            assert where(f"/v1/games/{str(one).upper()}") == str(cell)
            assert where(f"/v1/log-keys?game={one}") == str(cell)
            for name in ("player", "to_act", "winner"):
                assert where(f"/v1/games?limit=3&{name}={one}") == str(cell)
                assert where(f"/v1/games?{name}={one},{new_id(cell)}") == str(cell)
            for purpose in (links.UNSUBSCRIBE, links.CONFIRM):
                for method in ("GET", "POST"):
                    assert where(f"/mail/{purpose}/{links.make(contact, purpose)}", method=method) == str(
                        cell
                    )
        for absent in (2, 17, 63, 0xFF):  # ids of a cell that does not exist, or from before the cells
            for host in (HOST, f"cell1.{HOST}"):
                assert where(f"/v1/games/{new_id(absent)}", host=host) == "0"
        no_ids = ("/v1/games/01", "/v1/games/00000000-0000-4000-8000-000000000001", "/mail/confirm/x")
        for path in ("/", "/v1/games", "/v1/guests", "/v1/log/checkpoint", "/v1/log/tile/0/001", *no_ids):
            assert where(path) == "0"
            assert where(path, host=f"cell1.{HOST}") == where(path, host=f"CELL1.{HOST}:443") == "1"
        assert where(f"/v1/games/{new_id(0)}", host=f"cell1.{HOST}") == "0", "the id decides, not the host"
        assert where("/v1/log/checkpoint", f"Bearer {token(0)}", host=f"cell1.{HOST}") == "0"


def test_ids_from_before_the_cells_stay_with_the_default() -> None:
    made = new_id(1)
    unit = made.int >> 96

    def since(time: int) -> Callable[[Path, list[int], int], list[str]]:
        def kind(directory: Path, ports: list[int], public: int) -> list[str]:
            command = cells(directory, ports, public)
            file = directory / "haproxy.cfg"
            text = file.read_text()
            assert "hex2i ge 0\n" in text
            file.write_text(text.replace("hex2i ge 0\n", f"hex2i ge {time}\n"))
            return command

        return kind

    for time, expected in ((unit, "1"), (unit + 1, "0")):
        with asking(since(time)) as where:
            assert where(f"/v1/games/{made}") == expected


# --- real cells --------------------------------------------------------------------------------------------


@dataclass
class Cells:
    """Two cells, each with its own database; that of cell 1 is a separate server."""

    sites: list[Site]
    database: Cluster
    url: str

    def past_the_proxy(self, cell: int) -> str:
        return f"http://127.0.0.1:{self.sites[cell].ports[0]}"


@pytest.fixture
def pair(settings: Settings, postgres: Postgres) -> Iterator[Cells]:
    with ExitStack() as stack:
        (own,) = stack.enter_context(clusters.clusters(postgres, "cell1"))
        own.make()
        own.start()
        clusters.prepare(own)
        sites = []
        for cell, each in enumerate((settings, clusters.settings(own))):
            site = Site(replace(each, cell=cell), webs=1, CELL=str(cell))
            stack.callback(site.stop)
            sites.append(site)
        url = stack.enter_context(before(cells, [site.ports[0] for site in sites]))
        yield Cells(sites, own, url)


@contextmanager
def without_token(url: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=url, verify=False, headers={"Host": HOST}, timeout=TIMEOUT) as found:
        yield found


def open_game(http: httpx.Client) -> dict[str, Any]:
    """Create a public game with an open first seat, which has an invite code."""
    seats = [{"open": True}, {"bot": "random"}, {"bot": "random"}]
    wanted = {"ruleset": "cats_and_dogs", "seats": seats, "visibility": "public"}
    made = http.post("/v1/games", json=wanted)
    assert made.status_code == 201, made.text
    found: dict[str, Any] = made.json()
    return found


def play(http: httpx.Client, game: str) -> None:
    while move := first_move(http, game):
        assert repeated(http, f"/v1/games/{game}/moves", move).status_code == 201


def streamed(http: httpx.Client, game: str) -> list[str]:
    """Return the hashes of a finished game, from its stream."""
    headers = {"Accept": "text/event-stream", "Last-Event-ID": "0"}
    with http.stream("GET", f"/v1/games/{game}/events", headers=headers) as stream:
        assert stream.status_code == 200
        lines = [line.removeprefix("data: ") for line in stream.iter_lines() if line.startswith("data: ")]
    return [json.loads(line)["hash"] for line in lines]


def test_games_of_two_cells_are_played_and_watched_through_one_proxy(pair: Cells) -> None:
    games, keys = [], []
    for cell, site in enumerate(pair.sites):
        with client(pair.url, site.key) as app, without_token(pair.url) as anyone:
            made = open_game(app)
            game = made["id"]
            assert game.endswith(f"{cell:02x}")
            taken = {"name": "Ida", "invite": made["seats"][0]["invite"]}
            guest = anyone.post(f"/v1/games/{game}/seats/0/guest", json=taken).json()["token"]
            assert guest.startswith(f"crp_{tokens.CELLS[cell]}")
            with client(pair.url, guest) as ida:
                play(ida, game)
            shown = anyone.get(f"/v1/games/{game}")
            assert (shown.status_code, shown.json()["status"]) == (200, "finished")
            assert streamed(anyone, game) == [entry["hash"] for entry in log(app, game)]
            assert anyone.get(f"/v1/games/{game}/verification").json()["ok"]
            assert anyone.get(f"/table/{game}").status_code == 200
            keys.append(anyone.get("/v1/log-keys", params={"game": game}).json()["items"])
            games.append(game)
    assert keys[0] != keys[1], "each cell signs with its own key"
    with without_token(pair.url) as anyone:
        assert keys[0] == anyone.get("/v1/log-keys").json()["items"], "the request reaches the default cell"
        listed = [
            anyone.get("/v1/games", params={"visibility": "public"}, headers={"Host": host}).json()["items"]
            for host in (HOST, f"cell1.{HOST}")
        ]
        assert [[game["id"] for game in items] for items in listed] == [[games[0]], [games[1]]]
    for cell, site in enumerate(pair.sites):  # each cell knows only its own keys
        with client(pair.past_the_proxy(1 - cell), site.key) as wrong:
            assert wrong.get("/v1/me").status_code == 401
        with client(pair.url, site.key) as app:
            assert app.get("/v1/me").status_code == 200
            assert app.get(f"/v1/games/{games[1 - cell]}").status_code == 404


def test_a_cell_works_while_the_database_of_the_other_is_down(pair: Cells) -> None:
    with client(pair.url, pair.sites[0].key) as zero, client(pair.url, pair.sites[1].key) as one:
        games = [new_game(http) for http in (zero, one)]
        pair.database.kill()
        assert eventually(lambda: one.get(f"/v1/games/{games[1]}").status_code == 503)
        play(zero, games[0])
        assert zero.get(f"/v1/games/{games[0]}").json()["status"] == "finished"
        assert one.get(f"/v1/games/{games[1]}").status_code == 503
        pair.database.start()
        assert eventually(lambda: one.get(f"/v1/games/{games[1]}").status_code == 200)
        play(one, games[1])
        assert one.get(f"/v1/games/{games[1]}").json()["status"] == "finished"
