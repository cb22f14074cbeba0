"""Notifications over a Redis that may fail: followers in other processes still see moves."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

from api.core.config import Settings, libpq
from api.store.database import publishing
from api.store.database.publishing import PREFIX
from api.store.database.session import Database, Session
from api.streams.channels import Channel, Live
from tests.receiver import eventually
from tests.redis_server import Client, Redis
from tests.redis_server import redis as redis
from tests.sites import Site, client, first_move, new_game

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        shutil.which("redis-server") is None, reason="needs redis-server, which .ci/run installs"
    ),
]


@pytest.fixture
def over_redis(settings: Settings, redis: Redis) -> Settings:
    return replace(settings, fanout_url=f"redis://127.0.0.1:{redis.port}")


@pytest.fixture
def told(settings: Settings) -> Iterator[list[UUID]]:
    """Return the notifications that PostgreSQL sends to listeners."""
    found: list[UUID] = []
    stop = threading.Event()

    def listen(connection: psycopg.Connection) -> None:
        while not stop.is_set():
            found.extend(changed for changed, _ in publishing.received(connection, 0.1))

    with psycopg.connect(libpq(settings.database_url), autocommit=True) as connection:
        publishing.listen(connection)
        thread = threading.Thread(target=listen, args=(connection,), daemon=True)
        thread.start()
        yield found
        stop.set()
        thread.join()


class Noted(Channel[Any]):
    """A channel that records the versions that it is notified of."""

    versions: list[int | None]

    def advance(self, version: int | None = None) -> None:
        self.versions.append(version)


def noted(live: Live, versions: list[int | None]) -> Callable[[], Channel[Any]]:
    def make() -> Channel[Any]:
        channel = Noted(live, uuid4(), lambda session, place: [], 0)
        channel.versions = versions
        return channel

    return make


def test_only_followers_are_notified(over_redis: Settings, redis: Redis, told: list[UUID]) -> None:
    """Only over Redis; only over PostgreSQL while Redis is down; only over Redis when it is back."""
    here, there = Database(over_redis), Database(over_redis)
    live = Live(here, 4, keep_alive=3600)
    followed, other = uuid4(), uuid4()
    versions: list[int | None] = []
    sender = Session(there)

    def arrives(version: int) -> bool:
        sender.publish(uuid4(), other, version)
        sender.publish(uuid4(), followed, version)
        return eventually(lambda: version in versions)

    try:
        with live.hold(followed, noted(live, versions)), live.hold(followed, noted(live, versions)):
            assert eventually(lambda: None in versions), "nobody looks for earlier versions"
            assert eventually(lambda: redis.followers(followed) == 1)
            for junk in ("junk", b"\xff"):
                versions.clear()
                with closing(Client(port=redis.port)) as stranger:
                    stranger.publish(f"{PREFIX}{followed}", junk)
                assert eventually(lambda: None in versions), junk
                assert eventually(lambda: redis.followers(followed) == 1)
            assert arrives(7)
            assert not told
            assert redis.followers(other) == 0

            redis.stop()
            assert arrives(8)
            assert followed in told
            redis.start()
            assert eventually(lambda: redis.followers(followed) == 1)
            told.clear()

            def over_it_again() -> bool:
                told.clear()
                return arrives(9) and followed not in told

            assert eventually(over_it_again)
        assert eventually(lambda: redis.followers(followed) == 0)
    finally:
        here.close()
        there.close()


def test_notices_of_strangers_are_ignored(settings: Settings, sql: psycopg.Connection) -> None:
    """Every role that can connect to the database may send some."""
    database = Database(settings)
    live = Live(database, 4, keep_alive=3600)
    followed, versions = uuid4(), list[int | None]()
    try:
        with live.hold(followed, noted(live, versions)):
            assert eventually(lambda: None in versions)
            for junk in ("", "junk", f"{followed} junk", "credential junk"):
                sql.execute("SELECT pg_notify('games', %s)", (junk,))
            Session(database).publish(uuid4(), followed, 7)
            assert eventually(lambda: 7 in versions)
    finally:
        database.close()


def test_two_webs_see_each_others_moves(settings: Settings, redis: Redis) -> None:
    site = Site(settings, FANOUT_URL=f"redis://127.0.0.1:{redis.port}")
    try:
        urls = [f"http://127.0.0.1:{port}" for port in site.ports]
        with (
            client(urls[0], site.key) as http,
            client(urls[1], site.key) as other,
        ):
            game = new_game(http)
            headers = {"Accept": "text/event-stream"}
            with other.stream("GET", f"/v1/games/{game}/events?after=0", headers=headers) as stream:
                assert eventually(lambda: redis.followers(UUID(game)) == 1)
                made = http.post(f"/v1/games/{game}/moves", json=first_move(http, game))
                assert made.status_code == 201
                last = made.json()["game"]["version"]
                lines = stream.iter_lines()
                assert next(line for line in lines if line == f"id: {last}")
    finally:
        site.stop()
