"""The application as two processes on one database, with players, for campaigns in one process."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from sqlalchemy import create_engine

from api.app import create_app
from api.callers import app_keys
from api.context import Context
from api.core.config import Settings
from api.features import load_features
from api.games.games import SEED_BYTES
from api.run import migrate
from api.run.embedded.postgres import embedded, supervise
from api.store.database.session import Database, Session
from tests.servers.serving import free_directory
from tests.support.due_jobs import keep_time

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
PLAYERS = 6


class Service:
    """Applications with players, a spectator (-1) and a worker; the time changes only on request.

    Each request goes to one of the two at random: what one of them has cached must not be older than what the
    other has written.
    """

    def __init__(self, settings: Settings, seed: int = 1) -> None:
        self._drawn: list[bytes] = []
        self._chance = self._seeds = self._routes = random.Random(seed)
        self.time = START
        self.hours: dict[int, Any] = {}  # players who have set hours
        more = {"clock": lambda: self.time, "random_bytes": self._random_bytes}
        self.apps = [create_app(settings, **more) for _ in range(2)]
        engine = create_engine(settings.owner_database_url)
        with engine.begin() as connection:
            _, self.key = app_keys.create_app_key(connection, "states", ["read", "write"], None)
        engine.dispose()
        made = [
            self.ask("POST", "/v1/players", {"name": f"Player {n}"}).json["id"] for n in range(PLAYERS + 1)
        ]
        self.players = made[:PLAYERS]
        self.tokens = [self.ask("POST", f"/v1/players/{each}/tokens").json["token"] for each in made]
        self._database = Database(settings.for_worker())
        self._worker = Context(settings, Session(self._database), load_features().hooks, lambda: self.time)

    def _random_bytes(self, size: int) -> bytes:
        chance = self._seeds if size == SEED_BYTES else self._chance
        self._drawn.append(chance.randbytes(size))
        return self._drawn[-1]

    def reseed(self, *choices: Any) -> None:
        """Make later deals depend on these choices, because Hypothesis may request the same game again."""
        self._seeds, self._routes = random.Random(repr(choices)), random.Random(repr(choices))
        self.time = START

    def ask(self, method: str, path: str, body: Any = None, token: str = "", **headers: str) -> Any:
        """Send a request; return the application's answer."""
        sent = {"Authorization": f"Bearer {token or self.key}", **headers}
        more = {} if method == "GET" else {"json": {} if body is None else body}
        app = self._routes.choice(self.apps)
        return app.test_client().open(path, method=method, headers=sent, **more)

    def wait(self, hours: int) -> None:
        """Move the clock forward."""
        self.time += timedelta(hours=hours)

    def work(self) -> None:
        """Run the worker's due jobs."""
        keep_time(self._worker)

    def seed_of(self, commitment: str) -> bytes:
        """Return the seed of a game."""
        return next(drawn for drawn in self._drawn if sha256(drawn).hexdigest() == commitment)

    def close(self) -> None:
        """Close every connection."""
        self._worker.session.close()
        self._database.close()
        for app in self.apps:
            app.extensions["card_referee"].database.close()


@contextlib.contextmanager
def serving() -> Iterator[Service]:
    """Run the application on a new database."""
    with free_directory() as directory, supervise(directory) as server:
        assert server is not None
        settings = embedded(Settings(data_dir=directory), server.socket)
        migrate.upgrade(settings)
        service = Service(settings)
        yield service
        service.close()
