"""Two processes' worth of the application on one database, with players, for campaigns in one process."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from sqlalchemy import create_engine

from api.accounts import keys
from api.app import create_app
from api.core.config import Settings
from api.core.context import Context
from api.play.games import SEED_BYTES
from api.run import migrate
from api.run.embedded.postgres import embedded, supervise
from api.run.worker import keep_time
from api.store.database.session import Database, Session
from tests.serving import free_directory

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
PLAYERS = 6


class Service:
    """Applications with players, somebody who only watches (-1), and a worker; time stands still unless told.

    Which of the two is asked is drawn: what one of them keeps must not be older than what the other wrote.
    """

    def __init__(self, settings: Settings, seed: int = 1) -> None:
        self._drawn: list[bytes] = []
        self._chance = self._seeds = self._routes = random.Random(seed)
        self.time = START
        self.hours: dict[int, Any] = {}  # of players who have said when they are not there
        more = {"clock": lambda: self.time, "random_bytes": self._random_bytes}
        self.apps = [create_app(settings, **more) for _ in range(2)]
        engine = create_engine(settings.owner_database_url)
        with engine.begin() as connection:
            _, self.key = keys.create_app_key(connection, "states", ["read", "write"], None)
        engine.dispose()
        made = [
            self.ask("POST", "/v1/players", {"name": f"Player {n}"}).json["id"] for n in range(PLAYERS + 1)
        ]
        self.players = made[:PLAYERS]
        self.tokens = [self.ask("POST", f"/v1/players/{each}/tokens").json["token"] for each in made]
        self._database = Database(settings.for_worker())
        self._worker = Context(settings, Session(self._database), lambda: self.time)

    def _random_bytes(self, size: int) -> bytes:
        chance = self._seeds if size == SEED_BYTES else self._chance
        self._drawn.append(chance.randbytes(size))
        return self._drawn[-1]

    def reseed(self, *choices: Any) -> None:
        """Deal what follows from these choices: Hypothesis may ask for the same game again."""
        self._seeds, self._routes = random.Random(repr(choices)), random.Random(repr(choices))
        self.time = START

    def ask(self, method: str, path: str, body: Any = None, token: str = "", **headers: str) -> Any:
        """Send a request; the application's answer."""
        sent = {"Authorization": f"Bearer {token or self.key}", **headers}
        more = {} if method == "GET" else {"json": {} if body is None else body}
        app = self._routes.choice(self.apps)
        return app.test_client().open(path, method=method, headers=sent, **more)

    def wait(self, hours: int) -> None:
        """Let time pass."""
        self.time += timedelta(hours=hours)

    def work(self) -> None:
        """Let the worker do what is due."""
        keep_time(self._worker)

    def seed_of(self, commitment: str) -> bytes:
        """The seed that was drawn for a game."""
        return next(drawn for drawn in self._drawn if sha256(drawn).hexdigest() == commitment)

    def close(self) -> None:
        """Close every connection."""
        self._worker.session.close()
        self._database.close()
        for app in self.apps:
            app.extensions["card_referee"].database.close()


@contextlib.contextmanager
def serving() -> Iterator[Service]:
    """The application on a database of its own."""
    with free_directory() as directory, supervise(directory) as server:
        assert server is not None
        settings = embedded(Settings(data_dir=directory), server.socket)
        migrate.upgrade(settings)
        service = Service(settings)
        yield service
        service.close()
