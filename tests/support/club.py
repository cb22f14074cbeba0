"""The club of examples/club as a process that can be killed, behind a proxy that treats its notices badly."""

from __future__ import annotations

import contextlib
import os
import random
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx

from tests.contract.sdks import source
from tests.servers.serving import TIMEOUT, free_port
from tests.support.node import run

CLUB = Path(__file__).parents[2] / "examples" / "club"


def install_client(directory: Path) -> Path:
    """Install the Python client into a folder; its dependencies and build tools are in this environment."""
    flags = ("--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check")
    pip = (sys.executable, "-m", "pip", "install", *flags, "--target", directory / "installed")
    run(*pip, source("python", directory), directory=directory)
    return directory / "installed"


@dataclass
class Club:
    """A club with its own folder; `kill` and `start` as often as wanted."""

    directory: Path
    installed: Path
    server: str
    key: str
    hook: str = ""
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[str] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(map(str, (self.installed, CLUB))),
            "CARD_REFEREE_URL": self.server,
            "CARD_REFEREE_KEY": self.key,
            "CLUB_URL": self.hook or self.url,
            "CLUB_DATABASE": str(self.directory / "club.sqlite"),
        }

    def run(self, *arguments: object) -> None:
        """Run a command of the club's director."""
        command = [sys.executable, "-m", "club", *map(str, arguments)]
        done = subprocess.run(
            command,
            env=self.environment(),
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            cwd=self.directory,
        )
        assert done.returncode == 0, done.stderr

    def start(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "club", "serve", "--port", str(self.port)],
            env=self.environment(),
            cwd=self.directory,
            stdout=(self.directory / "club.log").open("a"),
            stderr=subprocess.STDOUT,
            text=True,
        )
        end = time.monotonic() + TIMEOUT
        while time.monotonic() < end and self.process.poll() is None:
            with contextlib.suppress(httpx.TransportError):
                httpx.get(self.url, trust_env=False)
                return
            time.sleep(0.05)
        raise AssertionError((self.directory / "club.log").read_text())

    def __enter__(self) -> Club:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait(TIMEOUT)

    def standings(self) -> dict[str, Any]:
        answer = httpx.get(f"{self.url}/standings.json", trust_env=False, timeout=TIMEOUT)
        assert answer.status_code == 200, (self.directory / "club.log").read_text()[-5000:]
        found: dict[str, Any] = answer.json()
        return found

    @contextmanager
    def database(self) -> Iterator[sqlite3.Connection]:
        """Open the club's database, in a transaction."""
        file = self.environment()["CLUB_DATABASE"]
        with contextlib.closing(sqlite3.connect(file, timeout=TIMEOUT)) as sql, sql:
            yield sql

    def end_time(self, match: str) -> None:
        """Let the time of a match be over now, whatever the clock says."""
        now = datetime.now(UTC).isoformat()
        with self.database() as sql:
            sql.execute("UPDATE matches SET deadline = ? WHERE id = ?", (now, match))

    def cursor(self) -> str | None:
        """Return up to where the club has read the feed."""
        with self.database() as sql:
            row = sql.execute("SELECT value FROM settings WHERE name = 'cursor'").fetchone()
        return row and str(row[0])

    def forget_the_cursor(self) -> str | None:
        """Let the club read the feed from its beginning; return where it was."""
        self.kill()
        cursor = self.cursor()
        with self.database() as sql:
            sql.execute("DELETE FROM settings WHERE name = 'cursor'")
        self.start()
        return cursor

    def wait_for_cursor(self, cursor: str | None) -> None:
        """Wait until the club has read the feed up to here again."""
        end = time.monotonic() + TIMEOUT
        while self.cursor() != cursor:
            assert time.monotonic() < end, "the club does not read the feed to its end"
            time.sleep(0.1)


@dataclass
class BadPost:
    """What a proxy has done to notices, and what it has received."""

    url: str = ""
    done: Counter[str] = field(default_factory=Counter)
    requests: list[tuple[dict[str, str], bytes]] = field(default_factory=list)


@contextmanager
def bad_post(to: str, chance: random.Random) -> Iterator[BadPost]:
    """Run a proxy before a webhook's receiver that loses, doubles and delays what it has taken."""
    post, kept, lock = BadPost(), list[tuple[dict[str, str], bytes]](), threading.Lock()

    def pass_on(headers: dict[str, str], body: bytes) -> None:
        with contextlib.suppress(httpx.TransportError):  # the club is down: lost
            httpx.post(f"{to}/hook", headers=headers, content=body, trust_env=False, timeout=TIMEOUT)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {
                name: value for name, value in self.headers.items() if name.lower().startswith("webhook-")
            }
            with lock:
                post.requests.append((headers, body))
                what = chance.choice(["passed", "lost", "doubled", "delayed"])
                post.done[what] += 1
                now = {"passed": 1, "doubled": 2}.get(what, 0)
                if what == "delayed":
                    kept.append((headers, body))
                late = [kept.pop(chance.randrange(len(kept)))] if len(kept) > 5 else []
            for notice in [(headers, body)] * now + late:
                pass_on(*notice)
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as proxy:
        proxy.daemon_threads = True
        thread = threading.Thread(target=proxy.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        post.url = f"http://127.0.0.1:{proxy.server_port}"
        try:
            yield post
        finally:
            proxy.shutdown()
            thread.join()
