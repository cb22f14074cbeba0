"""`referee-api serve`: starts database, schema, web server and worker with one command.

The child processes have sessions of their own, so Ctrl-C reaches only this process, which stops them in
order: web server and worker together, the database last. If this process is killed, the kernel stops them.
"""

from __future__ import annotations

import http.client
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from subprocess import Popen
from types import FrameType

from api.core.config import Settings, StartError
from api.core.lines import logger
from api.run import handover
from api.run.embedded.accounts import Account, interpreter, unprivileged
from api.run.embedded.postgres import CLUSTER, CONNECTIONS, Postgres, embedded, supervise
from api.run.embedded.processes import spawn, stop
from api.run.web.sharing import reserve
from api.run.web.shutdown import SHUTDOWN_GRACE

log = logger("card_referee.serve")

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
POLL = 0.1  # seconds
TIMEOUT = 3  # seconds; a killed server's children, or a `keys create`, may not have let go yet
RESERVED = 40  # connections for the job worker and the commands
READY_TIMEOUT = 60  # seconds
KEY_FILE = "default-app-key"  # in the data directory, if the output is not a terminal
RESTARTS, RESTART_WINDOW = 5, 60.0  # how often each part may die, in how many seconds


class Stopped(BaseException):
    """A signal asks us to stop; raised anywhere, so that every block closes what it opened."""


def serve(settings: Settings) -> None:
    """Start everything, print `ready`, and keep it running until a signal. Raises StartError."""
    _require_connections(settings)
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # with nohup, outlive the terminal
            signal.signal(number, _stopped)
    try:
        with ExitStack() as stack:
            listener = stack.enter_context(_listen(settings))
            parts = web, _ = _parts(settings, listener)
            stack.callback(web.stop)  # also if no database starts
            server = None
            prepare = _Preparation()
            stack.callback(prepare.stop)
            if settings.database_url:
                prepare.spawn()
                web.spawn()
            else:
                server = stack.enter_context(_database(settings, partial(_prepare_start, web, prepare)))
                settings = embedded(settings, server.socket)
            settings = replace(settings, guests=_takes_guests(settings))
            prepare.finish(settings)
            _start_parts(parts, settings, listener, stack)
            _say(f"ready http://{_authority(settings.host, listener)}")
            _say(f"play http://{_authority(settings.host, listener)}/")
            _watch([*reversed(parts), server] if server is not None else [*reversed(parts)])
    except Stopped:
        return


def _stopped(number: int, frame: FrameType | None) -> None:
    for each in SIGNALS:  # further signals must not interrupt stopping in order
        signal.signal(each, signal.SIG_IGN)
    raise Stopped


def _require_connections(settings: Settings) -> None:
    needed = settings.workers * (settings.pool_size + 2)  # each web process also listens and has a spare
    if not settings.database_url and needed > CONNECTIONS - RESERVED:
        raise StartError(
            f"WORKERS times POOL_SIZE is more than the embedded PostgreSQL's {CONNECTIONS} connections allow."
        )


def _say(line: str) -> None:
    print(line, flush=True)


def _prepare_start(web: ServedProcess, prepare: _Preparation) -> None:
    """Start the processes that then begin their imports."""
    if web.process is None:
        web.spawn()
        prepare.spawn()


class _Preparation:
    """Prepares the database in a process of its own, so that we do not keep what it imports: 50 MB."""

    def __init__(self) -> None:
        self._process: Popen[bytes] | None = None
        self._pipe = -1

    def spawn(self) -> None:
        """Start the process, which waits for its settings."""
        with handover.pipe() as (reads, self._pipe):
            self._process = spawn(
                [sys.executable, "-P", "-m", "api.run.cli", "prepare", "--settings-fd", str(reads)],
                dies_by=signal.SIGTERM,
                environ=handover.without_settings(os.environ),
                keep=[reads],
            )

    def finish(self, settings: Settings) -> None:
        """Send the settings and wait. Raises SystemExit if the process has said why it failed."""
        assert self._process is not None
        handover.send(settings, self._pipe)
        if self._process.wait() != 0:
            raise SystemExit(1)

    def stop(self) -> None:
        """End the process; what it has not finished is undone."""
        if self._process is not None:
            stop(self._process, signal.SIGTERM, timeout=TIMEOUT)


def prepare(settings: Settings) -> None:
    """Bring the schema up to date and create the first key. Raises StartError if that is impossible."""
    from api.run import migrate, rights, row_security

    migrate.check_server(settings.database_url)
    migrate.upgrade(settings)
    row_security.require_worker(settings.for_worker().database_url)
    rights.require_direct(settings)
    _make_default_key(settings)


def _make_default_key(settings: Settings) -> None:
    """Create the first app key in an empty database. Output that is kept for later must not contain it."""
    from api.callers import app_keys

    file = None if sys.stdout.isatty() else settings.data_dir / KEY_FILE
    key = app_keys.make_default(settings, file)
    if not key:
        return
    _say(f"default app key, shown once: {key}" if file is None else f"default app key in {file}")
    _say("One that sees every hand: referee-api keys create default --scope read --scope audit")


@contextmanager
def _database(settings: Settings, meanwhile: Callable[[], None]) -> Iterator[Postgres]:
    timeout = time.monotonic() + TIMEOUT
    while True:
        with supervise(settings.data_dir, meanwhile) as server:
            if server is not None:
                yield server
                return
        if time.monotonic() > timeout:
            raise StartError(
                f"The data directory {settings.data_dir} is in use by another server; stop that one, "
                "or choose another directory with --data-dir."
            )
        time.sleep(POLL)


def _listen(settings: Settings) -> socket.socket:
    timeout = time.monotonic() + TIMEOUT
    while True:
        try:
            return reserve(settings.host, settings.port)
        except StartError:
            if time.monotonic() > timeout:
                raise
        time.sleep(POLL)


def _takes_guests(settings: Settings) -> bool:
    """Return whether guests may play; by default, everybody who can reach a server on loopback may."""
    if settings.guests is not None:
        return settings.guests
    loopback = settings.host == "localhost" or settings.host.startswith("127.") or settings.host == "::1"
    return loopback and not settings.trusted_proxies


@dataclass
class ServedProcess:
    """The worker or the web server: how it is started, without root's rights, and its process.

    Its settings, with the passwords of the database, are sent through a pipe, while it imports what it needs.
    """

    name: str
    settings: Settings
    arguments: list[str]
    keep: list[int]
    process: Popen[bytes] | None = None
    pipe: int = -1

    @property
    def account(self) -> Account | None:
        """Return who runs it if we are root."""
        return unprivileged(self.settings.data_dir / CLUSTER)

    def start(self) -> None:
        """Start it, for the first time or again."""
        self.spawn()
        self.go()

    def spawn(self) -> None:
        """Start the process, which waits for its settings."""
        account = self.account
        environ = _environment(account)
        with interpreter(account, environ) as python, handover.pipe() as (reads, self.pipe):
            self.process = spawn(
                # -P: do not import from the current directory
                [python.program, "-P", "-m", "api.run.cli", *self.arguments, "--settings-fd", str(reads)],
                dies_by=signal.SIGTERM,
                account=account,
                environ={**environ, **python.environ},
                keep=[*self.keep, *python.keep, reads],
            )

    def go(self) -> None:
        """Send the process its settings."""
        handover.send(self.settings, self.pipe)

    def alive(self) -> bool:
        """Return whether its process is still there."""
        return self.process is not None and self.process.poll() is None

    def end(self) -> None:
        """Ask it to finish its current work and to end."""
        if self.process is not None and self.alive():
            self.process.send_signal(signal.SIGTERM)

    def stop(self) -> None:
        """End it and wait for that; it may have been asked to end already."""
        if self.process is not None:
            stop(self.process, signal.SIGTERM, timeout=SHUTDOWN_GRACE + 7)


def _parts(settings: Settings, listener: socket.socket) -> tuple[ServedProcess, ServedProcess]:
    """Return the web server and the worker, not started yet."""
    web = ServedProcess(
        "The web server", settings, ["web", "--fd", str(listener.fileno())], [listener.fileno()]
    )
    return web, ServedProcess("The job worker", settings, ["worker"], [])


def _start_parts(
    parts: tuple[ServedProcess, ServedProcess], settings: Settings, listener: socket.socket, stack: ExitStack
) -> None:
    """Start the web server and the worker; the stack stops them together.

    The worker begins when the web server answers, so that they do not share the processors until then.
    """
    web, worker = parts
    for part in parts:
        stack.callback(part.stop)
    for part in parts:
        stack.callback(part.end)  # both are asked before either is waited for
    web.settings, worker.settings = settings.for_web(), settings.for_worker()
    web.go()
    _wait_until_ready(listener, web)
    worker.start()


def _environment(account: Account | None) -> Mapping[str, str]:
    """Return a child's environment without settings, which may contain secrets that it does not need.

    It does not get root's home either, where an unprivileged account can read nothing.
    """
    home = {} if account is None else {"HOME": "/"}
    return {**handover.without_settings(os.environ), **home}


def _wait_until_ready(listener: socket.socket, web: ServedProcess) -> None:
    timeout = time.monotonic() + READY_TIMEOUT
    while not _answers(listener):
        if not web.alive():
            hint = " It does not run as root: can everybody read its code?" if os.geteuid() == 0 else ""
            raise StartError(f"{web.name} stopped by itself{_how(web)}, so everything stops.{hint}")
        if time.monotonic() > timeout:
            raise StartError(f"The web server did not answer within {READY_TIMEOUT} s.")
        time.sleep(POLL)


def _answers(listener: socket.socket) -> bool:
    host, port = listener.getsockname()[:2]
    if host in ("0.0.0.0", "::"):
        host = "127.0.0.1" if host == "0.0.0.0" else "::1"
    connection = http.client.HTTPConnection(host, port, timeout=2)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _authority(host: str, listener: socket.socket) -> str:
    return f"{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}"


def _how(part: ServedProcess | Postgres) -> str:
    status = part.process.poll() if part.process is not None else None
    if status is None:
        return ""
    return f" (signal {-status})" if status < 0 else f" (status {status})"


def _was_killed(part: ServedProcess | Postgres) -> bool:
    return part.process is not None and (part.process.poll() or 0) < 0


def _watch(parts: Sequence[ServedProcess | Postgres]) -> None:
    """Restart whatever dies, until a signal raises Stopped. What was committed is not lost.

    Meanwhile requests wait in the socket's queue. Raises StartError for a part that dies again and again.
    """
    deaths: dict[str, list[float]] = {part.name: [] for part in parts}
    while True:
        for part in parts:
            if part.alive():
                continue
            died = [at for at in deaths[part.name] if at > time.monotonic() - RESTART_WINDOW]
            deaths[part.name] = [*died, time.monotonic()]
            if len(died) >= RESTARTS:
                raise StartError(f"{part.name} died {len(died) + 1} times in a minute, so everything stops.")
            log.error("%s stopped by itself%s; starting it again.", part.name, _how(part))
            try:
                part.start()
            except StartError:
                if not _was_killed(part):
                    raise  # it ended by itself, and would the next time too
        time.sleep(POLL)
