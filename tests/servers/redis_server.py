"""A Redis for tests that may be slow, stopped or down."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.servers.receiver import eventually
from tests.servers.serving import TIMEOUT, free_directory, free_port


class Redis:
    """A Redis without persistence, on a separate port."""

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
