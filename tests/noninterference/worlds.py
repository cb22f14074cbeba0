"""Two servers that are equal except for the cards dealt: same ids, tokens, clock and seeds.

Each is the application on its own database, behind a real socket. Seeds are equal and the outcomes of
shuffles are scripted for each, so only what follows from hidden cards may differ: seals, and later hashes.
"""

from __future__ import annotations

import base64
import http.client
import json
import random
import re
import secrets
import sys
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import uuid_utils.compat as uuid_utils
from flask import Flask
from sqlalchemy import create_engine
from sqlalchemy.pool import NullPool
from werkzeug.serving import WSGIRequestHandler, make_server

import referee
from api.app import create_app
from api.context import Context
from api.core.config import Settings
from api.features import load_features
from api.features.requests import refusals
from api.games import looks
from api.http import tokens
from api.store import credentials
from api.store.database.session import Database, Session
from referee.engine.chance import Seeded
from tests.noninterference.pairs import Outcome
from tests.servers.receiver import deliver
from tests.support.due_jobs import keep_time

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
STREAM = "text/event-stream"
SEED_BYTES = 32
PLAYERS = 10
LOCAL = threading.local()  # `.world`: the one that this thread serves
# Values that differ in every answer, or describe the machine.
VOLATILE = {"date", "server", "connection"}
CURSOR = re.compile(rb"\b[0-9a-f]{72}\b")  # a cursor of a feed, with numbers of the database's transactions
SIGNATURE = re.compile("(\N{EM DASH} [^ \\\\]+ )[A-Za-z0-9+/]{80,}={0,2}".encode())


class Answer(NamedTuple):
    """An answer as received."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Forgotten(set[Any]):
    """Looks that this process has written: none, as the games of two worlds have the same ids."""

    def __contains__(self, look: object) -> bool:
        return False


@contextmanager
def scripted() -> Iterator[None]:
    """Set the outcomes of shuffles and picks of the worlds' games, and the ids and salts that they create."""
    shuffle, pick, uuid7, token_hex = Seeded.shuffle, Seeded.pick, uuid_utils.uuid7, secrets.token_hex

    def outcome(chance: Any, kind: str) -> Any:
        world = getattr(LOCAL, "world", None)
        script = world and world.scripts.get(chance._inner.digest())
        if not script or chance.drawn >= len(script):
            return None
        found = script[chance.drawn][kind]
        chance.drawn += 1
        return found

    def shuffled(self: Any, cards: Any) -> list[str]:
        found = outcome(self, "shuffle")
        if found is None:
            return shuffle(self, cards)
        assert sorted(found) == sorted(cards)
        return list(found)

    def picked(self: Any, n: int) -> int:
        found = outcome(self, "pick")
        return pick(self, n) if found is None else found

    def numbered() -> uuid.UUID:
        world = getattr(LOCAL, "world", None)
        return uuid7() if world is None else world.new_id()

    def salted(n: int) -> str:
        world = getattr(LOCAL, "world", None)
        return token_hex(n) if world is None else world.random.randbytes(n).hex()

    Seeded.shuffle, Seeded.pick = shuffled, picked  # type: ignore[method-assign]
    uuid_utils.uuid7 = numbered  # type: ignore[assignment]
    secrets.token_hex = salted  # type: ignore[assignment]
    known, looks._known = looks._known, Forgotten()
    most, refusals.MOST = refusals.MOST, sys.maxsize  # noted in a minute: each world has a process of its own
    try:
        yield
    finally:
        Seeded.shuffle, Seeded.pick = shuffle, pick  # type: ignore[method-assign]
        uuid_utils.uuid7, secrets.token_hex, looks._known = uuid7, token_hex, known
        refusals.MOST = most


class Handler(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # otherwise each answer waits until the reader acknowledges its headers

    def log(self, *args: Any) -> None:
        pass


@dataclass(eq=False)
class World:
    """A server, its callers, and the parts of its answers that may follow from hidden cards."""

    settings: Settings
    hooked: list[Any] = field(default_factory=list)
    scripts: dict[bytes, list[Outcome]] = field(default_factory=dict)
    tokens: dict[str, str | None] = field(default_factory=dict)
    players: list[str] = field(default_factory=list)
    hashes: dict[bytes, bytes] = field(default_factory=dict)
    """Seals and hashes of the game being compared, in hex and base64 → where they stand."""

    def __post_init__(self) -> None:
        self.time, self.cursor = START, ""
        self.ids = 0
        self.seed: bytes | None = None
        self.lock = threading.Lock()
        self.random = random.Random("alike")
        self.app: Flask = create_app(self.settings, clock=lambda: self.time, random_bytes=self._random_bytes)
        inner = self.app.wsgi_app

        def noted(environ: Any, start: Any) -> Any:
            LOCAL.world = self
            return inner(environ, start)

        self.server = make_server("127.0.0.1", 0, noted, threaded=True, request_handler=Handler)
        self.server.daemon_threads = True  # type: ignore[attr-defined]
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        self.kept = self.connect()
        self._people()

    def new_id(self) -> uuid.UUID:
        with self.lock:
            self.ids += 1
            return uuid.UUID(int=(0x0198_0000_0000 + self.ids) << 80 | 7 << 76 | 2 << 62 | self.ids)

    def _random_bytes(self, n: int) -> bytes:
        if self.seed is not None and n == SEED_BYTES:
            seed, self.seed = self.seed, None
            return seed
        return self.random.randbytes(n)

    def _people(self) -> None:
        engine = create_engine(self.settings.owner_database_url, poolclass=NullPool)
        with engine.begin() as connection:
            for name, app, scopes in [
                ("app", "host", ["read", "write"]),
                ("reader", "host", ["read"]),
                ("audit", "host", ["read", "audit"]),
                ("outsider", "other", ["read", "write"]),
            ]:
                # not with the command's function, which uses the real clock
                session = Session.over(connection)
                key = tokens.new(tokens.APP_PREFIX, self.random.randbytes)
                owner = credentials.ensure_app(session, self.new_id(), app, START)
                credential = credentials.Credential(self.new_id(), sorted(scopes), START, None)
                credentials.insert(session, credential, owner, None, tokens.digest(key))
                self.tokens[name] = key
        engine.dispose()
        self.tokens["nobody"] = None
        self.players = [""] * PLAYERS
        for n in range(PLAYERS):
            self.new_player(n)
        self.spare = self("app", "POST", "/v1/players", {"name": "Spare"}).json["id"]

    def new_player(self, seat: int) -> None:
        """Give this seat to a new player, who has seen nothing yet."""
        player = self("app", "POST", "/v1/players", {"name": f"P{seat}"}).json["id"]
        self.players[seat] = player
        self.tokens[f"seat {seat}"] = self("app", "POST", f"/v1/players/{player}/tokens", {}).json["token"]

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.server.server_port, timeout=60)

    def __call__(
        self, who: str, method: str, path: str, body: Any = None, connection: Any = None, **headers: str
    ) -> Answer:
        """Call as a named caller (`app as seat 1` means the app acting as a player)."""
        name, _, acting = who.partition(" as ")
        path = path.replace("{cursor}", self.cursor)
        sent = {"X-Request-Id": "0" * 32, **{k.replace("_", "-"): v for k, v in headers.items()}}
        if self.tokens[name] is not None:
            sent["Authorization"] = f"Bearer {self.tokens[name]}"
        if acting:
            sent["Card-Referee-Player"] = self.players[int(acting.split()[1])]
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            sent["Content-Type"] = "application/json"
        at = connection or self.kept
        at.request(method, path, data, sent)
        answer = at.getresponse()
        return Answer(answer.status, answer.getheaders(), b"" if connection else answer.read())

    def events(self, who: str, path: str, number: int, **headers: str) -> Answer:
        """Read this many events of a live stream, then close it."""
        connection = self.connect()
        try:
            name, _, _ = who.partition(" as ")
            path = path.replace("{cursor}", self.cursor)
            sent = {"X-Request-Id": "0" * 32, "Accept": STREAM, **headers}
            if self.tokens[name] is not None:
                sent["Authorization"] = f"Bearer {self.tokens[name]}"
            connection.request("GET", path, None, sent)
            answer = connection.getresponse()
            body, found = b"", 0
            while found < number and answer.status == 200:
                line = answer.readline()
                if not line:
                    break
                body += line
                found += line.startswith(b"data: ")
            return Answer(answer.status, answer.getheaders(), body)
        finally:
            connection.close()

    def script(self, seed: bytes, seats: int, outcomes: list[Outcome]) -> None:
        """Set the outcomes of the next game's deal."""
        self.seed = seed
        key = referee.game_key(seed, [""] * seats)
        self.scripts = {Seeded(key)._inner.digest(): outcomes}
        self.cursor = self("reader", "GET", "/v1/events?cursor=now").json["cursor"]

    def learn(self, game: str, entries: list[dict[str, Any]]) -> None:
        """Record the seals and hashes of entries, as an auditor reads them."""
        for entry in entries:
            for name in ("hash", "sealed", "seals"):
                self._note(entry.get(name), f"{game} {name} {entry['seq']}")

    def _note(self, value: Any, place: str) -> None:
        if isinstance(value, dict):
            for key, inner in value.items():
                self._note(inner, f"{place} {key}")
        elif isinstance(value, list):
            for n, inner in enumerate(value):
                self._note(inner, f"{place} {n}")
        elif isinstance(value, str):
            self.hashes[value.encode()] = f"<{place}>".encode()
            self.hashes[base64.b64encode(bytes.fromhex(value))] = f"<{place}>".encode()

    def plain(self, answer: Answer) -> tuple[int, list[tuple[str, str]], bytes]:
        """Return an answer with values that may differ replaced by their places."""
        headers = sorted((k.lower(), v) for k, v in answer.headers if k.lower() not in VOLATILE)
        return answer.status, headers, self.plain_text(answer.body)

    def plain_text(self, body: bytes) -> bytes:
        body = SIGNATURE.sub(rb"\1<signature>", CURSOR.sub(b"<cursor>", body))
        if self.hashes:
            known = self.hashes
            body = re.sub(rb"[0-9a-f]{64}|[A-Za-z0-9+/]{43}=", lambda m: known.get(m[0], m[0]), body)
        return body

    def work(self) -> None:
        """Do what a job worker does."""
        LOCAL.world = self
        database = Database(self.settings.for_worker())
        session = Session(database)
        context = Context(self.settings, session, load_features().hooks, lambda: self.time)
        try:
            keep_time(context)
            deliver(context)
        finally:
            session.close()
            database.close()
            LOCAL.world = None

    def pass_time(self, seconds: float) -> None:
        self.time += timedelta(seconds=seconds)

    def close(self) -> None:
        self.kept.close()
        self.server.shutdown()
        self.server.server_close()
        self.app.extensions["card_referee"].database.close()
