"""The service behind the real PgBouncer in transaction mode, with fewer server connections than clients."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest
from sqlalchemy import make_url

from api.callers import app_keys
from api.core.config import Settings, libpq
from api.run.embedded.accounts import rights, unprivileged
from api.run.embedded.postgres import SERVICE, WORKER, Postgres
from api.run.embedded.roles import passwords
from api.store.database.connections import APP_SETTING
from api.store.database.session import Database, Session
from tests.servers.receiver import eventually, receiving
from tests.servers.serving import TIMEOUT, free_directory, free_port, run
from tests.servers.sites import Site, client, first_move, new_game, repeated, require

pytestmark = pytest.mark.long

SERVER_CONNECTIONS = 3
TABLES = 4  # of each app, at once
MOVES = 20
WHOSE = f"SELECT current_setting('{APP_SETTING}', true)"
NAMES = "SELECT DISTINCT a.name FROM players p JOIN apps a ON a.id = p.app_id"

CONFIGURATION = """
[databases]
* = host={socket} port=5432
[pgbouncer]
listen_addr =
listen_port = {port}
unix_socket_dir = {directory}
unix_socket_mode = 0777
auth_type = scram-sha-256
auth_file = {directory}/users
pool_mode = transaction
default_pool_size = {size}
logfile =
"""


@dataclass
class Pooler:
    """PgBouncer with defaults: it knows the two logins, and does not support `options`."""

    directory: Path
    port: int

    def address(self, direct: str) -> str:
        """Return the address of a database through it."""
        found = make_url(direct).set(port=self.port, query={"host": str(self.directory)})
        return found.render_as_string(hide_password=False)


@pytest.fixture
def pooler(postgres: Postgres) -> Iterator[Pooler]:
    program = require("pgbouncer")
    account = unprivileged(postgres.cluster)
    with free_directory() as directory:
        found = Pooler(directory, free_port())
        text = CONFIGURATION.format(
            socket=postgres.socket, port=found.port, directory=directory, size=SERVER_CONNECTIONS
        )
        (directory / "pgbouncer.ini").write_text(text)
        known = passwords(postgres.directory)
        (directory / "users").write_text("".join(f'"{who}" "{known[who]}"\n' for who in (SERVICE, WORKER)))
        directory.chmod(0o755)
        if account is not None:
            for path in (directory, directory / "users"):
                os.chown(path, account.uid, account.gid)
        command = [program, "-q", str(directory / "pgbouncer.ini")]
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **rights(account)
        )
        try:
            assert eventually((directory / f".s.PGSQL.{found.port}").exists)
            yield found
        finally:
            process.terminate()
            process.wait(TIMEOUT)


@pytest.fixture
def pooled(settings: Settings, sql: psycopg.Connection, pooler: Pooler) -> Settings:
    """Return settings of a service behind PgBouncer; the database has a different time zone."""
    sql.execute("DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET timezone = %L',"
                " current_database(), 'Asia/Kolkata'); END $$")  # fmt: skip
    return replace(
        settings,
        database_url=pooler.address(settings.database_url),
        worker_database_url=pooler.address(settings.worker_database_url),
        direct_database_url=settings.database_url,
    )


def app_of(sql: psycopg.Connection, name: str) -> UUID:
    row = sql.execute("SELECT id FROM apps WHERE name = %s", (name,)).fetchone()
    assert row is not None
    return UUID(str(row[0]))


def test_no_setting_stays_with_a_connection(pooled: Settings, sql: psycopg.Connection) -> None:
    """This holds after statements and transactions, also after failed ones."""
    for name in ("one", "two"):
        app_keys.create(pooled, name, ["read"], None)
        sql.execute(
            "INSERT INTO players (id, app_id, name, created_at)"
            " SELECT gen_random_uuid(), id, name, now() FROM apps WHERE name = %s",
            (name,),
        )
    apps = {name: app_of(sql, name) for name in ("one", "two")}
    database = Database(pooled)
    plain = [psycopg.connect(libpq(pooled.database_url), autocommit=True, prepare_threshold=None)
             for _ in range(2)]  # fmt: skip

    def nothing_stays() -> None:
        for connection in plain:
            assert connection.execute(WHOSE).fetchone() in ((None,), ("",))
            assert connection.execute("SHOW statement_timeout").fetchone() == ("0",)

    try:
        for _ in range(10):
            for name, app_id in apps.items():
                session = Session(database, app_id)
                assert session.connection.execute(NAMES).fetchall() == [(name,)]
                nothing_stays()
                with session.transaction():
                    assert session.execute(NAMES).fetchall() == [(name,)]
                    assert session.execute("SHOW statement_timeout").fetchone() == ("30s",)
                nothing_stays()
                with pytest.raises(psycopg.errors.DivisionByZero):
                    session.execute("SELECT 1 / 0")
                with pytest.raises(psycopg.errors.DivisionByZero), session.transaction():
                    session.execute("SELECT 1 / 0")
                nothing_stays()
                assert session.execute(NAMES).fetchall() == [(name,)]
                session.see(None)
                assert session.execute(NAMES).fetchall() == []
                session.close()
    finally:
        for connection in plain:
            connection.close()
        database.close()


def follow(url: str, key: str, game: str, seen: list[int], ready: threading.Event) -> None:
    """Record the numbers of a stream's entries until the game is over, or MOVES were seen."""
    headers = {"Accept": "text/event-stream"}
    with (
        client(url, key) as http,
        http.stream("GET", f"/v1/games/{game}/events?after=0", headers=headers) as stream,
    ):
        ready.set()
        for line in stream.iter_lines():
            if line.startswith("id: "):
                seen.append(int(line.removeprefix("id: ")))
                if len(seen) >= MOVES:
                    return


def play(urls: list[str], key: str, others: list[str]) -> list[str]:
    """Play a game and follow it on the other server, without data of the other app. Returns faults."""
    faults: list[str] = []
    with client(urls[0], key) as http:
        game = new_game(http)
        others.append(game)
        seen: list[int] = []
        ready = threading.Event()
        follower = threading.Thread(target=follow, args=(urls[1], key, game, seen, ready), daemon=True)
        follower.start()
        assert ready.wait(TIMEOUT)
        version = 0
        while version < MOVES and (move := first_move(http, game)) is not None:
            made = repeated(http, f"/v1/games/{game}/moves", move)
            if made.status_code != 201:
                return [f"{made.status_code} {made.text}"]
            version = made.json()["entry"]["seq"]
        follower.join(TIMEOUT)
        if seen != list(range(1, MOVES + 1)):
            faults.append(f"the follower saw {seen}")
    return faults


def mine(url: str, key: str) -> dict[str, set[str]]:
    with client(url, key) as http:
        pages = {path: http.get(f"/v1/{path}", params={"limit": 100}).json() for path in ("games", "players")}
        return {path: {item["id"] for item in page["items"]} for path, page in pages.items()}


def test_two_apps_play_through_a_small_pool(pooled: Settings) -> None:
    """Followers get every move, the worker delivers, and no app ever sees data of the other one."""
    direct = replace(
        pooled, database_url=pooled.direct_database_url, worker_database_url=pooled.owner_database_url
    )
    with receiving() as receiver:
        site = Site(
            pooled, DIRECT_DATABASE_URL=libpq(pooled.direct_database_url), ALLOW_PRIVATE_WEBHOOKS="true"
        )
        try:
            urls = [f"http://127.0.0.1:{port}" for port in site.ports]
            _, other = app_keys.create(direct, "other", ["read", "write"], None)
            apps = {site.key: [], other: []}  # type: dict[str, list[str]]
            with client(urls[0], site.key) as http:
                assert http.post("/v1/webhooks", json={"url": receiver.url}).status_code == 201
            with ThreadPoolExecutor(2 * TABLES) as threads:
                tables = [
                    threads.submit(play, urls[:: 1 if n % 2 else -1], key, apps[key])
                    for key in apps
                    for n in range(TABLES)
                ]
                while not all(table.done() for table in tables):
                    for key, rival in ((site.key, other), (other, site.key)):
                        found = mine(urls[0], key)
                        assert not found["games"] & set(apps[rival])
                assert [fault for table in tables for fault in table.result()] == []
            found = {key: mine(urls[1], key) for key in apps}
            assert {key: seen["games"] for key, seen in found.items()} == {k: set(v) for k, v in apps.items()}
            assert not found[site.key]["players"] & found[other]["players"]
            for key, rival in ((site.key, other), (other, site.key)):
                with client(urls[0], key) as http:
                    assert {http.get(f"/v1/games/{game}").status_code for game in apps[rival]} == {404}
                    verified: list[dict[str, Any]] = [
                        http.get(f"/v1/games/{game}/verification").json() for game in apps[key]
                    ]
                    assert all(report["ok"] for report in verified)
            assert eventually(
                lambda: {each["data"]["game"] for each in receiver.events()} == set(apps[site.key])
            )
        finally:
            site.stop()


def test_it_does_not_start_where_notices_are_lost(pooled: Settings) -> None:
    environ = {
        "DATABASE_URL": libpq(pooled.database_url),
        "WORKER_DATABASE_URL": libpq(pooled.worker_database_url),
        "ENCRYPTION_KEYS": ",".join(pooled.encryption_keys),
    }
    for part in (("web", "--port", "0"), ("worker",)):
        done = run(*part, **environ)
        assert done.returncode == 1
        assert "DIRECT_DATABASE_URL" in done.stderr
