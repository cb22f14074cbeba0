"""Limits that several hosts count together, in a Redis that may be slow, stopped or away."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import httpx
import pytest

from api.run.web import server as web
from tests.receiver import eventually
from tests.serving import TIMEOUT, Server, command, environment, free_directory, free_port, serve

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        shutil.which("redis-server") is None, reason="needs redis-server, which .ci/run installs"
    ),
]
REQUESTS = 30
NOT_COUNTED = "rate limits are not counted"


class Redis:
    """A Redis that keeps nothing, on a port of its own."""

    def __init__(self, directory: Path) -> None:
        self.port = free_port()
        self.directory = directory
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        words = ["--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--dir", str(self.directory)]
        self.process = subprocess.Popen(["redis-server", *words], stdout=subprocess.DEVNULL)
        assert eventually(self.answers)

    def answers(self) -> bool:
        try:
            with closing(socket.create_connection(("127.0.0.1", self.port), timeout=TIMEOUT)) as connection:
                connection.sendall(b"PING\r\n")
                return connection.recv(100).startswith(b"+PONG")
        except OSError:
            return False

    def stop(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()


@pytest.fixture
def redis() -> Iterator[Redis]:
    with free_directory() as directory:
        found = Redis(directory)
        found.start()
        yield found
        found.stop()


@contextmanager
def another_host(first: Server, **settings: str) -> Iterator[str]:
    """One more web server on the same database, with a file of counts of its own; its URL."""
    listener = web.listen("127.0.0.1", 0)
    host, port = listener.getsockname()
    os.set_inheritable(listener.fileno(), True)
    words = ("web", "--fd", listener.fileno(), "--data-dir", first.data_dir, "--workers", "1")
    process = subprocess.Popen(
        command(*words),
        env=environment(COMPUTE_WORKERS="0", **settings),
        pass_fds=[listener.fileno()],
        stderr=subprocess.DEVNULL,
    )
    listener.close()
    try:
        yield f"http://{host}:{port}"
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(TIMEOUT)


def test_hosts_count_together_and_serve_on_without_their_redis(redis: Redis) -> None:
    settings = {
        "RATE_LIMIT": f"{REQUESTS} per day",
        "RATE_LIMIT_STORAGE": f"redis://127.0.0.1:{redis.port}/0",
    }
    with (
        free_directory() as directory,
        serve(directory, COMPUTE_WORKERS="0", **settings) as one,
        another_host(one, **settings) as two,
    ):
        headers = {"Authorization": f"Bearer {one.key}"}

        def ask(url: str) -> int:
            return httpx.get(f"{url}/v1/me", headers=headers, timeout=TIMEOUT).status_code

        answers = [ask((one.url, two)[number % 2]) for number in range(2 * REQUESTS)]
        assert answers == [200] * REQUESTS + [429] * REQUESTS
        assert redis.process is not None
        redis.process.send_signal(signal.SIGSTOP)  # it takes connections, and says nothing
        try:
            before = len(one.errors)
            assert [ask(one.url) for _ in range(2 * REQUESTS)] == [200] * 2 * REQUESTS
            assert eventually(lambda: any(NOT_COUNTED in line for line in one.errors[before:]))
            assert sum(NOT_COUNTED in line for line in one.errors[before:]) < REQUESTS, "not each has waited"
        finally:
            redis.process.send_signal(signal.SIGCONT)
        assert eventually(lambda: ask(one.url) == 429), "it counts again"
        redis.stop()
        assert [ask(url) for url in (one.url, two) for _ in range(5)] == [200] * 10
        redis.start()
        assert eventually(lambda: 429 in [ask(url) for url in (one.url, two) for _ in range(REQUESTS)])
