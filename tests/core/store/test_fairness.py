"""Requests get connections to the database in the order in which they asked for one."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import psycopg
import pytest

from api.app import create_app
from api.core.config import Settings
from api.store.database.connections import SILENCE
from api.store.database.session import Database, Session
from tests.support.callers import Caller, Clock
from tests.support.raw import served_in_turn

TIMEOUT = 90.0


@pytest.fixture
def new_database(settings: Settings) -> Iterator[Callable[..., Database]]:
    made = []

    def make(connections: int, timeout: float = TIMEOUT) -> Database:
        made.append(Database(replace(settings, pool_size=connections), timeout))
        return made[-1]

    yield make
    for database in made:
        database.close()


def test_connections_are_handed_over_in_the_order_of_asking(new_database: Callable[..., Database]) -> None:
    assert served_in_turn(new_database(1)) == [*range(9)]


GREENLETS = """
from gevent import monkey
monkey.patch_all()
import sys
from api.core.config import Settings
from api.store.database.session import Database
from tests.support.raw import served_in_turn
database = Database(Settings(database_url=sys.argv[1], encryption_keys=(sys.argv[2],), pool_size=1))
print(served_in_turn(database))
database.close()
"""


def test_greenlets_are_served_in_the_order_of_asking(settings: Settings) -> None:
    given = [settings.database_url, settings.encryption_keys[0]]
    done = subprocess.run(
        [sys.executable, "-c", GREENLETS, *given], capture_output=True, text=True, timeout=180
    )
    assert done.stdout.strip() == str([*range(9)]), done.stderr


def test_a_caller_that_gives_up_keeps_no_connection(new_database: Callable[..., Database]) -> None:
    database = new_database(2, 0.5)
    held = [database.checkout(), database.checkout()]
    with pytest.raises(psycopg.OperationalError):
        database.checkout()
    for connection in held:
        database.give_back(connection)
    again = [database.checkout(), database.checkout()]
    assert {id(one) for one in again} == {id(one) for one in held}
    for connection in again:
        database.give_back(connection)


def test_no_connection_is_lost_among_many_callers_with_short_timeouts(
    new_database: Callable[..., Database],
) -> None:
    database = new_database(3, 0.001)
    inside, most, served = 0, 0, 0
    lock = threading.Lock()

    def come_and_go() -> None:
        nonlocal inside, most, served
        for _ in range(200):
            try:
                connection = database.checkout()
            except psycopg.OperationalError:
                continue
            with lock:
                inside += 1
                most = max(most, inside)
                served += 1
            connection.execute("SELECT 1")
            with lock:
                inside -= 1
            database.give_back(connection)

    threads = [threading.Thread(target=come_and_go) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(TIMEOUT)
    assert most <= 3
    assert served
    stats = database._pool.get_stats()
    assert stats["pool_available"] == stats["pool_size"] > 0


@pytest.fixture
def small(settings: Settings, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setattr(Database.__init__, "__defaults__", (0.5, SILENCE))
    app = create_app(replace(settings, pool_size=2), clock=clock)
    yield app
    app.extensions["card_referee"].database.close()


def test_a_request_is_refused_for_now_if_every_connection_is_taken(small: Any) -> None:
    database = small.extensions["card_referee"].database
    held = [database.checkout() for _ in range(2)]
    refused = Caller(small).get("/readyz")
    assert (refused.status_code, refused.json["type"]) == (503, "/problems/database-unavailable")
    assert int(refused.headers["Retry-After"]) > 0
    for connection in held:
        database.give_back(connection)
    assert Caller(small).get("/readyz").status_code == 200
    assert database.checkout() in held, "the connections were alive, and kept"


def test_connections_that_died_are_replaced_at_once(
    settings: Settings, new_database: Callable[..., Database], sql: psycopg.Connection
) -> None:
    """After a restart of the database one request fails, not one for each connection."""
    database = new_database(4)
    held = [database.checkout() for _ in range(4)]
    for connection in held:
        database.give_back(connection)
    sql.execute(
        "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    used = Session(database)
    with pytest.raises(psycopg.OperationalError):
        used.execute("SELECT 1")
    used.close()
    for _ in range(8):
        used = Session(database)
        assert used.execute("SELECT 1").fetchone() == (1,)
        used.close()
