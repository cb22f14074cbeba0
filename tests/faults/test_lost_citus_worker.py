"""A worker of a Citus cluster is killed while games are played, and comes back: `docs/citus.md`.

`make citus` starts the cluster and sets CITUS_URL; without one there is nothing to test.
"""

from __future__ import annotations

import os
import pwd
import random
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread
from typing import Any

import httpx
import psycopg

from api.core.config import libpq
from tests.receiver import eventually
from tests.serving import Server
from tests.support.citus import PORT_OF, URL, call
from tests.support.citus import cluster as cluster
from tests.support.citus import migrated as migrated
from tests.support.citus import pytestmark as pytestmark
from tests.support.citus import server as server


@dataclass
class Table:
    """A game that is played in a thread until `stop`, through all failures."""

    server: Server
    game: Any
    stop: Event
    made: dict[int, Any] = field(default_factory=dict)
    """The entries of moves that were acknowledged."""
    refused: list[Any] = field(default_factory=list)
    """Problems that were not refusals of the referee."""
    failure: BaseException | None = None

    def play(self) -> None:
        try:
            while not self.stop.is_set():
                self._move()
        except BaseException as error:
            self.failure = error

    def _move(self) -> None:
        path, key = f"/v1/games/{self.game['id']}", {"Authorization": f"Bearer {self.server.key}"}
        with httpx.Client(base_url=self.server.url, headers=key, timeout=60) as http:
            shown = http.get(path)
            if shown.status_code == 200:
                seat = min(shown.json()["to_act"])
                if shown.json()["seats"][seat]["bot"]:  # whose move has failed: a worker process makes it
                    self.stop.wait(0.05)
                    return
                shown = http.get(f"{path}/legal-moves?seat={seat}")
            if shown.status_code == 200:
                body = {"seat": seat, "move": random.choice(shown.json()["moves"])}
                number = len(self.made) + len(self.refused)
                keyed = {"Idempotency-Key": f"{self.game['id']}-{number}"} if number % 3 == 0 else {}
                shown = http.post(f"{path}/moves", json=body, headers=keyed)
            if shown.status_code == 201:
                self.made[shown.json()["entry"]["seq"]] = shown.json()["entry"]
            else:
                self.refused.append(shown.json())
                self.stop.wait(0.05)


@contextmanager
def played(tables: list[Table]) -> Iterator[None]:
    threads = [Thread(target=table.play) for table in tables]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        tables[0].stop.set()
        for thread in threads:
            thread.join()


def has_moved(table: Table, more: int = 5) -> None:
    """Wait until this many further moves are acknowledged."""
    enough = len(table.made) + more
    assert eventually(lambda: len(table.made) >= enough or table.failure, 60)
    assert table.failure is None


def test_other_games_go_on_and_nothing_acknowledged_is_lost(
    server: Server, cluster: psycopg.Connection
) -> None:
    players = [call(server, "POST", "/v1/players", {"name": name})["id"] for name in ("Anna", "Ben")]
    seats = [*({"player": player} for player in players), {"bot": "random"}, {"bot": "random"}]
    stop, on = Event(), dict[int, Table]()
    while len(on) < 2:
        game = call(server, "POST", "/v1/games", {"ruleset": "pies", "seats": seats})
        (port,) = cluster.execute(PORT_OF, (game["id"],)).fetchall()[0]
        on[port] = Table(server, game, stop)
    lost_port = max(on)
    lost, other = on[lost_port], on[min(on)]
    with psycopg.connect(libpq(URL), port=lost_port) as worker:
        (data,) = worker.execute("SHOW data_directory").fetchall()[0]
    pid = int(Path(data, "postmaster.pid").read_text().split()[0])
    pg_ctl = Path(os.readlink(f"/proc/{pid}/exe")).with_name("pg_ctl")
    with played([*on.values()]):
        for table in on.values():
            has_moved(table)
        os.kill(pid, signal.SIGKILL)
        try:
            refused = len(lost.refused)
            has_moved(other, 10)
            assert eventually(lambda: len(lost.refused) > refused + 5, 60)
        finally:
            assert eventually(lambda: _start(pg_ctl, data), 60)
        for table in on.values():
            has_moved(table, 10)
    problems = {problem["type"]: problem for problem in lost.refused + other.refused}
    assert problems.keys() == {"/problems/database-unavailable"}, problems
    for table in on.values():
        path = f"/v1/games/{table.game['id']}"
        assert call(server, "GET", f"{path}/verification")["ok"]
        log: dict[int, Any] = {}
        while page := call(server, "GET", f"{path}/events?limit=200&after={max(log, default=0)}")["items"]:
            log |= {entry["seq"]: entry for entry in page}
        assert {seq: log.get(seq) for seq in table.made} == table.made


def _start(pg_ctl: Path, data: str) -> bool:
    """Start the worker; False while processes of the killed one still end."""
    nobody = pwd.getpwnam("nobody") if os.getuid() == 0 else None
    done = subprocess.run(
        [pg_ctl, "-D", data, "-w", "-l", f"{data}/log", "start"],
        user=nobody and nobody.pw_uid,
        group=nobody and nobody.pw_gid,
        extra_groups=[] if nobody else None,
        cwd="/",
        check=False,
        stdout=subprocess.DEVNULL,
    )
    return done.returncode == 0
