"""Finished games read from a streaming standby: the answers are always those of the primary."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import psutil
import psycopg
import pytest

from api.core.config import libpq
from api.run.embedded.postgres import Postgres
from tests.clusters import WEB, Cluster, address, settings, with_standby
from tests.receiver import eventually
from tests.sites import Site, client, first_move, new_game

pytestmark = pytest.mark.long

METRICS_TOKEN = "a-token-for-metrics-alone"


@pytest.fixture
def servers(postgres: Postgres) -> Iterator[list[Cluster]]:
    with with_standby(postgres) as (primary, standby):
        standby.start()
        yield [primary, standby]


def finished(http: httpx.Client) -> str:
    """Return a finished game of some moves."""
    game = new_game(http)
    for _ in range(3):
        assert http.post(f"/v1/games/{game}/moves", json=first_move(http, game)).status_code == 201
    assert http.post(f"/v1/games/{game}/resignation", json={"seat": 0}).status_code == 201
    return game


def caught_up(primary: Cluster, standby: Cluster) -> bool:
    written = primary.ask("SELECT pg_current_wal_lsn()::text")
    return bool(standby.ask("SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn", written))


PATHS = ("record", "verification", "events", "events?limit=4&after=2", "?version=4")


def read(http: httpx.Client, game: str) -> dict[str, Any]:
    found = {}
    for path in PATHS:
        answer = http.get(f"/v1/games/{game}{'' if path.startswith('?') else '/'}{path}")
        assert answer.status_code == 200, answer.text
        found[path] = answer.json()
        for grows in ("receipt", "inclusion"):  # with the time, and the log of all games
            found[path].pop(grows, None)
    lines = http.get(f"/v1/games/{game}/events", headers={"Accept": "application/x-ndjson"})
    return {**found, "lines": lines.text}


def counted(url: str) -> dict[str, float]:
    """Return how many pages came from the standby, and how many had to be read again."""
    with client(url, METRICS_TOKEN) as http:
        lines = http.get("/metrics").text.splitlines()
    found = {"used": 0.0, "repeated": 0.0}
    for line in lines:
        if line.startswith("referee_replica_reads_total{"):
            found[line.split('"')[1]] = float(line.split()[-1])
    return found


def test_a_standby_may_be_behind_or_down(servers: list[Cluster]) -> None:
    primary, standby = servers
    more = {"READ_DATABASE_URL": libpq(address(WEB, standby)), "METRICS_TOKEN": METRICS_TOKEN}
    site = Site(settings(primary), **more)
    plain = Site(settings(primary), webs=1)
    try:
        url = f"http://127.0.0.1:{site.ports[0]}"
        with (
            client(url, site.key) as http,
            client(f"http://127.0.0.1:{plain.ports[0]}", site.key) as direct,
        ):
            game = finished(http)
            running = new_game(http)
            assert eventually(lambda: caught_up(primary, standby))
            assert read(http, game) == read(direct, game)
            assert counted(url)["used"] == len(PATHS) + 1
            assert counted(url)["repeated"] == 0
            read(http, running)
            assert counted(url)["used"] == len(PATHS) + 1, "a running game was read from the standby"

            standby.ask("SELECT pg_wal_replay_pause()")
            player = http.get(f"/v1/games/{game}").json()["seats"][0]["player"]["id"]
            token = http.post(f"/v1/players/{player}/tokens").json()
            late = finished(http)
            assert read(http, late) == read(direct, late)
            assert counted(url)["repeated"] == len(PATHS) + 1
            with client(url, token["token"]) as own:
                assert own.get(f"/v1/games/{game}/record").status_code == 200
                assert http.delete(f"/v1/players/{player}/tokens/{token['id']}").status_code == 204
                assert own.get(f"/v1/games/{game}/record").status_code == 401, (
                    "a revoked token can still read"
                )
            standby.ask("SELECT pg_wal_replay_resume()")
            assert eventually(lambda: caught_up(primary, standby))
            before = counted(url)["used"]
            assert read(http, late) == read(direct, late)
            assert counted(url)["used"] == before + len(PATHS) + 1

            standby.kill()
            for each in (game, late):
                assert read(http, each) == read(direct, each)
            before = counted(url)["used"]
            standby.start()
            assert eventually(lambda: read(http, late) and counted(url)["used"] > before)
    finally:
        site.stop()
        plain.stop()


def test_a_frozen_standby_delays_little(servers: list[Cluster]) -> None:
    primary, standby = servers
    more = {"READ_DATABASE_URL": libpq(address(WEB, standby)), "DATABASE_TIMEOUT": "600"}
    site = Site(settings(primary), webs=1, COMPUTE_TIMEOUT="600", **more)
    try:
        with client(f"http://127.0.0.1:{site.ports[0]}", site.key) as http:
            game = finished(http)
            assert eventually(lambda: caught_up(primary, standby))
            before = read(http, game)
            assert standby.process is not None
            main = psutil.Process(standby.process.pid)
            frozen = [main, *main.children(recursive=True)]
            for process in frozen:
                process.suspend()
            try:
                assert read(http, game) == before
            finally:
                for process in frozen:
                    process.resume()
    finally:
        site.stop()


def test_a_standby_with_another_end_of_a_log_is_not_used(servers: list[Cluster]) -> None:
    """It was promoted, or followed a primary whose last moves were lost."""
    primary, standby = servers
    more = {"READ_DATABASE_URL": libpq(address(WEB, standby)), "METRICS_TOKEN": METRICS_TOKEN}
    site = Site(settings(primary), webs=1, **more)
    other = None
    try:
        url = f"http://127.0.0.1:{site.ports[0]}"
        with client(url, site.key) as http:
            game = new_game(http)
            assert eventually(lambda: caught_up(primary, standby))
            standby.ask("SELECT pg_promote()")
            other = Site(settings(standby), webs=1)
            with client(f"http://127.0.0.1:{other.ports[0]}", site.key) as there:
                for each in (http, there):
                    assert each.post(f"/v1/games/{game}/resignation", json={"seat": 0}).status_code == 201
                mine, theirs = (each.get(f"/v1/games/{game}/record").json() for each in (http, there))
            assert len(mine["entries"]) == len(theirs["entries"])
            assert mine["entries"][-1]["hash"] == http.get(f"/v1/games/{game}").json()["head"]
            assert mine["entries"] != theirs["entries"]
            assert counted(url) == {"used": 0, "repeated": 1}
    finally:
        site.stop()
        if other is not None:
            other.stop()


def test_a_standby_shows_one_apps_rows(servers: list[Cluster]) -> None:
    """Row-level security applies there as on the primary."""
    with psycopg.connect(libpq(address(WEB, servers[1]))) as connection:
        row = connection.execute("SELECT row_security_active('entries'), pg_is_in_recovery()").fetchone()
    assert row == (True, True)
