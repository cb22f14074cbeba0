"""`/openapi.yaml` is a file: no web process spends a second on it."""

from __future__ import annotations

import time
from pathlib import Path

import httpx
import psutil
import pytest

from api.features import load_features
from api.features.specification import specification
from api.features.specification.specification import spec_yaml
from tests.servers.serving import Server, free_directory, serve
from tests.support.callers import Caller

FILE = Path(__file__).parents[3] / "openapi.yaml"
ASKED = 20


def test_it_is_the_one_that_comes_with_the_code(anyone: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(specification, "spec_yaml", None)
    assert anyone.get("/openapi.yaml").data == FILE.read_bytes()


def spent(server: Server) -> float:
    """Return the processor time of the two web processes so far, in seconds."""
    [web] = [each for each in psutil.Process(server.process.pid).children() if "web" in each.cmdline()]
    processes = [each for each in web.children() if each.cmdline() == web.cmdline()]
    assert len(processes) == 2
    return sum(sum(each.cpu_times()[:2]) for each in processes)


@pytest.mark.long
@pytest.mark.parametrize("features", ["", "specification,lobby"])
def test_web_processes_only_send_it(features: str) -> None:
    """The own one of a service that lacks features is made once, by another process, for all of them."""
    end = time.monotonic() + 60
    with (
        free_directory() as directory,
        serve(directory, FEATURES=features, WORKERS="2") as server,
        httpx.Client(base_url=server.url, timeout=60) as http,
    ):
        begun = spent(server)
        while (answer := http.get("/openapi.yaml")).status_code == 503 and time.monotonic() < end:
            assert answer.json()["type"] == "/problems/overloaded"
            time.sleep(0.2)
        for _ in range(ASKED):
            assert http.get("/openapi.yaml", headers={"Connection": "close"}).text == answer.text
        assert spent(server) - begun < 0.02 * ASKED
    assert answer.text == spec_yaml(load_features(*filter(None, features.split(","))))
