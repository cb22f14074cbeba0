"""A primary that dies under load, and its synchronous standby that takes over."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import httpx
import pytest

from api.app import create_app
from api.callers import app_keys
from api.run.embedded.postgres import Postgres
from tests.campaigns import failover
from tests.servers.clusters import Cluster, settings, with_standby
from tests.servers.receiver import eventually, receiving
from tests.servers.serving import TIMEOUT
from tests.servers.sites import Player, Site, client, log
from tests.support.callers import Caller

pytestmark = pytest.mark.long

CLIENTS = 4
BEFORE, AFTER = 4, 4  # answered moves of each client before the primary dies, and after that
IN_STEP = "SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state = 'sync' AND state = 'streaming'"


@pytest.fixture
def servers(postgres: Postgres) -> Iterator[list[Cluster]]:
    """Yield a primary that acknowledges commits only when its standby has them on disk."""
    with with_standby(postgres) as (primary, standby):
        primary.stop()
        primary.start(synchronous_standby_names="standby")
        standby.start()
        assert eventually(lambda: bool(primary.ask(IN_STEP)))
        yield [primary, standby]


def follow(url: str, key: str, game: str, seen: list[int]) -> None:
    headers = {"Accept": "text/event-stream"}
    with (
        suppress(httpx.TransportError),  # at the end the server is stopped
        client(url, key) as http,
        http.stream("GET", f"/v1/games/{game}/events?after=0", headers=headers) as stream,
    ):
        for line in stream.iter_lines():
            if line.startswith("id: "):
                seen.append(int(line.removeprefix("id: ")))


def test_the_standby_has_everything_that_was_answered(servers: list[Cluster]) -> None:
    """Clients that repeat with their keys lose and duplicate nothing; followers and workers continue."""
    primary, standby = servers
    here = settings(primary, standby)
    stop = threading.Event()
    with receiving() as receiver:
        _, hooked = app_keys.create(here, "hooked", ["read", "write"], None)
        site = Site(here, ALLOW_PRIVATE_WEBHOOKS="true")
        try:
            urls = [f"http://127.0.0.1:{port}" for port in site.ports]
            with client(urls[0], hooked) as http:
                assert http.post("/v1/webhooks", json={"url": receiver.url}).status_code == 201
            players = [Player(urls[n % 2], hooked if n == 0 else site.key, stop) for n in range(CLIENTS)]
            threads = [threading.Thread(target=player, daemon=True) for player in players]
            for thread in threads:
                thread.start()
            assert eventually(lambda: all(len(player.answered) >= BEFORE for player in players))
            watched = players[1].games[-1]
            seen: list[int] = []
            threading.Thread(target=follow, args=(urls[0], site.key, watched, seen), daemon=True).start()
            assert eventually(lambda: bool(seen))

            primary.kill()
            standby.ask("SELECT pg_promote()")
            counts = [len(player.answered) for player in players]
            assert eventually(
                lambda: all(len(p.answered) >= n + AFTER for p, n in zip(players, counts, strict=True))
            )
            stop.set()
            for thread in threads:
                thread.join(TIMEOUT)
            assert not any(thread.is_alive() for thread in threads)
            assert [fault for player in players for fault in player.faults] == []
            for player in players:
                with client(urls[1], player.key) as http:
                    check(http, player)
            with client(urls[1], site.key) as http:
                version = http.get(f"/v1/games/{watched}").json()["version"]
            assert eventually(lambda: seen == list(range(1, version + 1)))
            assert eventually(
                lambda: {each["data"]["game"] for each in receiver.events()} >= set(players[0].games)
            )
        finally:
            stop.set()
            site.stop()


def check(http: httpx.Client, player: Player) -> None:
    """Check that each answered move is in the logs once, and that its key still returns its entry."""
    entries = {game: {entry["seq"]: entry for entry in log(http, game)} for game in player.games}
    for game, found in entries.items():
        assert sorted(found) == list(range(1, len(found) + 1))
        made = [entry for entry in found.values() if entry["type"] == "moved" and entry["seat"] == 0]
        assert len(made) == sum(answered[0] == game for answered in player.answered)
        assert http.get(f"/v1/games/{game}/verification").json()["ok"]
    for game, move, key, answer in player.answered:
        seq = answer["entry"]["seq"]
        assert entries[game][seq]["hash"] == answer["entry"]["hash"]
        again = http.post(f"/v1/games/{game}/moves", json=move, headers={"Idempotency-Key": key})
        assert again.json()["entry"] == answer["entry"]


LAST_WRITTEN = "SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn"
NEXT_TRANSACTION = "SELECT pg_snapshot_xmax(pg_current_snapshot())::text::int"


def mover(http: Caller, path: str, choice: int) -> dict[str, Any]:
    """Return a legal move for the seat to act."""
    seat = http.get(path).json["to_act"][0]
    moves: list[dict[str, Any]] = http.get(f"{path}/legal-moves?seat={seat}").json["moves"]
    return {"seat": seat, "move": moves[choice]}


def test_no_move_follows_one_that_was_lost(postgres: Postgres) -> None:
    """An asynchronous standby loses the last move; another one gets the number of its transaction."""
    with with_standby(postgres) as (primary, standby):
        standby.start()
        here = settings(primary, standby)
        _, key = app_keys.create(here, "host", ["read", "write"], None)
        processes = [create_app(here) for _ in range(2)]
        one, two = (Caller(process, key) for process in processes)
        try:
            players = [one.post("/v1/players", {"name": name}).json["id"] for name in ("Anna", "Ben")]
            seats = [{"player": player} for player in players]
            game = one.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": seats}).json
            path = f"/v1/games/{game['id']}"
            written = primary.ask("SELECT pg_current_wal_insert_lsn()::text")
            assert eventually(lambda: bool(standby.ask(LAST_WRITTEN, written)))
            standby.stop()
            for _ in range(20):  # so that the number is not used yet after the failover
                primary.ask("SELECT pg_current_xact_id()")
            assert one.post(f"{path}/moves", mover(one, path, 0)).status_code == 201
            number = int(str(primary.ask("SELECT xmin::text FROM games WHERE id = %s", game["id"])))
            primary.kill()
            standby.start()
            standby.ask("SELECT pg_promote()")
            assert eventually(lambda: two.get(path).status_code == 200)
            assert eventually(lambda: one.get(path).status_code == 200)
            move = mover(two, path, -1)
            while int(str(standby.ask(NEXT_TRANSACTION))) < number:
                standby.ask("SELECT pg_current_xact_id()")
            assert two.post(f"{path}/moves", move).status_code == 201
            assert standby.ask("SELECT xmin::text FROM games WHERE id = %s", game["id"]) == str(number)
            assert one.post(f"{path}/moves", mover(one, path, 0)).status_code == 201
            assert one.post(f"{path}/resignation", {"seat": 0}).status_code == 201
            report = two.get(f"{path}/verification").json
            assert report["ok"], report
        finally:
            for process in processes:
                process.extensions["card_referee"].database.close()


@pytest.mark.parametrize("mode", failover.MODES)
def test_patroni_replaces_a_primary_under_play(mode: str) -> None:
    """A short run of the campaign."""
    if absent := failover.missing():
        pytest.skip(f"not installed here: {absent}")
    assert ", 0 doubled;" in failover.campaign_of(1, mode)
