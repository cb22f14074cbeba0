"""Starts: web servers take connections when a process can answer, compute processes when one is needed."""

from __future__ import annotations

import socket
import subprocess
import time
from errno import ENOMEM
from pathlib import Path
from subprocess import SubprocessError

import httpx
import pytest

from api.core.config import Settings, libpq
from api.run.web import compute
from tests.servers.serving import TIMEOUT, command, environment, free_port


def test_nobody_waits_at_a_server_that_cannot_answer_yet(settings: Settings, tmp_path: Path) -> None:
    port, place = free_port(), str(tmp_path / "notify")
    environ = environment(
        DATABASE_URL=libpq(settings.database_url),
        ENCRYPTION_KEYS=",".join(settings.encryption_keys),
        WORKERS="2",
        COMPUTE_WORKERS="0",
    )
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(place)
        systemd.setblocking(False)
        words = command("web", "--port", port)
        web = subprocess.Popen(words, env={**environ, "NOTIFY_SOCKET": place}, stdin=subprocess.DEVNULL)
        try:
            refused, end = 0, time.monotonic() + TIMEOUT
            while time.monotonic() < end:
                try:
                    socket.create_connection(("127.0.0.1", port), 1).close()
                    break
                except ConnectionRefusedError:
                    refused += 1
                    assert "READY=1" not in told(systemd), "systemd would stop the other server"
                time.sleep(0.01)
            begun = time.monotonic()
            assert httpx.get(f"http://127.0.0.1:{port}/healthz", timeout=TIMEOUT).status_code == 200
            assert time.monotonic() - begun < 1.5, "the connection was taken before anybody could answer"
            assert refused
            heard = ""
            while "READY=1" not in heard and time.monotonic() < end:
                heard += told(systemd)
                time.sleep(0.05)
            assert "READY=1" in heard
        finally:
            web.terminate()
            assert web.wait(TIMEOUT) == 0


def told(systemd: socket.socket) -> str:
    """Return what systemd was told since it was asked last."""
    heard = ""
    try:
        while True:
            heard += systemd.recv(4096).decode() + "\n"
    except BlockingIOError:
        return heard


@pytest.mark.parametrize("error", [OSError(ENOMEM, "no memory"), SubprocessError("no session")])
def test_the_web_server_survives_that_they_do_not_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    tried = []

    def fail(*_: object, **__: object) -> None:
        tried.append(1)
        raise error

    monkeypatch.setattr(compute, "spawn", fail)
    pool = compute.ComputePool(Settings(), str(tmp_path))
    pool.keep()
    assert not tried, "no request waits"
    with socket.socket(socket.AF_UNIX) as waiting:
        waiting.connect(pool.path)
        pool.keep()
        pool.keep()
    assert len(tried) == 2
    assert str(error) in caplog.text
    pool.stop()
