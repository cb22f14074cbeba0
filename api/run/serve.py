"""`referee-api serve`: database, schema, web server and worker as one command.

Our children have sessions of their own, so Ctrl-C reaches us alone and we stop them in order: first
who takes requests, then who works, the database last. Should we be killed, the kernel stops them.
"""

from __future__ import annotations

import http.client
import os
import signal
import socket
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from subprocess import Popen
from types import FrameType

from api.commands import keys
from api.core.config import Settings, StartError
from api.run import migrate, row_security
from api.run.embedded.postgres import CONNECTIONS, Postgres, embedded, supervise
from api.run.embedded.processes import Account, service_account, spawn, stop
from api.run.interpreter import interpreter
from api.run.server import listen
from api.run.shutdown import SHUTDOWN_GRACE

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
POLL = 0.1  # seconds
TIMEOUT = 3  # seconds; a killed server's children, or a `keys create`, may just be letting go
RESERVED = 40  # connections for the job worker and the commands
READY_TIMEOUT = 60  # seconds
KEY_FILE = "default-app-key"  # in the data directory, where the output is no terminal
RESTARTS, RESTART_WINDOW = 5, 60.0  # the database may die this often in so many seconds


class Stopped(BaseException):
    """Somebody asked us to stop; raised wherever we are, so that every block closes what it opened."""


def serve(settings: Settings) -> None:
    """Start everything, say `ready`, keep it going until a signal. Raises StartError where it cannot."""
    _require_connections(settings)
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # nohup wants us to outlive the terminal
            signal.signal(number, _stopped)
    try:
        with ExitStack() as stack:
            listener = stack.enter_context(_listen(settings))
            server = stack.enter_context(_database(settings)) if not settings.database_url else None
            if server is not None:
                settings = embedded(settings, server.socket)
            settings = replace(settings, guests=_takes_guests(settings))
            migrate.check_server(settings.database_url)
            migrate.upgrade(settings)
            row_security.require_worker(settings.for_worker().database_url)
            _make_default_key(settings)
            children = _start_children(settings, listener, stack)
            _wait_until_ready(listener, children)
            _say(f"ready http://{_authority(settings.host, listener)}")
            _say(f"play http://{_authority(settings.host, listener)}/")
            _watch(children, server)
    except Stopped:
        return


def _stopped(number: int, frame: FrameType | None) -> None:
    for each in SIGNALS:  # once is enough: stopping in order is not to be cut short
        signal.signal(each, signal.SIG_IGN)
    raise Stopped


def _require_connections(settings: Settings) -> None:
    wanted = settings.workers * (settings.pool_size + 2)  # each web process also listens and has a spare
    if not settings.database_url and wanted > CONNECTIONS - RESERVED:
        raise StartError(
            f"WORKERS times POOL_SIZE is more than the embedded PostgreSQL's {CONNECTIONS} connections allow."
        )


def _say(line: str) -> None:
    print(line, flush=True)


def _make_default_key(settings: Settings) -> None:
    """Make the first app key on an empty database. Whoever reads our output later must not find it there."""
    file = None if sys.stdout.isatty() else settings.data_dir / KEY_FILE
    key = keys.make_default(settings, file)
    if not key:
        return
    _say(f"default app key, shown once: {key}" if file is None else f"default app key in {file}")
    _say("One that sees every hand: referee-api keys create default --scope read --scope audit")


@contextmanager
def _database(settings: Settings) -> Iterator[Postgres]:
    timeout = time.monotonic() + TIMEOUT
    while True:
        with supervise(settings.data_dir) as server:
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
            return listen(settings.host, settings.port)
        except StartError:
            if time.monotonic() > timeout:
                raise
        time.sleep(POLL)


def _takes_guests(settings: Settings) -> bool:
    """Where nothing else was said, whoever can reach a server on loopback may play."""
    if settings.guests is not None:
        return settings.guests
    loopback = settings.host == "localhost" or settings.host.startswith("127.") or settings.host == "::1"
    return loopback and not settings.trusted_proxies


def _start_children(settings: Settings, listener: socket.socket, stack: ExitStack) -> dict[str, Popen[bytes]]:
    """Start worker and web server, without root's rights; the stack stops them in the opposite order."""
    account = service_account()
    children = {}
    with interpreter(account, os.environ) as python:
        for name, known, arguments, keep in (
            ("job worker", settings.for_worker(), ["worker"], []),
            ("web server", settings.for_web(), ["web", "--fd", str(listener.fileno())], [listener.fileno()]),
        ):
            child = spawn(
                # -P: what lies in the current directory is not ours to import
                [*python.program, "-P", "-m", "api.cli", *arguments],
                dies_by=signal.SIGTERM,
                account=account,
                environ={**_environment(known, account), **python.environ},
                keep=[*keep, *python.keep],
            )
            stack.callback(stop, child, signal.SIGTERM, timeout=SHUTDOWN_GRACE + 7)
            children[name] = child
    return children


def _environment(settings: Settings, account: Account | None) -> Mapping[str, str]:
    """Return a child's environment: not root's home, where an account without rights may look at nothing."""
    home = {} if account is None else {"HOME": "/"}
    return {**os.environ, **home, **settings.environment()}


def _wait_until_ready(listener: socket.socket, children: Mapping[str, Popen[bytes]]) -> None:
    timeout = time.monotonic() + READY_TIMEOUT
    while not _answers(listener):
        _require_alive(children)
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


def _require_alive(children: Mapping[str, Popen[bytes]]) -> None:
    for name, child in children.items():
        status = child.poll()
        if status is not None:
            how = f"signal {-status}" if status < 0 else f"status {status}"
            raise StartError(f"The {name} stopped by itself ({how}), so everything stops.")


def _watch(children: Mapping[str, Popen[bytes]], server: Postgres | None) -> None:
    """Until a signal raises Stopped. A database that dies is started again: it recovers every commit."""
    deaths: list[float] = []
    while True:
        _require_alive(children)
        if server is not None and not server.alive():
            deaths = [at for at in deaths if at > time.monotonic() - RESTART_WINDOW] + [time.monotonic()]
            if len(deaths) > RESTARTS:
                raise StartError(f"PostgreSQL died {len(deaths)} times in a minute, so everything stops.")
            print("PostgreSQL stopped by itself; starting it again.", file=sys.stderr, flush=True)
            server.start()
        time.sleep(POLL)
