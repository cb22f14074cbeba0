"""Cause faults of many kinds under play, and check that each shows itself.

    python -m tests.campaigns.game_day [FAULTS [SEED]] [--quiet MINUTES]

Games are played, a mirror follows the feed, another one the webhooks, and people sign in by mail. Meanwhile
one fault after another is caused and ended. Each must be seen by an alert of deploy/prometheus/rules.yml, or
by `referee-api check`, within a minute, and be over without anybody's help once its cause is. At the end
nothing may be lost or doubled. Before the faults come quiet minutes, in which the server is restarted, and
nothing may fire but what tells of the restart. Needs Debian's `prometheus` and the right to mount a small
disk.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import click
import httpx
import psutil
import psycopg
import yaml

from api.core.config import Settings, libpq
from api.core.release import newest
from api.run.embedded.postgres import find_database
from migrations import OLDEST_CODE
from tests.campaigns.mirror import TIMEOUT, Caller, Campaign
from tests.servers import serving
from tests.servers.mailbox import Mailbox, mail_server
from tests.servers.serving import Server, free_directory, free_port, run, start
from tests.support.processes import family

TOKEN = "metrics-token-of-a-game-day"
FOLDER = Path(__file__).parents[2] / "deploy" / "prometheus"
SEEN_WITHIN, QUIET_WITHIN = 60.0, 120.0  # seconds
DISK = "4g"


class Day(Campaign):
    """A server that is watched."""

    forms = ("stream",)

    def _start(self) -> Server:
        settings = {
            **{"RATE_LIMIT": "none", "WORKERS": "2", "COMPUTE_WORKERS": "0", "MAX_STREAMS": "100"},
            **{"ALLOW_PRIVATE_WEBHOOKS": "true", "METRICS_TOKEN": TOKEN, "PROCESS_TIMEOUT": "90"},
            **{"WORKER_HEALTH_PORT": str(self.health), "SMTP_URL": self.mailbox.url, "GUESTS": "true"},
            **{"GUEST_RATE_LIMIT": "none", "COMPUTE_TIMEOUT": "90"},
            "MAIL_FROM": "Card Referee <cards@example.org>",
            "CONFIRMATION_MAILS": "100000",
        }
        return start(self.disk / "data", "--port", self.port, **settings)

    def __init__(self, directory: Path, disk: Path, chance: random.Random, mailbox: Mailbox) -> None:
        """Start everything; only the server is on the small disk."""
        self.health, self.disk, self.mailbox = free_port(), disk, mailbox
        super().__init__(directory, chance)
        now = "INSERT INTO backups VALUES (now(), 1{})"
        self.sql(now.format(""), now.format(", 'restore'"))

    def address(self) -> str:
        """Return the address of the database, as its owner."""
        return libpq(find_database(Settings(data_dir=self.disk / "data")).owner_database_url)

    def sql(self, *statements: str) -> None:
        """Run statements as the owner."""
        with psycopg.connect(self.address(), autocommit=True) as owner:
            for statement in statements:
                owner.execute(statement)


class Fault(NamedTuple):
    """A kind of fault: a block in which it lasts, and what shows it: alerts, or `check:NAME`."""

    name: str
    cause: Callable[[Day], AbstractContextManager[None]]
    shown_by: frozenset[str]


FAULTS: list[Fault] = []
Cause = Callable[[Day], Iterator[None]]


def fault(name: str, *shown_by: str) -> Callable[[Cause], Cause]:
    """Declare a kind of fault."""

    def declare(cause: Cause) -> Cause:
        FAULTS.append(Fault(name, contextmanager(cause), frozenset(shown_by)))
        return cause

    return declare


@contextmanager
def stopped(processes: list[Any]) -> Iterator[None]:
    """Stop processes without ending them."""
    for process in processes:
        process.suspend()
    try:
        yield
    finally:
        for process in processes:
            with contextlib.suppress(psutil.Error):  # it was replaced
                process.resume()


@fault("worker frozen", "RefereeNoWorker", "RefereeDown")
def _worker_frozen(day: Day) -> Iterator[None]:
    with stopped(family(day.server)["worker"]):
        yield


@fault("worker killed", "RefereeRestarted")
def _worker_killed(day: Day) -> Iterator[None]:
    day.kill("worker")
    yield


@fault("web process frozen", "RefereeWebProcessLost", "RefereeDown")
def _web_frozen(day: Day) -> Iterator[None]:
    with stopped(family(day.server)["web"][-1:]):
        yield


@fault("web process killed", "RefereeRestarted")
def _web_killed(day: Day) -> Iterator[None]:
    day.kill("web")
    yield


@contextmanager
def no_login(day: Day, role: str) -> Iterator[None]:
    """Let nobody log in with a role, and end its connections."""
    day.sql(
        f"ALTER ROLE {role} NOLOGIN",
        f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{role}'",
    )
    try:
        yield
    finally:
        day.sql(f"ALTER ROLE {role} LOGIN")


@fault("web may not log in", "RefereeDatabaseDown", "RefereeNotReady")
def _no_web_login(day: Day) -> Iterator[None]:
    with no_login(day, "card_referee_app"):
        yield


@fault("worker may not log in", "RefereeDatabaseDown", "RefereeNoWorker")
def _no_worker_login(day: Day) -> Iterator[None]:
    with no_login(day, "card_referee_worker"):
        yield


@fault("database frozen", "RefereeDatabaseDown", "RefereeNotReady")
def _database_frozen(day: Day) -> Iterator[None]:
    with stopped(family(day.server)["postgres"]):
        yield


@fault("database killed", "RefereeDatabaseRestarted")
def _database_killed(day: Day) -> Iterator[None]:
    day.kill("database")
    yield


@contextmanager
def ballast(day: Day, left: int) -> Iterator[None]:
    """Leave so many bytes of the disk."""
    path = day.disk / "ballast"
    with path.open("wb") as file:
        size, piece = 0, 64 << 20
        while piece >= 4096:  # in smaller and smaller pieces, as others are writing, too
            room = os.statvfs(day.disk)
            try:
                if room.f_bavail * room.f_frsize - piece < left:
                    raise OSError
                os.posix_fallocate(file.fileno(), size, piece)
                size += piece
            except OSError:
                piece //= 2
    try:
        yield
    finally:
        path.unlink()


@fault("disk full", "RefereeNotReady", "RefereeDiskLow")
def _disk_full(day: Day) -> Iterator[None]:
    with ballast(day, 0):
        yield


@fault("disk nearly full", "RefereeDiskLow")
def _disk_low(day: Day) -> Iterator[None]:
    with ballast(day, 1_000_000_000):
        yield


@fault("receiver fails", "RefereeDeliveriesFail")
def _receiver_down(day: Day) -> Iterator[None]:
    down = Path(f"{day.inbox}.down")
    down.touch()
    try:
        yield
    finally:
        down.unlink()


@fault("mail server refuses", "RefereeDeliveriesFail")
def _mail_refused(day: Day) -> Iterator[None]:
    day.mailbox.to_recipient = "451 4.7.1 later"
    try:
        yield
    finally:
        day.mailbox.to_recipient = "250 OK"


OLDEST = "CREATE OR REPLACE FUNCTION oldest_code() RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT '{}' $$"


@contextmanager
def schema(day: Day, version: str, oldest: str) -> Iterator[None]:
    """Let the database look as if another release had migrated it."""
    day.sql(f"UPDATE alembic_version SET version_num = '{version}'", OLDEST.format(oldest))
    try:
        yield
    finally:
        day.sql(f"UPDATE alembic_version SET version_num = '{newest()}'", OLDEST.format(OLDEST_CODE))


@fault("newer schema", "RefereeNotReady")
def _newer_schema(day: Day) -> Iterator[None]:
    with schema(day, "9999", "9999"):
        yield


@fault("older schema", "RefereeNotReady")
def _older_schema(day: Day) -> Iterator[None]:
    with schema(day, "0000", OLDEST_CODE):
        yield


@fault("backup old", "RefereeBackupOld")
def _backup_old(day: Day) -> Iterator[None]:
    day.sql(
        "DELETE FROM backups WHERE kind = 'backup'",
        "INSERT INTO backups VALUES (now() - interval '3 days', 1)",
    )
    yield
    day.sql("INSERT INTO backups VALUES (now(), 1)")


@fault("job fails", "RefereeJobsFail", "RefereeWorkLate")
def _job_fails(day: Day) -> Iterator[None]:
    day.sql(
        "CREATE FUNCTION broken() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'broken'; END $$",
        "CREATE TRIGGER broken BEFORE INSERT ON tree_heads EXECUTE FUNCTION broken()",
    )
    seats = [{"open": True}] * 4
    made = Caller(day.url, day.key)("POST", "/v1/games", {"ruleset": "pies", "seats": seats})  # it has a leaf
    yield
    day.sql("DROP FUNCTION broken CASCADE")
    Caller(day.url, day.key)("POST", f"/v1/games/{made.json()['id']}/cancellation")


@fault("table locked", "RefereeErrors", "RefereeConnectionsWaitedFor", "RefereeSlow", "RefereeDatabaseDown")
def _locked(day: Day) -> Iterator[None]:
    with psycopg.connect(day.address()) as holder:
        holder.execute("LOCK TABLE games IN ACCESS EXCLUSIVE MODE")
        yield


LATER_PARTS = """
    DO $$ DECLARE part text; BEGIN
    FOR part IN SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'entries'::regclass AND c.relname <> 'entries_rest'
        AND c.relname > 'entries_' || to_char(now() AT TIME ZONE 'UTC', 'YYYY_MM') COLLATE "C"
    LOOP EXECUTE 'DROP TABLE ' || part; END LOOP; END $$
"""


@fault("no partitions", "RefereePartitionsMissing")
def _no_partitions(day: Day) -> Iterator[None]:
    day.sql(LATER_PARTS)
    yield
    day.sql("SELECT make_parts_of_log()")


class Watch:
    """Prometheus with our rules."""

    def __init__(self, directory: Path, day: Day) -> None:
        program = os.environ.get("PROMETHEUS") or shutil.which("prometheus")
        if program is None:
            raise click.ClickException("There is no prometheus: apt install prometheus.")
        shutil.copy(FOLDER / "rules.yml", directory)
        wanted = yaml.safe_load((FOLDER / "prometheus.yml").read_text())
        wanted["global"] = {"scrape_interval": "5s", "evaluation_interval": "5s", "scrape_timeout": "4s"}
        for job, port in zip(wanted["scrape_configs"], (day.port, day.health), strict=True):
            job["authorization"] = {"credentials": TOKEN}
            job["static_configs"] = [{"targets": [f"127.0.0.1:{port}"]}]
        (directory / "prometheus.yml").write_text(yaml.safe_dump(wanted))
        self.port = free_port()
        flags = (
            f"--config.file={directory / 'prometheus.yml'}",
            f"--storage.tsdb.path={directory / 'prometheus'}",
            f"--web.listen-address=127.0.0.1:{self.port}",
        )
        self.process = subprocess.Popen(
            [program, *flags], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    def firing(self, since: float = 0.0) -> set[str]:
        """Return the alerts that fire, or those that became active after a time."""
        with contextlib.suppress(httpx.HTTPError, ValueError):
            found = httpx.get(f"http://127.0.0.1:{self.port}/api/v1/alerts", timeout=10).json()
            return {
                each["labels"]["alertname"]
                for each in found["data"]["alerts"]
                if each["state"] == "firing"
                and datetime.fromisoformat(each["activeAt"][:19] + "+00:00").timestamp() >= since - 1
            }
        return set()

    def fired(self, seconds: float) -> set[str]:
        """Return the alerts that fired in the last seconds."""
        query = f'count by (alertname) (count_over_time(ALERTS{{alertstate="firing"}}[{seconds:.0f}s]))'
        found = httpx.get(f"http://127.0.0.1:{self.port}/api/v1/query", params={"query": query}, timeout=10)
        return {each["metric"]["alertname"] for each in found.json()["data"]["result"]}


def _checked(day: Day) -> set[str]:
    done = run("check", "--data-dir", day.disk / "data")
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return {f"check:{line['check']}" for line in lines if line["ok"] is False} | (
        {"check"} if not lines else set()
    )


def _see(day: Day, watch: Watch, fault: Fault, begun: float) -> tuple[str, float]:
    """Wait until something shows a fault that has begun; return what, and after how many seconds."""
    while time.time() < begun + SEEN_WITHIN:
        shown = watch.firing(begun) & fault.shown_by
        if shown:
            return ", ".join(sorted(shown)), time.time() - begun
        time.sleep(1)
    failed = _checked(day)
    assert failed & {*fault.shown_by}, (
        f"{fault.name}: nothing but {watch.firing(begun) | failed} within a minute"
    )
    return ", ".join(failed), time.time() - begun


def _stay_quiet(day: Day, watch: Watch, minutes: float) -> str:
    """Restart the server in the middle of some minutes, and check that no alert tells of more than that."""
    begun = time.time()
    time.sleep(30 * minutes)
    day.server.stop()
    day.server = day._start()
    time.sleep(30 * minutes)
    fired = watch.fired(time.time() - begun) - {"RefereeRestarted", "RefereeDatabaseRestarted"}
    assert not fired, f"in quiet minutes: {fired}"
    return f"{minutes:g} quiet minutes and a restart: no alert"


def _until_quiet(watch: Watch, fault: Fault) -> float:
    begun = time.time()
    lasting = {"RefereeDeliveriesFail", "RefereeJobsFail", "RefereeErrors", "RefereeRestarted", "RefereeSlow"}
    lasting |= {"RefereeDatabaseRestarted", "RefereeRequestsRefused"}  # which look some minutes back
    while watch.firing() - lasting:
        assert time.time() < begun + QUIET_WITHIN, f"{fault.name} is not over: {watch.firing() - lasting}"
        time.sleep(1)
    return time.time() - begun


def _sign_in(day: Day) -> None:
    """Have mails sent all the time."""
    number = 0
    while not day.over.wait(3):
        number += 1
        with contextlib.suppress(httpx.HTTPError):
            httpx.post(f"{day.url}/v1/sign-ins", json={"address": f"p{number}@example.org"}, timeout=30)


def _play(day: Day, seed: int) -> None:
    """Play one game after the other."""
    while not day.over.wait(0.5):
        seed += 1
        day.play(seed)


def day_of(count: int, seed: int, say: Callable[[str], None], quiet: float = 0) -> str:
    """Cause so many faults, and return what was done."""
    chance = random.Random(seed)
    with mail_server() as mailbox, free_directory() as directory, _small_disk(directory / "disk") as disk:
        day = Day(directory, disk, chance, mailbox)
        watch = Watch(directory, day)
        rounds = range(-(-count // len(FAULTS)))
        order = [fault for _ in rounds for fault in chance.sample(FAULTS, len(FAULTS))][:count]
        seeds = (seed * 1_000_000, seed * 1_000_000 + 500_000)
        players = [threading.Thread(target=_play, args=(day, each), daemon=True) for each in seeds]
        for thread in (*players, threading.Thread(target=_sign_in, args=(day,), daemon=True)):
            thread.start()
        time.sleep(30)
        try:
            if quiet:
                say(_stay_quiet(day, watch, quiet))
            for number, fault in enumerate(order, 1):
                while watch.firing() & fault.shown_by:  # of the same fault before
                    time.sleep(1)
                begun = time.time()
                with fault.cause(day):
                    shown, seconds = _see(day, watch, fault, begun)
                over = _until_quiet(watch, fault)
                say(f"| {number} | {fault.name} | {shown} | {seconds:.0f} | {over:.0f} |")
            day.over.set()
            for thread in players:
                thread.join(TIMEOUT)
                assert not thread.is_alive(), "a game was not played to its end"
            games, entries = day.compare()
        finally:
            watch.process.send_signal(signal.SIGTERM)
            day.end()
    kinds = len({each.name for each in order})
    return f"{count} faults of {kinds} kinds; {games} games, {entries} entries: 0 lost, 0 doubled"


@contextmanager
def _small_disk(at: Path) -> Iterator[Path]:
    at.mkdir(parents=True)
    at.parent.chmod(0o711)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK},mode=711", "tmpfs", at]
    subprocess.run(mount, check=True)
    try:
        yield at
    finally:
        subprocess.run(["umount", "--lazy", at], check=True)


@click.command(help=__doc__)
@click.argument("count", default=30)
@click.argument("seed", default=1)
@click.option("--quiet", default=10.0)
def main(count: int, seed: int, quiet: float) -> None:
    """Run it, and print a table."""
    serving.TIMEOUT = TIMEOUT
    print("| | fault | shown by | seconds | over after |\n| --- | --- | --- | --- | --- |", flush=True)
    print(day_of(count, seed, lambda line: print(line, flush=True), quiet))


if __name__ == "__main__":
    sys.exit(main())
