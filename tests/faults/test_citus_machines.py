"""A worker of a Citus cluster dies under play, one joins, and all are restored: `docs/guides/citus.md`.

`make citus` starts the cluster and sets CITUS_URL; without one there is nothing to test.
"""

from __future__ import annotations

import os
import pwd
import random
import re
import shutil
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
import pytest

from api.core.config import Settings, libpq
from api.run import migrate
from tests.servers.receiver import eventually
from tests.servers.serving import Server, free_port
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
    asked: int = 0
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
                if not shown.json()["moves"]:  # a move that was committed on the coordinator has come
                    return
                body = {"seat": seat, "move": random.choice(shown.json()["moves"])}
                self.asked += 1
                keyed = {"Idempotency-Key": f"{self.game['id']}-{self.asked}"} if self.asked % 3 == 0 else {}
                shown = http.post(f"{path}/moves", json=body, headers=keyed)
            if shown.status_code == 201:
                self.made[shown.json()["entry"]["seq"]] = shown.json()["entry"]
            elif shown.status_code != 422:  # nor when it comes just before ours
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


def assert_whole(table: Table) -> None:
    """Check that every acknowledged move is in the log, and that the log verifies."""
    path, log = f"/v1/games/{table.game['id']}", dict[int, Any]()
    assert call(table.server, "GET", f"{path}/verification")["ok"]
    while page := call(table.server, "GET", f"{path}/events?limit=200&after={max(log, default=0)}")["items"]:
        log |= {entry["seq"]: entry for entry in page}
    assert {seq: log.get(seq) for seq in table.made} == table.made


def tables(server: Server, cluster: psycopg.Connection, people: int = 2) -> dict[int, Table]:
    """Return a game on each worker, by the worker's port."""
    names = ("Anna", "Ben", "Cleo", "Dan")[:people]
    players = [call(server, "POST", "/v1/players", {"name": name})["id"] for name in names]
    seats = [*({"player": player} for player in players), *[{"bot": "random"}] * (4 - people)]
    stop, on = Event(), dict[int, Table]()
    while len(on) < 2:
        game = call(server, "POST", "/v1/games", {"ruleset": "dog_cards", "seats": seats})
        (port,) = cluster.execute(PORT_OF, (game["id"],)).fetchall()[0]
        on[port] = Table(server, game, stop)
    return on


@dataclass(frozen=True)
class Machine:
    """A server of the cluster."""

    port: int
    data: Path
    programs: Path

    @classmethod
    def at(cls, port: int) -> Machine:
        """Find the running server at a port."""
        with psycopg.connect(libpq(URL), port=port) as there:
            (data,) = there.execute("SHOW data_directory").fetchall()[0]
        pid = int(Path(data, "postmaster.pid").read_text().split()[0])
        return cls(port, Path(data), Path(os.readlink(f"/proc/{pid}/exe")).parent)

    def run(self, program: str, *arguments: object) -> bool:
        """Run a program of PostgreSQL as the account of the server; return whether it succeeded."""
        nobody = pwd.getpwnam("nobody") if os.getuid() == 0 else None
        done = subprocess.run(
            [self.programs / program, *map(str, arguments)],
            user=nobody and nobody.pw_uid,
            group=nobody and nobody.pw_gid,
            extra_groups=[] if nobody else None,
            cwd="/",
            check=False,
            stdout=subprocess.DEVNULL,
        )
        return done.returncode == 0

    def start(self) -> bool:
        """Start the server; False while processes of a killed one still end."""
        return self.run("pg_ctl", "-D", self.data, "-w", "-l", self.data / "log", "start")

    def stop(self) -> None:
        assert self.run("pg_ctl", "-D", self.data, "-w", "-m", "fast", "stop")

    def sql(self, statement: str, database: str = "card_referee") -> list[Any]:
        """Run a statement there, and return its rows."""
        with psycopg.connect(libpq(URL), port=self.port, dbname=database, autocommit=True) as there:
            cursor = there.execute(statement)
            return cursor.fetchall() if cursor.description else []


@contextmanager
def committed_on_the_coordinator_alone(cluster: psycopg.Connection, machine: Machine) -> Iterator[None]:
    """Hold the commits of the coordinator, which wait for a standby, while a machine has prepared one."""
    wait, on = "ALTER SYSTEM SET synchronous_standby_names = 'nobody'", "SELECT pg_reload_conf()"
    cluster.execute(wait)
    cluster.execute(on)
    try:
        assert eventually(lambda: machine.sql("SELECT gid FROM pg_prepared_xacts"), 60)
        waits = "SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
        assert eventually(lambda: cluster.execute(waits).fetchall())
        yield
    finally:
        cluster.execute("ALTER SYSTEM RESET synchronous_standby_names")
        cluster.execute(on)


def folder(place: Path) -> Path:
    """Make a folder for the account of the servers."""
    place.mkdir(0o700)
    if os.getuid() == 0:
        shutil.chown(place, "nobody")
    return place


def test_other_games_go_on_and_nothing_acknowledged_is_lost(
    server: Server, cluster: psycopg.Connection
) -> None:
    on = tables(server, cluster, people=4)  # a bot whose move failed waits for the lost machine
    (key,) = cluster.execute("SELECT id FROM credentials ORDER BY created_at DESC LIMIT 1").fetchall()[0]
    (keeps,) = cluster.execute(PORT_OF, (key,)).fetchall()[0]
    (lost_port,) = on.keys() - {keeps}  # its games' moves with a key are committed in two phases
    lost, other = on[lost_port], on[keeps]
    machine = Machine.at(lost_port)
    pid = int((machine.data / "postmaster.pid").read_text().split()[0])
    with played([*on.values()]):
        for table in on.values():
            has_moved(table)
        with committed_on_the_coordinator_alone(cluster, machine):
            os.kill(pid, signal.SIGKILL)
        try:
            refused = len(lost.refused)
            has_moved(other, 10)
            assert eventually(lambda: len(lost.refused) > refused + 5, 60)
        finally:
            assert eventually(machine.start, 60)
        for table in on.values():
            has_moved(table, 10)
    problems = {problem["type"]: problem for problem in lost.refused + other.refused}
    assert problems.keys() == {"/problems/database-unavailable"}, problems
    for table in on.values():
        assert_whole(table)


@pytest.fixture
def joining(cluster: psycopg.Connection) -> Iterator[Machine]:
    """A server with the extension, as `deploy/citus.sh` makes them; at the end its shards go back."""
    one = Machine.at(cluster.info.port + 1)
    found = Machine(free_port(), one.data.with_name("3"), one.programs)
    shutil.rmtree(found.data, ignore_errors=True)
    flags = ("--auth=trust", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C")
    assert one.run("initdb", "-D", folder(found.data), "-U", "card_referee", *flags, "--encoding=UTF8")
    settings = (one.data / "postgresql.conf").read_text()
    (found.data / "postgresql.conf").write_text(re.sub(r"(?m)^port = .*", f"port = {found.port}", settings))
    assert found.start()
    try:
        found.sql("CREATE DATABASE card_referee", "postgres")
        found.sql("CREATE EXTENSION citus")
        yield found
        cluster.execute("SELECT citus_drain_node('127.0.0.1', %s)", (found.port,))
        cluster.execute("SELECT citus_remove_node('127.0.0.1', %s)", (found.port,))
    finally:
        found.stop()


def test_a_worker_joins_while_games_are_played(
    server: Server, cluster: psycopg.Connection, joining: Machine
) -> None:
    on = tables(server, cluster)
    with played([*on.values()]):
        cluster.execute("SELECT citus_add_node('127.0.0.1', %s)", (joining.port,))
        cluster.execute("SELECT citus_rebalance_start()")
        cluster.execute("SELECT citus_rebalance_wait()")
        for table in on.values():
            has_moved(table, 10)
    moved = "SELECT count(*) FROM pg_dist_placement JOIN pg_dist_node USING (groupid) WHERE nodeport = %s"
    (placed,) = cluster.execute(moved + " AND noderole = 'primary'", (joining.port,)).fetchall()[0]
    assert placed > 10
    problems = {problem["type"] for table in on.values() for problem in table.refused}
    assert problems <= {"/problems/database-unavailable"}
    for table in on.values():
        assert_whole(table)


def restored(machine: Machine, backups: Path) -> None:
    """Put a base backup in the place of a server, with the WAL up to the named point."""
    shutil.rmtree(machine.data)
    shutil.copytree(backups / str(machine.port), machine.data)
    with (machine.data / "postgresql.auto.conf").open("a") as settings:
        settings.write(
            f"restore_command = 'cp {backups}/wal-{machine.port}/%f %p'\n"
            "recovery_target_name = 'everywhere'\nrecovery_target_action = promote\n"
        )
    (machine.data / "recovery.signal").touch()
    for path in (machine.data, *machine.data.rglob("*")):
        if os.getuid() == 0:
            shutil.chown(path, "nobody")


def test_all_machines_are_restored_to_one_moment(
    server: Server, cluster: psycopg.Connection, migrated: Settings
) -> None:
    machines = [Machine.at(cluster.info.port + number) for number in range(3)]
    backups = machines[0].data.parent / "backups"
    shutil.rmtree(backups, ignore_errors=True)
    folder(backups)
    for machine in machines:
        folder(backups / f"wal-{machine.port}")
        machine.sql("ALTER SYSTEM SET archive_mode = on")
        machine.sql(f"ALTER SYSTEM SET archive_command = 'cp %p {backups}/wal-{machine.port}/%f'")
        machine.stop()
        assert machine.start()
        address = f"host=127.0.0.1 port={machine.port} user=card_referee"
        flags = ("-D", backups / str(machine.port), "-c", "fast", "-d", address)
        assert machine.run("pg_basebackup", *flags)
    assert eventually(lambda: httpx.get(f"{server.url}/readyz").status_code == 200, 60)
    with psycopg.connect(libpq(URL), autocommit=True) as coordinator:  # the one before has ended
        on = tables(server, coordinator)
    with played([*on.values()]):
        for table in on.values():
            has_moved(table)
        machines[0].sql("SELECT citus_create_restore_point('everywhere')")
        made = {port: dict(table.made) for port, table in on.items()}
        for table in on.values():
            has_moved(table)
    late = call(server, "POST", "/v1/games", {"ruleset": "cats_and_dogs", "seats": [{"bot": "random"}] * 3})
    for machine in machines:
        machine.sql("SELECT pg_switch_wal()")
        machine.sql("CHECKPOINT")
    for machine in machines:
        machine.stop()
        restored(machine, backups)
    for machine in machines:
        assert machine.start()
    for machine in machines:
        assert eventually(lambda m=machine: m.sql("SELECT pg_is_in_recovery()") == [(False,)], 60)
    migrate.upgrade(migrated)
    assert eventually(lambda: httpx.get(f"{server.url}/readyz").status_code == 200, 60)
    key = {"Authorization": f"Bearer {server.key}"}
    assert httpx.get(f"{server.url}/v1/games/{late['id']}", headers=key).status_code == 404
    for port, table in on.items():
        assert made[port]
        whole = f"{server.url}/v1/games/{table.game['id']}/verification"
        assert eventually(lambda at=whole: httpx.get(at, headers=key).status_code == 200, 60)
        there = call(server, "GET", f"/v1/games/{table.game['id']}/events?limit=200")["items"]
        table.made = {seq: entry for seq, entry in made[port].items() if seq <= there[-1]["seq"]}
        assert len(made[port]) - len(table.made) <= 1, "only a move at that very moment may be missing"
        assert_whole(table)
    for machine in machines:
        machine.sql("ALTER SYSTEM RESET ALL")
        machine.stop()
        assert machine.start()
