"""Kill the primary again and again under play, while Patroni replaces it: `deploy/patroni`.

    python -m tests.campaigns.failover [FAILOVERS [MODE]]

Two PostgreSQLs with Patroni, etcd, and HAProxy before them, all on this machine; two web servers and a
worker. Clients play and repeat with their keys; followers keep copies of the feed and of games, as the guide
to feeds says. MODE is `synchronous`: then no acknowledged move may be lost or doubled. Or `asynchronous`:
then the standby is away while the newest moves are made, and the primary is lost before it has them. Whoever
has seen one of these moves must be told, and continue with what the new primary has. Needs Debian's
`patroni`, `etcd-server`, `haproxy` and `postgresql`.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
import httpx
import psutil
import psycopg
import yaml

from api.core.config import Settings, libpq
from api.run import migrate
from api.run.embedded.accounts import Account, unprivileged
from api.run.embedded.processes import spawn, stop
from referee.log.chain import chain
from tests.servers.clusters import DEBIANS, JOBS, KEY, OWNER, WEB
from tests.servers.serving import TIMEOUT, free_directory, free_port, run
from tests.servers.sites import Player, Site, client, everything, log

FOLDER = Path(__file__).parents[2] / "deploy" / "patroni"
PROGRAMS = ("patroni", "etcd", "haproxy")
PASSWORD = "of-a-campaign"
MODES = ("synchronous", "asynchronous")
PATIENCE = 120.0  # seconds for a failover
CLIENTS, MOVES = 4, 4  # moves of each client between two failovers
# PostgreSQL does not run as root, and its account may not be able to read this environment: so we migrate.
MIGRATE = """\
#!/bin/sh
touch "$SOCKETS/$1"
until [ -e "$SOCKETS/done" ]; do sleep 0.1; done
rm "$SOCKETS/done"
"""
Place = tuple[str, int]


def missing() -> str:
    """Return what is not installed here, or ""."""
    absent = [name for name in PROGRAMS if shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin") is None]
    return ", ".join([*absent, *([] if [*DEBIANS.glob("*/bin/initdb")] else ["postgresql"])])


@dataclass
class Node:
    """A host of the database: Patroni and its PostgreSQL."""

    name: str
    directory: Path
    account: Account | None
    environ: dict[str, str]
    port: int = field(default_factory=free_port)
    health: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        here = {
            "NAME": self.name,
            "RESTAPI_LISTEN": f"127.0.0.1:{self.health}",
            "RESTAPI_CONNECT_ADDRESS": f"127.0.0.1:{self.health}",
            "POSTGRESQL_LISTEN": f"127.0.0.1:{self.port}",
            "POSTGRESQL_CONNECT_ADDRESS": f"127.0.0.1:{self.port}",
            "POSTGRESQL_DATA_DIR": str(self.directory / "data"),
        }
        own = {
            **{f"PATRONI_{name}": value for name, value in here.items()},
            "HOME": str(self.directory),
            "REFEREE_API": str(self.directory / "referee-api"),
            "SOCKETS": str(self.directory),
            "PGPORT": str(self.port),
        }
        with (self.directory / "log").open("ab") as output:
            self.process = spawn(
                ["patroni", self.directory / "patroni.yml"],
                dies_by=signal.SIGKILL,
                account=self.account,
                environ={**self.environ, **own},
                output=output,
            )

    def migrated(self) -> bool:
        """Run the command for which `promotion.sh` waits; return whether it waited."""
        asked = self.directory / "migrate"
        if not asked.exists():
            return False
        asked.unlink()
        address = f"postgresql://{OWNER}@/card_referee?host={self.directory}&port={self.port}"
        options = "-c default_transaction_read_only=off"
        done = run("migrate", DATABASE_URL=address, ENCRYPTION_KEYS=KEY, PGOPTIONS=options)
        assert done.returncode == 0, done.stderr
        (self.directory / "done").touch()
        return True

    def kill(self) -> None:
        """Kill every process at once, as if the machine lost power."""
        assert self.process is not None
        found = psutil.Process(self.process.pid).children(recursive=True)
        with suppress(OSError, ValueError, psutil.NoSuchProcess):
            main = psutil.Process(int((self.directory / "data" / "postmaster.pid").read_text().split()[0]))
            found += [main, *main.children(recursive=True)]
        for process in [psutil.Process(self.process.pid), *found]:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        self.process.wait()
        psutil.wait_procs(found, 10)

    def says(self, path: str) -> bool:
        """Return whether Patroni answers a question about this node with yes."""
        with suppress(httpx.TransportError):
            return httpx.get(f"http://127.0.0.1:{self.health}/{path}", timeout=5).status_code == 200
        return False

    def ask(self, statement: str, database: str = "postgres") -> Any:
        """Run a statement as the superuser, and return the first value."""
        where = {"host": str(self.directory), "port": self.port, "user": "postgres", "dbname": database}
        with psycopg.connect(**where, autocommit=True) as connection:
            cursor = connection.execute(statement)
            row = cursor.fetchone() if cursor.description else None
            return row[0] if row else None


class Hosts:
    """Two nodes; one of them is the primary."""

    def __init__(self, directory: Path, mode: str, etcd: int) -> None:
        self.mode = mode
        account = unprivileged(directory / "none")
        environ = {
            "PATH": os.environ["PATH"],
            "PATRONI_ETCD3_HOSTS": f"127.0.0.1:{etcd}",
            "PATRONI_POSTGRESQL_BIN_DIR": str(
                max(DEBIANS.glob("*/bin"), key=lambda path: int(path.parts[-2]))
            ),
            "PATRONI_SUPERUSER_USERNAME": "postgres",
            "PATRONI_SUPERUSER_PASSWORD": PASSWORD,
            "PATRONI_REPLICATION_USERNAME": "replicator",
            "PATRONI_REPLICATION_PASSWORD": PASSWORD,
            "ENCRYPTION_KEYS": KEY,
        }
        self.nodes = []
        for name in ("one", "two"):
            place = directory / name
            place.mkdir()
            place.chmod(0o755)
            self.nodes.append(Node(name, place, account, environ))
            (place / "patroni.yml").write_text(yaml.safe_dump(self._settings(place)))
            shutil.copy(FOLDER / "promotion.sh", place)
            (place / "referee-api").write_text(MIGRATE)
            (place / "referee-api").chmod(0o755)
            if account is not None:
                os.chown(place, account.uid, account.gid)

    def _settings(self, place: Path) -> dict[str, Any]:
        """Return the settings that we ship, with names of this machine, and without other accounts."""
        text = (FOLDER / "patroni.yml").read_text().replace("/etc/patroni", str(place))
        found: dict[str, Any] = yaml.safe_load(
            text.replace("peer map=owner", "trust").replace("peer", "trust")
        )
        found["bootstrap"]["dcs"]["synchronous_mode"] = self.mode == "synchronous"
        found["postgresql"]["parameters"] = {"unix_socket_directories": str(place), "fsync": "off"}
        return found

    @property
    def primary(self) -> Node | None:
        return next((node for node in self.nodes if node.says("primary")), None)

    @property
    def standby(self) -> Node | None:
        """Return the standby that may take over."""
        path = "synchronous" if self.mode == "synchronous" else "replica"
        return next((node for node in self.nodes if node.says(path)), None)

    def start(self) -> None:
        for node in self.nodes:
            node.start()
        wait_for(lambda: self.primary and self.standby, "a primary and a standby")

    def stop(self) -> None:
        for node in self.nodes:
            if node.process is not None:
                node.kill()


def wait_for(found: Callable[[], Any], what: str) -> Any:
    """Wait until something is found, and return it."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        if value := found():
            return value
        time.sleep(0.2)
    raise AssertionError(f"{what}: not within {PATIENCE:g} s")


@contextmanager
def child(directory: Path, *command: object) -> Iterator[None]:
    """Run a program; its output is in a file."""
    with (directory / "output").open("ab") as output:
        process = spawn([str(word) for word in command], dies_by=signal.SIGKILL, output=output)
    try:
        yield
    finally:
        stop(process, signal.SIGTERM, timeout=10)


def etcd(directory: Path, port: int) -> contextlib.AbstractContextManager[None]:
    """Run etcd."""
    own, peers = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{free_port()}"
    urls = ("--listen-client-urls", own, "--advertise-client-urls", own, "--listen-peer-urls", peers)
    return child(
        directory,
        *("etcd", "--data-dir", directory / "etcd", "--unsafe-no-fsync", *urls),
        *("--initial-advertise-peer-urls", peers, "--initial-cluster", f"default={peers}"),
    )


def haproxy(directory: Path, port: int, nodes: list[Node]) -> contextlib.AbstractContextManager[None]:
    """Run HAProxy before the nodes, with the settings that we ship."""
    text = (FOLDER / "haproxy.cfg").read_text().replace("127.0.0.1:5000", f"127.0.0.1:{port}")
    for number, node in enumerate(nodes, 1):
        shipped = f"10.0.0.{number}:5432 port 8008"
        assert shipped in text
        text = text.replace(shipped, f"127.0.0.1:{node.port} port {node.health}")
    (directory / "haproxy.cfg").write_text(text)
    return child(directory, "/usr/sbin/haproxy", "-f", directory / "haproxy.cfg")


def prepared(hosts: Hosts, port: int) -> Settings:
    """Create the database and the logins; return the settings of a service on it."""
    primary = hosts.primary
    assert primary is not None
    primary.ask(f"CREATE ROLE {OWNER} LOGIN CREATEROLE PASSWORD '{PASSWORD}'")
    primary.ask(f"CREATE DATABASE card_referee OWNER {OWNER}")

    def address(user: str) -> str:
        where = f"{user}:{PASSWORD}@127.0.0.1:{port}/card_referee"
        return f"postgresql+psycopg://{where}?target_session_attrs=read-write"

    found = Settings(
        database_url=address(WEB),
        owner_database_url=address(OWNER),
        worker_database_url=address(JOBS),
        encryption_keys=(KEY,),
    )
    wait_for(lambda: reached(libpq(found.owner_database_url)), "the database through HAProxy")
    migrate.upgrade(found)
    for name, role in ((WEB, "card_referee_app"), (JOBS, "card_referee_worker")):
        primary.ask(f"CREATE ROLE {name} LOGIN PASSWORD '{PASSWORD}'")
        primary.ask(f"GRANT {role} TO {name}")
    return found


def reached(address: str) -> bool:
    """Return whether an address always leads to the primary: before its checks, HAProxy takes any server."""
    with suppress(psycopg.OperationalError):
        for _ in range(4):
            psycopg.connect(address).close()
        return True
    return False


class Follower(threading.Thread):
    """Keeps a copy of a stream, and mends it when it is told that entries are lost."""

    def __init__(self, url: str, key: str, path: str, stop: threading.Event) -> None:
        super().__init__(daemon=True)
        self.url, self.key, self.path, self.ending = url, key, path, stop
        self.copy: dict[Place, tuple[str, str]] = {}
        """The cursor and the hash of each entry, in order."""
        self.told = 0
        self.last = ""

    def run(self) -> None:
        with client(self.url, self.key) as http:
            while not self.ending.is_set():
                with suppress(httpx.TransportError):
                    self._follow(http)
                time.sleep(0.1)

    def _follow(self, http: httpx.Client) -> None:
        headers = {"Accept": "text/event-stream", **({"Last-Event-ID": self.last} if self.last else {})}
        with http.stream(
            "GET", self.path, headers=headers, timeout=httpx.Timeout(TIMEOUT, read=30)
        ) as stream:
            if stream.status_code == 410:
                self._mend(json.loads(stream.read()))
            if stream.status_code != 200:
                return
            cursor = ""
            for line in stream.iter_lines():
                if line.startswith("id: "):
                    cursor = line.removeprefix("id: ")
                elif line.startswith("data: "):
                    self._take(cursor, json.loads(line.removeprefix("data: ")))
                if self.ending.is_set():
                    return

    def _take(self, cursor: str, data: Any) -> None:
        place = (data.get("game", ""), data.get("entry", data)["seq"])
        digest = data.get("entry", data)["hash"]
        known = self.copy.get(place)
        assert known is None or known[1] == digest, f"{place} has changed, and nobody said so"
        self.copy[place] = (cursor, digest)
        self.last = cursor

    def _mend(self, problem: dict[str, Any]) -> None:
        assert problem["type"] == "/problems/restored", problem
        self.told += 1
        kept = problem.get("cursor")
        for place in [place for place, (cursor, _) in self.copy.items() if not kept or cursor > kept]:
            del self.copy[place]
        self.last = kept or ""


class GameFollower(Follower):
    """The same for one game, whose chain shows that it was continued otherwise than what was seen."""

    def _take(self, cursor: str, data: Any) -> None:
        if "seq" not in data:  # the view of the game at the moment
            return
        before = self.copy.get(("", data["seq"] - 1))
        public = {name: value for name, value in data.items() if name not in ("hash", "private")}
        if data["seq"] > 1 and chain(bytes.fromhex(before[1]), public).hex() != data["hash"]:
            self._mend({"type": "/problems/restored"})
            raise httpx.ReadError("the game was continued otherwise")
        super()._take(cursor, data)


@dataclass
class Campaign:
    """Everything that runs."""

    hosts: Hosts
    site: Site
    players: list[Player]
    followers: list[Follower]
    pauses: list[float] = field(default_factory=list)
    """The seconds from each loss of the primary to the first move after it."""

    def play(self) -> None:
        """Wait until every client has made some moves."""
        counts = [len(player.answered) for player in self.players]
        wait_for(
            lambda: all(len(p.answered) >= n + MOVES for p, n in zip(self.players, counts, strict=True)),
            "moves",
        )

    def fail_over(self) -> None:
        """Lose the primary, and let its host come back as a standby."""
        standby = wait_for(lambda: self.hosts.primary and self.hosts.standby, "a standby")
        lost = self.hosts.primary
        assert lost is not None
        assert lost is not standby
        if self.hosts.mode == "asynchronous":
            standby.kill()
            self.play()
        made = sum(len(player.answered) for player in self.players)
        lost.kill()
        begun = time.monotonic()
        if self.hosts.mode == "asynchronous":
            standby.start()
        wait_for(lambda: standby.says("primary"), "a new primary")
        wait_for(standby.migrated, "a promotion script")
        wait_for(lambda: sum(len(player.answered) for player in self.players) > made, "a move")
        self.pauses.append(time.monotonic() - begun)
        self.play()
        lost.start()


def compare(campaign: Campaign) -> tuple[int, int, int]:
    """Return how many moves were acknowledged, how many of them are lost, and how many followers were told.

    Raises AssertionError if an entry is there twice, a log does not verify, or a copy differs.
    """
    moves = lost = 0
    with client(f"http://127.0.0.1:{campaign.site.ports[0]}", campaign.site.key) as http:
        for player in campaign.players:
            kept = {}
            for game in player.games:
                if http.get(f"/v1/games/{game}").status_code == 404:
                    continue
                entries = log(http, game)
                assert [entry["seq"] for entry in entries] == [*range(1, len(entries) + 1)]
                assert http.get(f"/v1/games/{game}/verification").json()["ok"]
                own = [each["hash"] for each in entries if each["type"] == "moved" and each["seat"] == 0]
                kept |= dict.fromkeys(own, game)
            hashes = [answer["entry"]["hash"] for *_, answer in player.answered]
            assert len({*hashes}) == len(hashes)
            assert {*kept} <= {*hashes}, "a move was made twice"
            moves, lost = moves + len(hashes), lost + len({*hashes} - {*kept})
        for follower in campaign.followers:
            wait_for(lambda f=follower: differs(http, f) == "", differs(http, follower))
    return moves, lost, sum(follower.told for follower in campaign.followers)


def differs(http: httpx.Client, follower: Follower) -> str:
    """Return how a copy differs from what the server has, or ""."""
    assert follower.is_alive(), f"a follower of {follower.path} has ended"
    items = everything(http, follower.path.partition("?")[0])
    there = {
        (item.get("game", ""), item.get("entry", item)["seq"]): item.get("entry", item)["hash"]
        for item in items
    }
    copy = {place: digest for place, (_, digest) in [*follower.copy.items()]}
    if [*copy.items()] == [*there.items()]:
        return ""
    wrong = sum(copy.get(place) != digest for place, digest in there.items())
    more = len(copy.keys() - there.keys())
    return f"{follower.path}: of {len(there)} entries {wrong} are missing or differ, and {more} are too many"


def campaign_of(failovers: int, mode: str) -> str:
    """Lose the primary so many times, and return what was found."""
    with free_directory() as directory, ExitStack() as stack:
        directory.chmod(0o755)
        ports = free_port(), free_port()
        stack.enter_context(etcd(directory, ports[0]))
        hosts = Hosts(directory, mode, ports[0])
        stack.callback(hosts.stop)
        hosts.start()
        stack.enter_context(haproxy(directory, ports[1], hosts.nodes))
        here = prepared(hosts, ports[1])
        site = Site(here, RATE_LIMIT="none", ADDRESS_RATE_LIMIT="none")
        stack.callback(site.stop)
        enough, ending = threading.Event(), threading.Event()
        stack.callback(enough.set)
        stack.callback(ending.set)
        urls = [f"http://127.0.0.1:{port}" for port in site.ports]
        players = [Player(urls[n % 2], site.key, enough) for n in range(CLIENTS)]
        following = [Follower(url, site.key, "/v1/events", ending) for url in urls]
        campaign = Campaign(hosts, site, players, following)
        threads = [threading.Thread(target=player, daemon=True) for player in players]
        for thread in (*threads, *following):
            thread.start()
        campaign.play()
        for player in players:
            path = f"/v1/games/{player.games[-1]}/events?after=0"
            following.append(GameFollower(player.url, site.key, path, ending))
            following[-1].start()
        for _ in range(failovers):
            campaign.play()
            campaign.fail_over()
        enough.set()
        for thread in threads:
            thread.join(TIMEOUT)
            assert not thread.is_alive()
        moves, lost, told = compare(campaign)
        faults = [
            fault for player in players for fault in player.faults if mode == "synchronous" or fault[0] == "5"
        ]
        assert faults == []
        assert mode == "asynchronous" or lost == 0
        assert mode == "synchronous" or (lost and told)
    longest = max(campaign.pauses)
    return (
        f"{mode}: {failovers} failovers, each over after {longest:.0f} s at most; {moves} acknowledged moves:"
        f" {lost} lost, 0 doubled; followers were told {told} times, and all copies are equal"
    )


@click.command(help=__doc__)
@click.argument("failovers", default=3)
@click.argument("mode", default="", type=click.Choice(["", *MODES]))
def main(failovers: int, mode: str) -> None:
    """Run it in one mode, or in both, and print what was found."""
    if absent := missing():
        raise click.ClickException(f"Not installed here: {absent}.")
    for each in MODES if not mode else (mode,):
        print(campaign_of(failovers, each), flush=True)


if __name__ == "__main__":
    main()
