"""Request smuggling: attacks by one client, and innocent clients whose answers show whether any succeeds.

An attack is a request with a body in which another request hides. If the server ever reads this body as a
request, it answers a request that nobody sent, or puts somebody else's next request, with its token, behind
the beginning of the hidden one.
"""

from __future__ import annotations

import itertools
import json
import random
import socket
import ssl
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import httpx

from tests.servers.serving import TIMEOUT, Server, run

SILENCE = 0.7  # seconds before a late body: a server may wait for it for a while
MARK = "smuggled-"  # how the id of every hidden request begins
FORMS = ("events", "feed", "page", "health", "nowhere", "refused", "docs", "metrics", "move")
FRAMINGS = ("late", "at-once", "chunked", "bare-chunks", "both", "pipelined")
BUSY = (429, 502, 503, 504)  # answers that an innocent client may get from a proxy, or under load
PLAYERS = 40  # that an innocent client keeps


@dataclass
class Game:
    """A public game of the attacker, whose streams wait until it ends."""

    url: str
    key: str
    id: str = ""
    player: str = ""

    def __post_init__(self) -> None:
        seats = [{"player": self.call("/v1/players", {"name": name})["id"]} for name in ("Mal", "Mo")]
        self.player = self.call(f"/v1/players/{seats[0]['player']}/tokens", {})["token"]
        wanted = {"ruleset": "bisca", "seats": seats, "visibility": "public"}
        self.id = self.call("/v1/games", wanted)["id"]

    def call(self, path: str, body: Any, key: str = "") -> Any:
        headers = {"Authorization": f"Bearer {key or self.key}"}
        answer = httpx.post(self.url + path, json=body, headers=headers, timeout=TIMEOUT)
        assert answer.is_success, answer.text
        return answer.json()

    def end(self) -> None:
        self.call(f"/v1/games/{self.id}/resignation", {}, self.player)


class Attack(NamedTuple):
    """What one connection sends, with pauses in between (numbers), and what is hidden in it."""

    name: str
    parts: list[bytes | float]
    streams: bool  # whether it waits until the game ends


def hidden(number: object, whole: bool) -> bytes:
    """Return a request to smuggle: a whole one, or one whose last header swallows what follows."""
    lines = ["GET /v1/rulesets HTTP/1.1", "Host: x", f"X-Request-Id: {MARK}{number}"]
    return "\r\n".join([*lines, *(["", ""] if whole else ["X-Swallow: "])]).encode()


def attack(game: Game, form: str, framing: str, smuggled: bytes, name: str = "x") -> Attack:
    method, path, accept, token = "GET", f"/v1/games/{game.id}/events", "*/*", ""
    match form:
        case "events":
            accept = "text/event-stream"
        case "feed":
            path, accept, token = "/v1/events?cursor=now", "text/event-stream", game.key
        case "page":
            path += "?limit=1"
        case "refused":
            path = "/v1/me"
        case "move":
            method, path = "POST", f"/v1/games/{game.id}/moves"
        case _:
            path = {"health": "/healthz", "docs": "/docs", "metrics": "/metrics"}.get(form, "/v1/nowhere")
    lines = [f"{method} {path} HTTP/1.1", f"Host: {name}", f"Accept: {accept}"]
    lines += [f"Authorization: Bearer {token}"] if token else []
    length, chunked = f"Content-Length: {len(smuggled)}", "Transfer-Encoding: chunked"
    chunk = b"%x\r\n%s\r\n0\r\n\r\n" % (len(smuggled), smuggled)
    parts: dict[str, tuple[list[str], list[bytes | float]]] = {
        "late": ([length], [SILENCE, smuggled]),
        "at-once": ([length], [smuggled]),
        "chunked": ([chunked], [SILENCE, chunk]),
        "bare-chunks": ([chunked], [SILENCE, smuggled]),
        "both": ([f"Content-Length: {len(smuggled) + 5}", chunked], [b"0\r\n\r\n" + smuggled]),
        "pipelined": ([], [smuggled]),
    }
    more, body = parts[framing]
    head = "\r\n".join([*lines, *more, "", ""]).encode()
    if framing in ("at-once", "both", "pipelined"):
        body = [head + b"".join(part for part in body if isinstance(part, bytes))]
    else:
        body = [head, *body]
    return Attack(f"{form}, {framing}", body, form in ("events", "feed"))


def connect(url: str) -> socket.socket:
    parts = urlsplit(url)
    assert parts.hostname is not None
    assert parts.port is not None
    plain = socket.create_connection((parts.hostname, parts.port), timeout=TIMEOUT)
    if parts.scheme == "http":
        return plain
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context.wrap_socket(plain, server_hostname="cards.example.org")


def send(url: str, chosen: Attack, game: Game, patience: float) -> bytes:
    """Make an attack; return what is answered until the connection ends, or nothing comes for a while."""
    received = b""
    with closing(connect(url)) as client, suppress(OSError):
        for part in chosen.parts:
            if isinstance(part, bytes):
                client.sendall(part)
            else:
                time.sleep(part)
        client.settimeout(0.3 if chosen.streams else patience)
        try:
            while data := client.recv(65536):
                received += data
            return received + b"(closed)"
        except TimeoutError:
            if not chosen.streams:
                return received
        game.end()
        client.settimeout(patience)
        while data := client.recv(65536):
            received += data
        return received + b"(closed)"
    return received


@dataclass
class Innocent:
    """A client of a tenant of its own; `wrong` says what it was answered that was not its own."""

    name: str
    url: str
    key: str
    sent: dict[str, tuple[str, str]] = field(default_factory=dict)  # request id: method and route
    kept: dict[str, str] = field(default_factory=dict)  # id and name of its players
    wrong: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._client = httpx.Client(base_url=self.url, verify=False, timeout=TIMEOUT)
        self._numbers = itertools.count()

    def ask(self, method: str, path: str, route: str, body: Any = None) -> Any:
        """Return the body of an answer; None if the request was refused or lost."""
        number = f"{self.name}-{next(self._numbers)}"
        self.sent[number] = (method, route)
        headers = {
            "Authorization": f"Bearer {self.key}",
            "X-Request-Id": number,
            "Host": "cards.example.org",
        }
        try:
            answer = self._client.request(method, path, json=body, headers=headers)
        except httpx.TransportError as error:
            self.counts[type(error).__name__] += 1
            return None
        if answer.status_code in BUSY:
            self.counts[str(answer.status_code)] += 1
            return None
        self.counts["answered"] += 1
        if answer.headers.get("X-Request-Id") != number:
            self.wrong.append(f"{number} got the answer to {answer.headers.get('X-Request-Id')}")
        elif not answer.is_success:
            self.wrong.append(f"{number}: {answer.status_code} {answer.text[:200]}")
        return answer.json() if answer.is_success and answer.content else None

    def step(self) -> None:
        """Send a few requests of which each answer names this client's own data."""
        self.ask("GET", "/v1/me", "/v1/me")
        name = f"{self.name} {random.getrandbits(40):x}"
        made = self.ask("POST", "/v1/players", "/v1/players", {"name": name})
        if made is None:
            return
        if not self._compare(made, name):
            return
        path, route = f"/v1/players/{made['id']}", "/v1/players/<uuid:player>"
        if (shown := self.ask("GET", path, route)) is not None:
            self._compare(shown, name)
        if len(self.kept) < PLAYERS:
            self.kept[made["id"]] = name
        else:
            self.ask("DELETE", path, route)

    def check(self) -> None:
        """Read every kept player again."""
        for player, name in self.kept.items():
            shown = self.ask("GET", f"/v1/players/{player}", "/v1/players/<uuid:player>")
            if shown is not None:
                self._compare(shown, name)

    def _compare(self, shown: dict[str, Any], name: str) -> bool:
        if shown.get("name") != name:
            self.wrong.append(f"{name} is {str(shown)[:200]}")
        return shown.get("name") == name


class Logged(NamedTuple):
    """What the server's log says about the requests that it answered."""

    lines: list[dict[str, Any]]

    def hidden(self, label: str, *allowed: str) -> list[str]:
        """Return the ids of smuggled requests that were answered, unless they contain an allowed word."""
        ids = [str(line["request_id"]) for line in self.lines]
        found = [each for each in ids if each.startswith(f"{MARK}{label}-")]
        return [each for each in found if not any(word in each for word in allowed)]

    def changed(self, innocent: Innocent) -> list[str]:
        """Return what differs from what a client has sent: executed as another request, or twice."""
        mine = [line for line in self.lines if str(line["request_id"]) in innocent.sent]
        found = []
        seen = Counter(str(line["request_id"]) for line in mine)
        for line in mine:
            number = str(line["request_id"])
            if (line["method"], line["route"]) != innocent.sent[number] or seen[number] > 1:
                found.append(f"{number}: {innocent.sent[number]} became {line['method']} {line['route']}")
        return found


def logged(server: Server) -> Logged:
    found = []
    for line in list(server.errors):
        with suppress(ValueError):
            entry = json.loads(line)
            if "request_id" in entry and "route" in entry:
                found.append(entry)
    return Logged(found)


def new_key(server: Server, tenant: str) -> str:
    """Create a tenant and return its key."""
    done = run("keys", "create", tenant, "--data-dir", server.data_dir)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]


@contextmanager
def innocents(url: str, keys: list[str], count: int, label: str) -> Iterator[list[Innocent]]:
    """Let so many clients with these keys work during the block, and check their data at its end."""
    clients = [Innocent(f"{label}-{n}", url, keys[n % len(keys)]) for n in range(count)]
    over = threading.Event()

    def work(client: Innocent) -> None:
        while not over.is_set():
            client.step()

    threads = [threading.Thread(target=work, args=(client,), daemon=True) for client in clients]
    for thread in threads:
        thread.start()
    try:
        yield clients
    finally:
        over.set()
        for thread in threads:
            thread.join(TIMEOUT)
    for client in clients:
        client.check()
