"""The files of `deploy/`, run: two web servers and a worker behind the real nginx and HAProxy."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from api.core.config import Settings
from tests.servers.proxies import DEPLOY, before, haproxy, nginx
from tests.servers.receiver import eventually
from tests.servers.serving import TIMEOUT, free_directory
from tests.servers.sites import Site, client, first_move, log, new_game, repeated, require

pytestmark = pytest.mark.long

UNITS = DEPLOY / "systemd"
PROGRAMS = {"referee": "witness.cli", "referee-api": "api.run.cli"}


@pytest.fixture
def site(settings: Settings) -> Iterator[Site]:
    found = Site(settings)
    try:
        yield found
    finally:
        found.stop()


@pytest.fixture(params=[nginx, haproxy], ids=["nginx", "haproxy"])
def proxy(request: pytest.FixtureRequest, site: Site) -> Iterator[str]:
    with before(request.param, site.ports) as url:
        yield url


def test_streams_and_etags_pass_the_proxy(site: Site, proxy: str) -> None:
    with client(proxy, site.key) as http:
        game = new_game(http)
        seen: list[int] = []
        lines = threading.Thread(target=lambda: seen.extend(follow(proxy, site.key, game)), daemon=True)
        lines.start()
        shown = http.get(f"/v1/games/{game}", headers={"Accept-Encoding": "gzip"})
        assert shown.headers["Content-Encoding"] == "gzip"
        move = first_move(http, game)
        tag = shown.headers["ETag"]
        for etag in (tag, f"W/{tag.removeprefix('W/')}"):
            same = http.get(f"/v1/games/{game}", headers={"If-None-Match": etag, "Accept-Encoding": "gzip"})
            assert same.status_code == 304
        made = http.post(f"/v1/games/{game}/moves", json=move, headers={"If-Match": tag})
        assert made.status_code == 201, made.text
        assert made.json()["entry"]["seq"] == shown.json()["version"] + 1
        # The stream is still open, so the proxy did not buffer it.
        lines.join(TIMEOUT)
        assert seen[-1] >= made.json()["entry"]["seq"]
        assert http.get("/metrics").status_code == 404


def follow(proxy: str, key: str, game: str) -> Iterator[int]:
    """Return the numbers of a stream's entries, up to the first that came while it was open."""
    with (
        client(proxy, key) as http,
        http.stream("GET", f"/v1/games/{game}/events", headers={"Accept": "text/event-stream"}) as stream,
    ):
        started = http.get(f"/v1/games/{game}").json()["version"]
        for line in stream.iter_lines():
            if line.startswith("id: "):
                seq = int(line.removeprefix("id: "))
                yield seq
                if seq > started:
                    return


def test_web_servers_are_restarted_one_by_one_while_a_game_continues(site: Site, proxy: str) -> None:
    """The upgrade in docs/guides/deployment.md loses and duplicates nothing, and nobody waits long."""
    stop = threading.Event()
    made: list[int] = []
    failures: list[str] = []

    def play() -> None:
        with client(proxy, site.key) as http:
            game = new_game(http)
            while not stop.is_set():
                move = first_move(http, game)
                if move is None:
                    game = new_game(http)
                    continue
                answer = repeated(http, f"/v1/games/{game}/moves", move)
                if answer.status_code == 201:
                    made.append(answer.json()["entry"]["seq"])
                else:
                    failures.append(answer.text)
                    return
                if answer.json()["game"]["status"] != "running":
                    seqs = [entry["seq"] for entry in log(http, game)]
                    if seqs != list(range(1, len(seqs) + 1)):
                        failures.append(f"{game}: {seqs}")
                    game = new_game(http)

    player = threading.Thread(target=play)
    player.start()
    try:
        for port in site.ports:
            before = len(made)
            site.restart(port)
            assert eventually(lambda before=before: len(made) > before or failures)
    finally:
        stop.set()
        player.join(TIMEOUT)
    assert not failures
    assert made


def test_the_units_are_valid_and_restricted() -> None:
    analyze = require("systemd-analyze")
    with free_directory() as directory:
        for unit in UNITS.iterdir():  # first all of them, as a timer starts a service
            ours = re.sub(r"/opt/card-referee/bin/\S+", "/bin/true", unit.read_text())
            (directory / unit.name.replace("@", "@8081")).write_text(ours)
        for copy in sorted(directory.iterdir()):
            checked = subprocess.run([analyze, "verify", copy], capture_output=True, text=True)
            assert (checked.returncode, checked.stderr) == (0, ""), copy.name
    with free_directory() as directory:
        for unit in UNITS.glob("*.service"):
            text = unit.read_text()
            called = re.findall(r"/opt/card-referee/bin/(\S+) (\S+)", text)
            assert called, unit.name
            for program, command in called:
                shown = [sys.executable, "-m", PROGRAMS[program], command, "--help"]
                assert subprocess.run(shown, capture_output=True, timeout=TIMEOUT).returncode == 0
            plain = directory / unit.name.replace("@", "")
            plain.write_text(text)
            exposure = [analyze, "security", "--offline=yes", "--threshold=20", str(plain)]
            assert subprocess.run(exposure, capture_output=True).returncode == 0
            for line in ("LimitCORE=0", "MemoryMax=", "MemoryDenyWriteExecute=yes"):
                assert f"\n{line}" in text, unit.name


def test_compose_publishes_plain_http_to_its_own_machine_alone() -> None:
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    published = [port for service in services.values() for port in service.get("ports", [])]
    assert published
    assert all(port.startswith("127.0.0.1:") for port in published)


def test_the_image_has_all_that_its_programs_need(tmp_path: Path) -> None:
    """The files that the Dockerfile copies are installed alone, and the programs run without the rest."""
    source, installed = tmp_path / "src", tmp_path / "installed"
    source.mkdir()
    copied = re.findall(r"^COPY (.+) /src/\S*$", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE)
    for name in " ".join(copied).split():
        path = DEPLOY.parent / name
        if path.is_dir():
            shutil.copytree(path, source / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(path, source)
    flags = ("--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check")
    pip = run_python("-m", "pip", "install", *flags, "--target", str(installed), str(source))
    assert pip.returncode == 0, pip.stderr
    functions = [file.name for file in (DEPLOY.parent / "migrations" / "functions").iterdir()]
    assert sorted(functions) == sorted(
        file.name for file in (installed / "migrations" / "functions").iterdir()
    )
    assert (installed / "migrations" / "baseline.sql").exists()
    # Without `site`, Python does not find the source tree, which is installed in editable mode.
    places = os.pathsep.join([str(installed), sysconfig.get_path("purelib")])
    for program in (("referee", "witness", "--help"), ("referee-api", "web", "--help")):
        shown = run_python(
            "-S", str(installed / "bin" / program[0]), *program[1:], PYTHONPATH=places, PYTHONSAFEPATH="1"
        )
        assert shown.returncode == 0, shown.stderr


def run_python(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python outside of the source tree, and return the finished process."""
    return subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, cwd="/", env={**os.environ, **environment}
    )
