"""Check that nothing answered with 201 is lost or duplicated, whatever happens to the processes.

    python -m tests.campaigns.crash [SECONDS [SEED [PAUSE]]]

Clients of two apps play and chat at many tables, over two web servers, and repeat unanswered requests with
the same Idempotency-Key. One app has a webhook, so its moves are transactions; those of the other one are
single statements that commit by themselves. Meanwhile, processes of every kind are killed, halted and
starved, the second server's connection to the database loses answers, the disk fills up and clocks jump. Then
everything is left alone, and the log is compared with what was promised, the feed with the log, webhooks and
deadlines with both; every game is replayed. An interrupt ends the faults early. Clocks jump in our processes,
not in PostgreSQL. PAUSE is the maximum number of seconds between two faults: a longer pause means more
requests for each kill.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click
import psycopg

import referee.records
from api.core.config import libpq
from tests.campaigns import reader
from tests.campaigns.clients import Broken, Clients
from tests.campaigns.torment import PAUSE, Probe, Torment
from tests.campaigns.tree import Tree, small_disk
from tests.servers.receiver import DROPS, Receiver, receiving
from tests.servers.serving import command, environment, free_directory, run

TIMEOUT = 600  # seconds; only a limit in case something hangs
TABLES, CLIENTS = 40, 24
REPORT_EVERY = 60.0  # seconds
ANNOUNCED = ("started", "timed_out", "finished", "cancelled")
LATE = "SELECT count(*) FROM turns WHERE deadline < now() - interval '10 seconds'"
WAITING = "SELECT count(*) FROM outbox WHERE delivered_at IS NULL"
STANDS = "SELECT id::text, version, encode(head, 'hex') FROM games WHERE app_id = %s"


class Campaign:
    """One run; `faults` lists broken promises."""

    def __init__(self, tree: Tree, receiver: Receiver, probed: Receiver, chance: random.Random) -> None:
        self.tree, self.receiver, self.chance = tree, receiver, chance
        self.audit = tree.server.new_key("read", "audit")
        self.clients = Clients(lambda: tree.urls, tree.server.key, self.audit, chance)
        self.ledger = self.clients.ledger
        quiet, self.quiet_audit = self._key("quiet", "read", "write"), self._key("quiet", "read", "audit")
        self.quiet = Clients(lambda: tree.urls, quiet, self.quiet_audit, chance, self.ledger)
        self.probe = Probe(tree, self._key("probe", "read", "write"), probed)
        self.torment = Torment(tree, self.probe, chance)
        self.mirror = self._mirror(self._file, self.audit)
        self.quiet_mirror: subprocess.Popen[bytes] | None = None
        self.begun = time.monotonic()
        self.timeout: float = TIMEOUT
        """Seconds that something may take afterwards."""

    def _key(self, app: str, *scopes: str) -> str:
        """Return a key of an app, which is created with its first key."""
        flags = [word for scope in scopes for word in ("--scope", scope)]
        done = run("keys", "create", app, *flags, "--data-dir", self.tree.data_dir)
        return done.stdout.split()[-1]

    # --- the mirror: a client of the feed ------------------------------------------------------------

    @property
    def _file(self) -> Path:
        return self.tree.directory / "mirror.sqlite"

    @property
    def _quiet_file(self) -> Path:
        return self.tree.directory / "quiet.sqlite"

    def _mirror(self, file: Path, key: str) -> subprocess.Popen[bytes]:
        words = [self.chance.choice(self.tree.urls), str(file), self.chance.choice([*reader.FORMS])]
        return subprocess.Popen(
            [sys.executable, "-m", "tests.campaigns.reader", *words], env={**os.environ, "KEY": key}
        )

    def _keep_mirror(self) -> None:
        """Start the mirror again on another server, in another form."""
        if self.mirror.poll() == 3:
            self.ledger.fault("the feed told of an entry twice, or not after its predecessor")
        self.mirror.kill()
        self.mirror.wait()
        self.mirror = self._mirror(self._file, self.audit)

    # --- the run --------------------------------------------------------------------------------------

    async def run(self, seconds: float, faults: Iterable[tuple[str, str]] = ()) -> None:
        """Cause random faults for some seconds, or exactly these faults, then check the result."""
        others = [asyncio.create_task(each()) for each in (self._keep, self._tell, self._turn_mirrors)]
        await asyncio.gather(self.clients.open(), self.quiet.open())
        hook = {"url": self.receiver.url, "events": [f"game.{kind}" for kind in ANNOUNCED]}
        await self.clients.ask("POST", "/v1/webhooks", hook)
        await self.probe.prepare()
        await asyncio.gather(self.clients.prepare(TABLES // 2), self.quiet.prepare(TABLES // 2))
        over = asyncio.Event()
        with contextlib.suppress(NotImplementedError):
            asyncio.get_running_loop().add_signal_handler(signal.SIGINT, over.set)
        tasks = [
            asyncio.create_task(clients.run())
            for clients in (self.clients, self.quiet)
            for _ in range(CLIENTS // 2)
        ]
        try:
            if faults:
                for fault, kind in faults:
                    while not await self.torment.one(fault, kind) and kind:  # it is being started
                        await asyncio.sleep(0.1)
            else:
                asyncio.get_running_loop().call_later(seconds, over.set)
                await self._until_over(over, tasks)
            self.clients.over.set()
            self.quiet.over.set()
            await asyncio.gather(*tasks)
            await self._settle()
        finally:
            for task in (*tasks, *others):
                task.cancel()
            await asyncio.gather(self.clients.close(), self.quiet.close())

    async def _until_over(self, over: asyncio.Event, tasks: list[asyncio.Task[None]]) -> None:
        """Run a client; if it fails, end everything."""
        torment = asyncio.create_task(self.torment.go_on(over))
        done, _ = await asyncio.wait([torment, *tasks], return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
        await torment

    async def _keep(self) -> None:
        """Restart processes that nothing else restarts."""
        while True:
            try:
                await asyncio.to_thread(self.tree.keep)
            except AssertionError as refused:
                self.ledger.fault(f"serve does not start: {refused}")
            await asyncio.sleep(0.1)

    async def _turn_mirrors(self) -> None:
        while True:
            await asyncio.sleep(self.chance.uniform(2, 20))
            self._keep_mirror()

    async def _tell(self) -> None:
        while True:
            await asyncio.sleep(REPORT_EVERY)
            print(f"{time.monotonic() - self.begun:.0f} s: {self.summary()}", flush=True)

    def summary(self) -> str:
        """Return one line about what was done."""
        answered = {name: count for name, count in self.ledger.requests.items() if name.isdigit()}
        return (
            f"{self.ledger.sent} requests {dict(self.ledger.requests)}, {sum(answered.values())} answered;"
            f" {self.ledger.promised} entries promised in {len(self.ledger.tables)} games;"
            f" {self.torment.kills} kills, {self.torment.done.total()} faults in all"
        )

    # --- afterwards -----------------------------------------------------------------------------------

    async def _settle(self) -> None:
        tree = self.tree
        tree.proxy.relent()
        tree.empty_disk()
        tree.set_clock(0)
        for url in tree.urls:
            await self.probe.answered(url)
        with psycopg.connect(libpq(tree.settings.owner_database_url), autocommit=True) as sql:
            await self._until(lambda: sql.execute(LATE).fetchone() == (0,), "deadlines have passed unnoticed")
            for clients in (self.clients, self.quiet):
                for table in [table for table in clients.made if table.paced and not table.over]:
                    with contextlib.suppress(Broken):  # the fault has been recorded
                        await clients.call_off(table)
            tree.set_clock(120)  # work postponed by a fast clock is due
            await self._until(lambda: sql.execute(WAITING).fetchone() == (0,), "deliveries wait")
            told, quiet = (_stands(sql, app) for app in ("default", "quiet"))
        self.quiet_mirror = self._mirror(self._quiet_file, self.quiet_audit)
        logs: dict[str, list[Any]] = {}
        for stands, file in ((told, self._file), (quiet, self._quiet_file)):
            entries, mirror = sum(version for version, _ in stands.values()), reader.opened(str(file))
            await self._until(_is_whole(mirror, entries), "the feed does not tell of every entry")
            logs |= await asyncio.to_thread(_read, file)
        self._compare(told | quiet, logs)
        self._compare_webhooks({game: log for game, log in logs.items() if game in told})
        await asyncio.to_thread(self._verify)

    async def _until(self, holds: Callable[[], bool], otherwise: str) -> None:
        end = time.monotonic() + self.timeout
        print(f"{time.monotonic() - self.begun:.0f} s: waiting, for otherwise {otherwise}", flush=True)
        while not holds():
            if time.monotonic() > end:
                return self.ledger.fault(otherwise)
            await asyncio.sleep(0.2)
        return None

    def _compare(self, stands: dict[str, tuple[int, str]], logs: dict[str, list[Any]]) -> None:
        fault, tables = self.ledger.fault, self.ledger.tables
        if stands.keys() != tables.keys():
            lost, extra = tables.keys() - stands.keys(), stands.keys() - tables.keys()
            fault(f"games: lost {lost}, extra {extra}")
        for game, (version, head) in stands.items():
            log = logs.get(game, [])
            _compare_log(game, log, version, head, fault)
            own = {entry["seq"]: entry["hash"] for entry in log if _by_client(entry)}
            accepted = tables[game].accepted if game in tables else {}
            if gone := accepted.items() - own.items():
                fault(f"game {game}: lost {sorted(gone)}")
            if more := own.items() - accepted.items():
                fault(f"game {game}: there, but never answered {sorted(more)}")
            said = [entry["private"]["all"]["text"] for entry in log if entry["type"] == "said"]
            if len(said) != len(set(said)):
                fault(f"game {game}: something was said twice")

    def _compare_webhooks(self, logs: dict[str, list[Any]]) -> None:
        """Check that each notice was received at least once, and no others, in the order of each game."""
        events = [(game, entry) for game, log in logs.items() for entry in log if entry["type"] in ANNOUNCED]
        expected = {(game, entry["seq"]): f"game.{entry['type']}" for game, entry in events}
        received = {(e["data"]["game"], e["data"]["version"]): e["type"] for e in self.receiver.events()}
        if received != expected:
            missing, extra = expected.items() - received.items(), received.items() - expected.items()
            self.ledger.fault(f"webhooks: missing {sorted(missing)[:5]}, extra {sorted(extra)[:5]}")
        last: Counter[str] = Counter()
        for game, version in received:  # in the order of their first arrival
            if version < last[game]:
                self.ledger.fault(f"webhooks of game {game}: {version} came after {last[game]}")
            last[game] = version

    def _verify(self) -> None:
        """Replay every game and compare its stored position, with a command."""
        done = subprocess.run(
            command("verify", "--data-dir", self.tree.data_dir),
            env=environment(),
            capture_output=True,
            text=True,
        )
        if done.returncode != 0:
            self.ledger.fault(f"referee-api verify: {done.stdout[-2000:]}{done.stderr[-2000:]}")
        print(done.stdout.strip(), flush=True)

    def end(self) -> None:
        for mirror in (self.mirror, self.quiet_mirror):
            if mirror is not None:
                mirror.kill()
                mirror.wait()


def _by_client(entry: dict[str, Any]) -> bool:
    """Return whether a client made the move; the service itself makes those of bots and late seats."""
    moved = entry["type"] == "moved" and not entry.get("bot") and not entry.get("random")
    return moved or entry["type"] in ("said", "cancelled")


def _compare_log(game: str, log: list[Any], version: int, head: str, fault: Callable[[str], None]) -> None:
    if [entry["seq"] for entry in log] != list(range(1, version + 1)) or log[-1]["hash"] != head:
        fault(f"game {game}: the feed told of {len(log)} entries, it is at version {version}")
    digest = bytes(32)
    for entry in log:
        digest = referee.records.chain(
            digest, {k: v for k, v in entry.items() if k not in ("hash", "private")}
        )
        if digest.hex() != entry["hash"]:
            fault(f"game {game}: the chain breaks at entry {entry['seq']}")


def _stands(sql: psycopg.Connection[Any], app: str) -> dict[str, tuple[int, str]]:
    """Return the games of an app: id → version and head."""
    (app_id,) = sql.execute("SELECT id FROM apps WHERE name = %s", (app,)).fetchone() or ()
    return {game: (version, head) for game, version, head in sql.execute(STANDS, (app_id,)).fetchall()}


def _is_whole(mirror: sqlite3.Connection, entries: int) -> Callable[[], bool]:
    return lambda: _count(mirror) >= entries


def _count(mirror: sqlite3.Connection) -> int:
    found: int = mirror.execute("SELECT count(*) FROM entries").fetchone()[0]
    return found


def _read(file: Path) -> dict[str, list[Any]]:
    logs: dict[str, list[Any]] = {}
    rows = reader.opened(str(file)).execute("SELECT game, entry FROM entries ORDER BY game, seq")
    for game, entry in rows:
        logs.setdefault(game, []).append(json.loads(entry))
    return logs


def fails_at_times(chance: random.Random) -> Callable[[int], int]:
    """Return a receiver that sometimes fails and sometimes closes the connection."""
    return lambda n: 204 if chance.random() < 0.97 else chance.choice((500, DROPS))


def run_campaign(
    seconds: float,
    seed: int,
    faults: Iterable[tuple[str, str]] = (),
    builds: tuple[str, ...] = (),
    timeout: float = TIMEOUT,
    pause: float = PAUSE,
) -> Campaign:
    """Run a campaign to its end; its findings are in its ledger."""
    chance = random.Random(seed)
    with contextlib.ExitStack() as stack:
        directory = stack.enter_context(free_directory())
        directory.chmod(0o711)
        stack.enter_context(small_disk(directory))
        receiver = stack.enter_context(receiving(fails_at_times(random.Random(seed))))
        probed = stack.enter_context(receiving())
        tree = Tree(directory, *builds)
        stack.callback(tree.end)
        campaign = Campaign(tree, receiver, probed, chance)
        campaign.timeout, campaign.torment.pause = timeout, pause
        stack.callback(campaign.end)
        asyncio.run(campaign.run(seconds, faults))
        return campaign


@click.command(help=__doc__)
@click.argument("seconds", default=3600.0)
@click.argument("seed", type=int, default=lambda: random.randrange(10**6))
@click.argument("pause", default=PAUSE)
def main(seconds: float, seed: int, pause: float) -> None:
    """Run the campaign and print a summary."""
    print(f"seed {seed}", flush=True)
    campaign = run_campaign(seconds, seed, pause=pause)
    print(*campaign.torment.report(), sep="\n")
    print(campaign.summary())
    print("serve ended by itself:", campaign.tree.ended or "never")
    print(f"{len(campaign.ledger.faults)} faults found")
    sys.exit(bool(campaign.ledger.faults))


if __name__ == "__main__":
    main()
