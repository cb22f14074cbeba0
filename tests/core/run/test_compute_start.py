"""The compute processes start when a request waits for them, and a start that fails is tried again."""

from __future__ import annotations

import socket
from errno import ENOMEM
from pathlib import Path
from subprocess import SubprocessError

import pytest

from api.core.config import Settings
from api.run.web import compute


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
