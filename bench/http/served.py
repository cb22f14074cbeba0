"""The API on a real server with its own database, and games whose moves are known in advance."""

from __future__ import annotations

import contextlib
import json
import random
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import psycopg

import referee
from api.core.config import Settings, libpq
from api.run.embedded.postgres import find_database
from tests.servers.serving import command, environment, free_directory
from tests.support.stored import stored_game

WORKERS = "2"
LIMIT = "100000000 per minute"  # requests are still counted
Address = tuple[str, int]


def address(url: str) -> Address:
    """Return the host and port of a URL."""
    parts = urlsplit(url)
    return parts.hostname or "", parts.port or 80


@dataclass
class Game:
    """A game of the API with all its future moves, chosen at random in advance."""

    id: str
    moves: list[tuple[int, dict[str, Any]]]


@dataclass
class Api:
    """A running server; `key` has every scope."""

    url: str
    key: str
    settings: Settings
    environ: dict[str, str]
    sql: psycopg.Connection

    def call(self, method: str, path: str, body: Any = None, token: str | None = None) -> Any:
        """Make a call, and return the JSON of the answer."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {token or self.key}", "Content-Type": "application/json"}
        if body is None:
            del headers["Content-Type"]
        made = urllib.request.Request(self.url + path, data, headers, method=method)
        with urllib.request.urlopen(made) as answer:
            return json.load(answer)

    def read(self, path: str) -> bytes:
        """Return the answer to a GET."""
        with self._get(path) as answer:
            found: bytes = answer.read()
        return found

    def etag(self, path: str) -> str:
        """Return the ETag of the answer to a GET."""
        with self._get(path) as answer:
            return str(answer.headers["ETag"])

    def _get(self, path: str) -> Any:
        headers = {"Authorization": f"Bearer {self.key}"}
        return urllib.request.urlopen(urllib.request.Request(self.url + path, headers=headers))

    def players(self, count: int) -> list[str]:
        """Create players, and return their ids."""
        return [self.call("POST", "/v1/players", {"name": f"Player {n}"})["id"] for n in range(count)]

    def tokens(self, players: list[str]) -> list[str]:
        """Create a token for each of these players, and return them."""
        return [self.call("POST", f"/v1/players/{player}/tokens", {})["token"] for player in players]

    def new_game(self, ruleset: str, players: list[str], **more: Any) -> Game:
        """Create a game, and compute its moves from the seed in the database."""
        seats = [{"player": player} for player in players]
        made = self.call("POST", "/v1/games", {"ruleset": ruleset, "seats": seats, **more})
        row = stored_game(self.settings, UUID(made["id"]))
        return Game(made["id"], list(_plan(ruleset, len(players), row.seed)))


def _plan(ruleset: str, seats: int, seed: bytes) -> Iterator[tuple[int, dict[str, Any]]]:
    chance = referee.Seeded.from_seed(seed, [""] * seats, 0)
    state, _ = referee.deal(ruleset, seats, {}, chance)
    while state.result is None:
        seat = state.to_act[0]
        move = random.choice(referee.legal_moves(state, seat))
        yield seat, move
        referee.advance(state, seat, move, chance)


@contextmanager
def serve(directory: Path, python: Path, **more: str) -> Iterator[tuple[str, str]]:
    """Run `referee-api serve` with `more` settings, logging to a file; yield its URL and key."""
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            [str(python), *command("serve", "--port", "0", "--data-dir", directory)[1:]],
            env=environment(
                WORKERS=WORKERS, **dict.fromkeys(("RATE_LIMIT", "ADDRESS_RATE_LIMIT"), LIMIT), **more
            ),
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        assert process.stdout is not None
        try:
            ready = next(line for line in process.stdout if line.startswith("ready "))
            yield ready.split()[-1], (directory / "default-app-key").read_text().strip()
        finally:
            process.terminate()
            process.wait(60)


@contextmanager
def api(python: Path = Path(sys.executable), **more: str) -> Iterator[Api]:
    """Serve the API on a new embedded database, as `referee-api serve` does, with `more` settings."""
    with free_directory() as directory, serve(directory, python, **more) as (url, key):
        settings = find_database(Settings(data_dir=directory, workers=int(WORKERS), port=0))
        with psycopg.connect(libpq(settings.owner_database_url), autocommit=True) as sql:
            yield Api(url, key, settings, settings.environment(), sql)


@contextmanager
def floor(api: Api, app: str) -> Iterator[str]:
    """Serve a bare application of `bench.http.floor` on the same server class, with the same pool."""
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.http.floor", app],
        env=environment(**api.environ),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        url = process.stdout.readline().strip()
        with contextlib.suppress(urllib.error.HTTPError):  # nothing is served at /, but the server answers
            urllib.request.urlopen(url, timeout=60)
        yield url
    finally:
        process.terminate()
        process.wait(30)
