"""Real `referee-api serve` processes for tests: starting, calling, killing and stopping them."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

import psutil
from click.testing import CliRunner

UNLIMITED = dict.fromkeys(("RATE_LIMIT", "ADDRESS_RATE_LIMIT"), "100000000 per minute")
TIMEOUT = 90  # seconds; only a limit in case something hangs


@contextmanager
def free_directory() -> Iterator[Path]:
    """Yield an empty directory in the temporary one, removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="card-referee-test-") as directory:
        yield Path(directory)


def free_port() -> int:
    """Return a free port that stays free: it is outside of the range from which the system chooses ports."""
    try:
        first = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    except FileNotFoundError:
        first = 32768
    for port in random.sample(range(10_000, max(first, 20_000)), 100):
        try:
            with socket.create_server(("127.0.0.1", port)):
                return port
        except OSError:
            continue
    raise AssertionError("no port is free")


def environment(**more: str) -> dict[str, str]:
    """Return the environment without our settings, so that the machine's own do not influence a test."""
    from api.core.config import DECLARED, variable

    ours = {variable(name) for name in DECLARED}
    return {**{name: value for name, value in os.environ.items() if name not in ours}, **more}


PLUGINS = Path(__file__).parents[1] / "campaigns" / "plugins"


def changed(*builds: str) -> dict[str, str]:
    """Return environment variables for a server with changes (`tests/campaigns/plugins/builds.py`)."""
    path = os.pathsep.join(map(str, (PLUGINS, PLUGINS.parents[2])))
    return {"PYTHONPATH": path, "BUILD": " ".join(builds)}


def constants(**chosen: object) -> dict[str, str]:
    """Return environment variables for a server with other values of what is no setting."""
    return {**changed("constants"), "CONSTANTS": json.dumps(chosen)}


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "api.run.cli", *map(str, arguments)]


def run(*arguments: object, **more: str) -> subprocess.CompletedProcess[str]:
    """Run `referee-api ARGUMENTS` to its end; `more` are environment variables."""
    return subprocess.run(
        command(*arguments),
        env=environment(**more),
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        stdin=subprocess.DEVNULL,
    )


def run_here(*arguments: object, **more: str) -> subprocess.CompletedProcess[str]:
    """Do what `run` does in this process, which spares a second: for commands of which nothing goes on."""
    from api.core.config import StartError
    from api.run.cli import cli

    words = [*map(str, arguments)]
    with mock.patch.dict(os.environ, environment(**more), clear=True):
        done = CliRunner().invoke(cli, words, prog_name="referee-api")
    if isinstance(done.exception, StartError):
        return subprocess.CompletedProcess(words, 1, done.stdout, f"referee-api: {done.exception}\n")
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return subprocess.CompletedProcess(words, done.exit_code, done.stdout, done.stderr)


@dataclass
class Server:
    """A running server: `url`, the `key` printed at the first start (later empty), and all its output."""

    process: subprocess.Popen[str]
    data_dir: Path
    url: str = ""
    key: str = ""
    output: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    @property
    def events(self) -> list[str]:
        """What the lines of the log say; each is JSON."""
        return [json.loads(line)["event"] for line in list(self.errors) if line.strip()]

    def new_key(self, *scopes: str) -> str:
        """Create another key of the first app, at the command line."""
        flags = [word for scope in scopes for word in ("--scope", scope)]
        done = run("keys", "create", "default", *flags, "--data-dir", self.data_dir)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()[-1]

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(TIMEOUT)

    def end(self) -> None:
        """Stop it at once: after a second signal, gunicorn does not wait for requests in progress."""
        masters = self._masters() if self.process.poll() is None else []
        if self.process.poll() is None:
            self.process.terminate()
        for master in masters:
            with contextlib.suppress(psutil.NoSuchProcess):
                master.send_signal(signal.SIGINT)
        self.process.wait(TIMEOUT)

    def _masters(self) -> list[psutil.Process]:
        """Return gunicorn's master processes: of the web and of the compute processes."""
        with contextlib.suppress(psutil.Error):
            for child in psutil.Process(self.process.pid).children():
                if "web" in child.cmdline():
                    return [
                        child,
                        *(each for each in child.children() if "api.run.web.compute" in each.cmdline()),
                    ]
        return []


def start(
    data_dir: Path, *flags: object, timeout: float = TIMEOUT, program: Path | None = None, **more: str
) -> Server:
    """Start `serve` on a free port and wait for its `ready` line; fail with its output otherwise.

    It is that of these sources, or the installed `program`.
    """
    serve = ("serve", "--port", "0", "--data-dir", data_dir, *flags)
    process = subprocess.Popen(
        command(*serve) if program is None else [str(program), *map(str, serve)],
        cwd=None if program is None else data_dir,
        env=environment(**{"WORKERS": "1", "COMPUTE_WORKERS": "1", **UNLIMITED, **more}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    server = Server(process, data_dir)
    ready = threading.Event()

    def read_output() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            server.output.append(line)
            if line.startswith("default app key in "):
                server.key = Path(line.split(" in ", 1)[1].strip()).read_text().strip()
            if line.startswith("ready "):
                server.url = line.split()[1]
                ready.set()
        ready.set()

    def read_errors() -> None:
        assert process.stderr is not None
        for line in process.stderr:
            server.errors.append(line)

    for target in (read_output, read_errors):
        threading.Thread(target=target, daemon=True).start()
    in_time = ready.wait(timeout)
    if not server.url:
        server.stop(signal.SIGTERM if in_time else signal.SIGKILL)
        raise AssertionError(f"serve did not get ready:\n{''.join(server.output + server.errors)}")
    return server


@contextmanager
def serve(data_dir: Path, *flags: object, **more: str) -> Iterator[Server]:
    """Run a server, and stop it at the end."""
    server = start(data_dir, *flags, **more)
    try:
        yield server
    finally:
        server.end()
