"""Trouble shows itself: in metrics of web and worker, in `/readyz`, in the log, in `referee-api check`."""

from __future__ import annotations

import base64
import json
import math
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest

from api.core.config import Settings, libpq
from api.run.embedded.postgres import find_database
from tests.servers.receiver import eventually
from tests.servers.serving import TIMEOUT, Server, constants, free_port, run, serve
from tests.support.processes import family

pytestmark = pytest.mark.long

TOKEN = "metrics-token-of-a-test"


def metrics(url: str) -> dict[str, float]:
    """Return every number, by its name with labels."""
    text = httpx.get(f"{url}/metrics", headers={"Authorization": f"Bearer {TOKEN}"}, timeout=TIMEOUT).text
    lines = (line.rpartition(" ") for line in text.splitlines() if not line.startswith("#"))
    return {name: float(number) for name, _, number in lines}


def checked(server: Server) -> dict[str, dict[str, Any]]:
    """Return what `check` says, by the name of the check."""
    done = run("check", "--data-dir", server.data_dir)
    found = {line["check"]: line for line in map(json.loads, done.stdout.splitlines())}
    assert (done.returncode == 0) == all(line["ok"] is not False for line in found.values())
    return found


def test_a_worker_that_stops_is_seen(data_dir: Path) -> None:
    """By the age of its last sign of life, and by the work that is due; one that is up answers by itself."""
    port = free_port()
    more = {"METRICS_TOKEN": TOKEN, "WORKER_HEALTH_PORT": str(port), "PROCESS_TIMEOUT": "600"}
    with serve(data_dir, **more) as server:
        own = f"http://127.0.0.1:{port}"
        assert eventually(lambda: metrics(server.url).get("referee_workers") == 1)
        assert httpx.get(f"{own}/healthz", timeout=TIMEOUT).status_code == 200
        assert httpx.get(f"{own}/metrics", timeout=TIMEOUT).status_code == 401
        assert metrics(own)['referee_dependency_up{dependency="database"}'] == 1
        assert eventually(
            lambda: metrics(own).get('referee_jobs_total{job="worker.note_life",outcome="done"}')
        )
        assert checked(server)["worker"]["ok"]

        [worker] = family(server)["worker"]
        worker.suspend()
        try:
            assert eventually(lambda: metrics(server.url)["referee_worker_unseen_seconds"] > 16, 60)
            assert metrics(server.url)["referee_workers"] == 0
            assert checked(server)["worker"]["ok"] is False
        finally:
            worker.resume()
        assert eventually(lambda: metrics(server.url)["referee_workers"] == 1)
    assert "job worker stopped" in server.events
    assert any(line.startswith("web server started: release ") for line in server.events)


def test_settings_that_do_not_exist_are_named(data_dir: Path) -> None:
    for command in ("serve", "web", "worker", "migrate", "check"):
        done = run(command, POOL_SIZ="3", DATA_DIR=str(data_dir))
        assert (done.returncode, done.stderr) == (1, "referee-api: POOL_SIZ is no setting; POOL_SIZE is.\n")
    assert not data_dir.exists() or not any(data_dir.iterdir())


def test_the_log_says_why_the_database_fails_and_when_it_works_again(data_dir: Path) -> None:
    more = {"METRICS_TOKEN": TOKEN, "WORKERS": "2", **constants(database_timeout=2)}
    with serve(data_dir, **more) as server:
        address = libpq(find_database(Settings(data_dir=data_dir)).owner_database_url)
        with psycopg.connect(address, autocommit=True) as owner:
            names = ["card_referee_app", "card_referee_worker"]
            for name in names:
                owner.execute(f"ALTER ROLE {name} NOLOGIN")
            owner.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = ANY (%s)", (names,)
            )
            try:
                reason = "is not permitted to log in"
                assert eventually(lambda: sum(reason in line for line in server.events) == 3, 60)
                assert httpx.get(f"{server.url}/readyz", timeout=TIMEOUT).status_code == 503
            finally:
                for name in names:
                    owner.execute(f"ALTER ROLE {name} LOGIN")
        assert eventually(lambda: sum("database works again" in line for line in server.events) == 3, 60)
        assert eventually(lambda: httpx.get(f"{server.url}/readyz", timeout=TIMEOUT).status_code == 200)


def test_a_frozen_web_process_is_named_as_such(data_dir: Path) -> None:
    with serve(data_dir, PROCESS_TIMEOUT="2", COMPUTE_TIMEOUT="2", COMPUTE_WORKERS="0") as server:
        _, only = family(server)["web"]
        only.send_signal(signal.SIGSTOP)
        said = "a web process did not answer for 2 s and was replaced"
        assert eventually(lambda: said in server.events, 60)
        assert not any("out of memory" in line for line in server.events)


@contextmanager
def small_disk(at: Path, size: str) -> Iterator[Path]:
    at.mkdir(mode=0o755, parents=True)
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size},mode=755", "tmpfs", at], check=False
    ).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        yield at
    finally:
        subprocess.run(["umount", "--lazy", at], check=True)


def test_a_full_disk_is_reported_steadily_until_there_is_space(data_dir: Path) -> None:
    """By both web processes alike; small commits, which still succeed, do not hide it."""
    with small_disk(data_dir.parent / "disk", "160m") as disk:
        own = disk / "data"
        with serve(own, METRICS_TOKEN=TOKEN, WORKERS="2") as server:
            host = httpx.Client(
                base_url=server.url, headers={"Authorization": f"Bearer {server.key}"}, timeout=TIMEOUT
            )
            before = metrics(server.url)["referee_disk_free_bytes"]
            ballast = disk / "ballast"
            with ballast.open("wb") as file:
                room = os.statvfs(disk)
                os.posix_fallocate(file.fileno(), 0, room.f_bavail * room.f_frsize)
            assert before > metrics(server.url)["referee_disk_free_bytes"]

            def full() -> bool:
                for _ in range(20):
                    host.post("/v1/players", json={"name": "x" * 60, "metadata": {"a": "b" * 400}})
                return httpx.get(f"{server.url}/readyz", timeout=TIMEOUT).status_code == 503

            assert eventually(full, 60)
            answers = [httpx.get(f"{server.url}/readyz", timeout=TIMEOUT) for _ in range(24)]
            assert {answer.status_code for answer in answers} == {503}
            assert "disk" in answers[0].json()["detail"]
            os.truncate(ballast, ballast.stat().st_size - 400_000)  # for which no commit has room for long
            assert httpx.get(f"{server.url}/readyz", timeout=TIMEOUT).status_code == 503
            ballast.unlink()
            assert eventually(lambda: httpx.get(f"{server.url}/readyz", timeout=TIMEOUT).status_code == 200)
            assert host.post("/v1/players", json={"name": "Anna"}).status_code == 201


def test_a_database_that_is_away_or_old_is_no_mystery(data_dir: Path) -> None:
    """`check` vouches for nothing that it could not see; metrics leave out what an older schema lacks."""
    away = run("check", DATABASE_URL=f"postgresql://anna:secret@127.0.0.1:{free_port()}/cards")
    found = {line["check"]: line for line in map(json.loads, away.stdout.splitlines())}
    of_database = {"database", "schema", "rights", "keys", "clock", "worker", "partitions", "backup"}
    of_database |= {"disk of the database", "restore"}
    assert {name for name, line in found.items() if line["ok"] is False} == of_database | {
        "alerts",
        "mail server",
    }
    assert "Connection refused" in found["database"]["detail"]
    said = {found[name]["detail"] for name in of_database - {"database"}}
    assert said == {"Not looked at: the database does not work."}

    with serve(data_dir, METRICS_TOKEN=TOKEN, FEATURES="webhooks,metrics") as server:
        work = {name for name in metrics(server.url) if name.startswith("referee_due{")}
        assert 'referee_due{work="deliveries"}' in work
        assert 'referee_due{work="mail"}' not in work  # nobody is to do it
        address = libpq(find_database(Settings(data_dir=data_dir)).owner_database_url)
        with psycopg.connect(address, autocommit=True) as owner:
            owner.execute("DROP FUNCTION work_due()")
            owner.execute("ALTER TABLE processes RENAME TO others")
            owner.execute("ALTER TABLE restorations RENAME TO more")
            owner.execute("UPDATE alembic_version SET version_num = '0000'")
        seen = metrics(server.url)
        assert seen["referee_ready"] == 0
        assert "referee_workers" not in seen
        lines = checked(server)
        late = ("schema", "worker", "partitions", "backup")
        assert all("migrate" in lines[name]["detail"] for name in late)
        ready = httpx.get(f"{server.url}/readyz", timeout=TIMEOUT)
        assert ready.status_code == 503
        assert "migrate" in ready.json()["detail"]


def test_a_damaged_backup_is_named(data_dir: Path, tmp_path: Path) -> None:
    file = tmp_path / "backup"
    with serve(data_dir, METRICS_TOKEN=TOKEN) as server:
        ages = ("referee_backup_age_seconds", "referee_restore_age_seconds")
        assert [metrics(server.url)[age] for age in ages] == [math.inf] * 2, "for the alert"
        assert run("backup", file, "--data-dir", data_dir).returncode == 0
        tried = run("restore", "--try", file, "--data-dir", data_dir)
        assert tried.returncode == 0, tried.stderr
        assert all(metrics(server.url)[age] < 60 for age in ages)
        assert checked(server)["backup"]["ok"]
        assert checked(server)["restore"]["ok"]
    assert run("backup", "--check", file).stdout == f"{file} is whole\n"
    whole = file.read_bytes()
    for damaged in (whole[:9000] + b"?" + whole[9001:], whole[: len(whole) // 2], b"nothing"):
        file.write_bytes(damaged)
        for command in (("backup", "--check", file), ("restore", file, "--data-dir", tmp_path / "new")):
            done = run(*command)
            assert done.returncode == 1
            assert "damaged" in done.stderr or "pg_restore" in done.stderr, done
    assert not (tmp_path / "new").exists()


def test_a_key_that_running_processes_lack_is_not_used(settings: Settings) -> None:
    """Otherwise they would all refuse to work from then on."""
    addresses = {
        "DATABASE_URL": libpq(settings.database_url),
        "MIGRATION_DATABASE_URL": libpq(settings.owner_database_url),
        "WORKER_DATABASE_URL": libpq(settings.worker_database_url),
    }
    old, new = ",".join(settings.encryption_keys), base64.b64encode(bytes([8]) * 32).decode()
    with serve(settings.data_dir, ENCRYPTION_KEYS=old, **addresses) as server:
        rotate = {"ENCRYPTION_KEYS": f"{new},{old}", **addresses}

        def refused() -> bool:
            done = run("rotate-keys", **rotate)
            return done.returncode == 1 and "do not have the newest key (web, worker)" in done.stderr

        assert eventually(lambda: len(_processes(settings)) == 2)
        assert refused()
        assert httpx.get(f"{server.url}/readyz", timeout=TIMEOUT).status_code == 200


def _processes(settings: Settings) -> list[Any]:
    with psycopg.connect(libpq(settings.owner_database_url)) as connection:
        return connection.execute("SELECT kind FROM processes").fetchall()
