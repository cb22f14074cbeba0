"""Backups of a running `serve`, and a database that goes back to a point in time."""

from __future__ import annotations

import shutil
import subprocess
from typing import Any

import httpx
import psycopg
import pytest

from api.app import create_app
from api.callers import app_keys
from api.core.config import Settings, libpq
from api.run import backup, migrate
from api.run.embedded import postgres
from api.run.embedded.postgres import OWNER, supervise
from tests.servers.serving import TIMEOUT, free_directory, run, serve

pytestmark = pytest.mark.long

GAME = {"ruleset": "cats_and_dogs", "seats": [{"bot": "random"}, {"bot": "random"}]}


def caller(url: str, key: str) -> httpx.Client:
    return httpx.Client(base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=TIMEOUT)


def shown(http: httpx.Client, game: str) -> Any:
    answer = http.get(f"/v1/games/{game}")
    assert answer.status_code == 200, answer.text
    return {name: value for name, value in answer.json().items() if name != "receipt"}


def test_a_backup_of_a_running_service_is_restored_in_another_directory() -> None:
    with free_directory() as old, free_directory() as new:
        file = old.with_name(f"{old.name}.backup")
        try:
            with serve(old, COMPUTE_WORKERS="0") as server, caller(server.url, server.key) as http:
                game = http.post("/v1/games", json=GAME).json()["id"]
                before = shown(http, game)
                done = run("backup", file, "--data-dir", old)
                assert done.returncode == 0, done.stderr
                key = server.key
            known = (old / "encryption.key").read_text()
            done = run("restore", file, "--data-dir", new, ENCRYPTION_KEYS=known)
            assert done.returncode == 0, done.stderr
            assert "1 games verified" in done.stdout
            with supervise(new) as restored:  # this one has its own keys now
                assert restored is not None
                app = create_app(postgres.embedded(Settings(data_dir=new), restored.socket))
                headers = {"Authorization": f"Bearer {key}"}
                found = app.test_client().get(f"/v1/games/{game}", headers=headers).json
                assert {name: found[name] for name in before} == before
                app.extensions["card_referee"].database.close()
        finally:
            file.unlink(missing_ok=True)


def test_a_database_is_restored_to_a_point_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """By PostgreSQL's own archive and a base backup; what is there then is migrated and verified."""
    with free_directory() as archive, free_directory() as old, free_directory() as new:
        archive.chmod(0o777)
        options = {"archive_mode": "on", "archive_command": f"cp %p {archive}/%f"}
        monkeypatch.setattr(postgres, "OPTIONS", {**postgres.OPTIONS, **options})
        with supervise(old) as server:
            assert server is not None
            settings = postgres.embedded(Settings(data_dir=old), server.socket)
            migrate.upgrade(settings)
            with psycopg.connect(libpq(server.url(OWNER)), autocommit=True) as owner:
                owner.execute("SELECT pg_backup_start('base', true)")
                subprocess.run(["cp", "-a", f"{old}/.", new], check=True)
                row = owner.execute("SELECT labelfile FROM pg_backup_stop(false)").fetchone()
                assert row is not None
                _, key = app_keys.create(settings, "kept", ["read", "write"], None)
                app = create_app(settings)
                headers = {"Authorization": f"Bearer {key}"}
                assert app.test_client().post("/v1/games", json=GAME, headers=headers).status_code == 201
                app.extensions["card_referee"].database.close()
                owner.execute("SELECT pg_switch_wal()")
                time = owner.execute("SELECT clock_timestamp()::text").fetchone()
                app_keys.create(settings, "too late", ["read"], None)
                owner.execute("SELECT pg_switch_wal()")
        cluster = new / "postgres"
        shutil.rmtree(cluster / "pg_wal")  # the data is restored from the archive
        (cluster / "pg_wal").mkdir()
        (cluster / "backup_label").write_text(row[0])
        (cluster / "recovery.signal").touch()
        mine = cluster.stat()
        for path in (cluster / "pg_wal", cluster / "backup_label", cluster / "recovery.signal"):
            shutil.chown(path, mine.st_uid, mine.st_gid)
        assert time is not None
        target = {"recovery_target_time": time[0], "recovery_target_action": "promote"}
        options = {"restore_command": f"cp {archive}/%f %p", **target}
        monkeypatch.setattr(postgres, "OPTIONS", {**postgres.OPTIONS, **options, "archive_mode": "off"})
        with supervise(new) as server:
            assert server is not None
            found = postgres.embedded(Settings(data_dir=new), server.socket)
            with psycopg.connect(libpq(found.owner_database_url), autocommit=True) as owner:
                wait = "SELECT pg_is_in_recovery()"
                while owner.execute(wait).fetchone() == (True,):
                    owner.execute("SELECT pg_sleep(0.05)")
                assert owner.execute("SELECT name FROM apps").fetchall() == [("kept",)]
            migrate.upgrade(found)
            messages: list[str] = []
            backup.verify(found, messages.append)
            assert messages == ["1 games verified, and every log holds"]
