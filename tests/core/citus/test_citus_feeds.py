"""Feeds on a Citus cluster: they miss nothing that only some machines have committed (docs/guides/citus.md).

`make citus` starts the cluster and sets CITUS_URL; without one there is nothing to test.
"""

from __future__ import annotations

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from time import monotonic
from typing import Any
from uuid import UUID, uuid4

import psycopg

from api.core.config import libpq
from tests.servers.receiver import eventually
from tests.servers.serving import Server
from tests.support.citus import PORT_OF, URL, call
from tests.support.citus import cluster as cluster
from tests.support.citus import migrated as migrated
from tests.support.citus import pytestmark as pytestmark
from tests.support.citus import server as server


def test_a_feed_misses_nothing_while_games_are_played(server: Server) -> None:
    """Every second move has a key, whose row is mostly on another machine: two-phase commits."""
    players = [call(server, "POST", "/v1/players", {"name": name})["id"] for name in ("Anna", "Ben")]
    wanted = {"ruleset": "cats_and_dogs", "seats": [{"player": player} for player in players]}
    games = [call(server, "POST", "/v1/games", wanted) for _ in range(4)]
    seen, after = list[tuple[str, int]](), ""

    def read() -> None:
        nonlocal after
        page = call(server, "GET", f"/v1/events?limit=200{after and f'&cursor={after}'}")
        seen.extend((item["game"], item["entry"]["seq"]) for item in page["items"])
        after = page["cursor"]

    with ThreadPoolExecutor() as pool:
        playing = [pool.submit(_play, server, game) for game in games]
        while not all(each.done() for each in playing):
            read()
        versions = {each.result()["id"]: each.result()["version"] for each in playing}
    deadline = monotonic() + 60
    while monotonic() < deadline and not all((id_, version) in seen for id_, version in versions.items()):
        read()
    for id_, version in versions.items():
        assert [seq for game, seq in seen if game == id_] == [*range(1, version + 1)]


def _play(server: Server, game: Any) -> Any:
    path, moves = f"/v1/games/{game['id']}", 0
    while game["status"] == "running":
        seat = min(game["to_act"])
        move = call(server, "GET", f"{path}/legal-moves?seat={seat}")["moves"][0]
        keyed = {"Idempotency-Key": f"{game['id']}-{moves}"} if moves % 2 else {}
        game = call(server, "POST", f"{path}/moves", {"seat": seat, "move": move}, **keyed)["game"]
        moves += 1
    return game


def test_feeds_wait_for_what_a_worker_has_only_prepared(cluster: psycopg.Connection) -> None:
    """The coordinator has committed it and lost the worker before it could commit there too."""
    horizon = "SELECT feed_horizon()"
    group, port = cluster.execute(
        "SELECT groupid, nodeport FROM pg_dist_node WHERE groupid > 0 ORDER BY groupid LIMIT 1"
    ).fetchall()[0]
    gid = f"citus_0_{os.getpid()}_{10**9}_0"
    recover = "ALTER SYSTEM SET citus.recover_2pc_interval = %s"
    _set(cluster, recover, "-1")  # never
    with psycopg.connect(libpq(URL), port=port, autocommit=True) as worker:
        worker.execute(
            "BEGIN; SELECT pg_current_xact_id(); CREATE TABLE left_over (); PREPARE TRANSACTION " + f"'{gid}'"
        )
        try:
            with cluster.transaction():
                (tick,) = cluster.execute("SELECT feed_tick()").fetchall()[0]
                cluster.execute(
                    "INSERT INTO pg_dist_transaction (groupid, gid) VALUES (%s, %s)", (group, gid)
                )
            cluster.execute("SELECT pg_current_xact_id()")
            assert cluster.execute(horizon).fetchall() == [(tick,)]
        finally:
            worker.execute(f"ROLLBACK PREPARED '{gid}'")
            _set(cluster, recover, "5s")
        assert cluster.execute(horizon).fetchall()[0][0] > tick


def test_feeds_wait_while_a_worker_is_slow_to_commit(cluster: psycopg.Connection) -> None:
    """The transaction has ended on the coordinator, so its own snapshots do not tell."""
    enough, horizon, standbys = (
        Event(),
        "SELECT feed_horizon()",
        "ALTER SYSTEM SET synchronous_standby_names = %s",
    )
    with psycopg.connect(libpq(URL)) as writer, ThreadPoolExecutor() as pool:
        (tick,) = writer.execute("SELECT feed_tick()").fetchall()[0]
        for game_id in _games_on_both(cluster):
            writer.execute(
                "INSERT INTO entries (game_id, seq, public, hash, app_id, tick)"
                " VALUES (%s, 1, '{}', '', %s, %s)",
                (game_id, game_id, tick),
            )
        with psycopg.connect(libpq(URL), port=_a_worker(cluster), autocommit=True) as worker:
            # Its commit waits on the coordinator for a standby that does not exist, after it was prepared.
            _set(cluster, standbys, "nobody")
            waiting = pool.submit(_commit, enough)
            waits = "SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
            assert eventually(lambda: cluster.execute(waits).fetchall())
            enough.set()
            committing = pool.submit(writer.commit)
            try:
                assert eventually(lambda: _prepared(worker, writer))
                (stopped,) = _prepared(worker, writer)
                os.kill(stopped, signal.SIGSTOP)
            finally:
                _set(cluster, standbys, "")
            try:
                snapshot = "SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint + feed_offset() > %s"
                assert eventually(lambda: cluster.execute(snapshot, (tick,)).fetchall() == [(True,)])
                assert cluster.execute(horizon).fetchall() == [(tick,)]
            finally:
                os.kill(stopped, signal.SIGCONT)
            committing.result()
            waiting.result()
    assert cluster.execute(horizon).fetchall()[0][0] > tick


def _commit(enough: Event) -> None:
    """Commit on the coordinator again and again."""
    with psycopg.connect(libpq(URL), autocommit=True) as connection:
        while not enough.is_set():
            connection.execute("SELECT pg_logical_emit_message(true, '', '')")


def _a_worker(cluster: psycopg.Connection) -> int:
    row = cluster.execute("SELECT min(nodeport) FROM pg_dist_node WHERE groupid > 0").fetchone()
    assert row is not None
    return int(row[0])


def _games_on_both(cluster: psycopg.Connection) -> list[UUID]:
    """Return ids of games, one for each worker."""
    found: dict[int, UUID] = {}
    while len(found) < 2:
        game_id = uuid4()
        (port,) = cluster.execute(PORT_OF, (game_id,)).fetchall()[0]
        found[port] = game_id
    return [*found.values()]


def _set(cluster: psycopg.Connection, statement: str, value: str) -> None:
    with psycopg.ClientCursor(cluster) as cursor:
        cursor.execute(statement, (value,))
        cursor.execute("SELECT pg_reload_conf()")


def _prepared(worker: psycopg.Connection, writer: psycopg.Connection) -> list[int]:
    """Return the processes of a worker that have just prepared a transaction of the writer."""
    query = "SELECT pid FROM pg_stat_activity WHERE query LIKE %s AND state = 'idle'"
    like = f"PREPARE TRANSACTION 'citus_0_{writer.info.backend_pid}_%"
    return [pid for (pid,) in worker.execute(query, (like,))]
