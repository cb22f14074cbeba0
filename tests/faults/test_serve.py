"""`referee-api serve` as a process: it starts all parts, loses nothing, and stops all parts when it ends."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import httpx
import psutil
import psycopg
import pytest

from api.core.config import Settings, libpq
from api.run.embedded.postgres import find_database, running
from tests.servers.receiver import eventually
from tests.servers.serving import TIMEOUT, Server, command, environment, free_port, run, serve, start
from tests.support.processes import family

pytestmark = pytest.mark.long


def status(server: Server, path: str) -> int:
    try:
        return httpx.get(server.url + path, timeout=TIMEOUT).status_code
    except httpx.TransportError:
        return 0


def gone(processes: list[psutil.Process]) -> bool:
    return not any(each.is_running() and each.status() != psutil.STATUS_ZOMBIE for each in processes)


def test_the_first_key_is_not_in_a_log(server: Server) -> None:
    """If the output is not a terminal, the key goes into a file for its owner only, whose name is printed."""
    file = server.data_dir / "default-app-key"
    assert f"default app key in {file}\n" in server.output
    assert server.key.startswith("cra_")
    assert server.key not in "".join(server.output + server.errors)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    headers = {"Authorization": f"Bearer {server.key}"}
    me = httpx.get(f"{server.url}/v1/me", headers=headers, timeout=TIMEOUT).json()
    assert me["scopes"] == ["read", "write"]
    assert any("--scope audit" in line for line in server.output), (
        "the output explains how to get a key with audit"
    )


def test_a_terminal_shows_the_first_key(data_dir: Path) -> None:
    controller, terminal = os.openpty()
    process = subprocess.Popen(
        command("serve", "--port", "0", "--data-dir", data_dir),
        env=environment(WORKERS="1", COMPUTE_WORKERS="0"),
        stdin=subprocess.DEVNULL,
        stdout=terminal,
        stderr=subprocess.DEVNULL,
    )
    os.close(terminal)
    shown = b""
    try:
        while b"ready " not in shown:
            shown += os.read(controller, 4096)
    finally:
        process.terminate()
        process.wait(TIMEOUT)
        os.close(controller)
    lines = shown.decode().splitlines()
    key = next(line.split()[-1] for line in lines if line.startswith("default app key, shown once: "))
    assert key.startswith("cra_")
    assert not (data_dir / "default-app-key").exists()


def test_a_signal_stops_everything_and_the_next_start_has_everything(data_dir: Path) -> None:
    port = free_port()
    for number in (signal.SIGINT, signal.SIGTERM):
        server = start(data_dir, "--port", port)
        processes = [each for kind in family(server).values() for each in kind]
        assert len(processes) > 4
        assert bool(server.key) == (number == signal.SIGINT)  # only the first start creates a key
        assert f"ready {server.url}\n" in server.output
        assert [json.loads(line)["name"] for line in keys(data_dir, "list")] == ["default"]
        assert server.stop(number) == 0
        assert gone(processes)
        assert running(data_dir) is None
        assert not [line for line in server.errors if "Traceback" in line]
        with socket.create_server(("127.0.0.1", port)):
            pass  # the port is free again


def keys(data_dir: Path, *arguments: str) -> list[str]:
    done = run("keys", *arguments, "--data-dir", data_dir)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_keys_are_created_listed_and_revoked_while_a_server_runs(server: Server) -> None:
    *_, key = keys(
        server.data_dir, "create", "partner", "--scope", "read", "--expires", "P90D", "--key-name", "web"
    )
    listed = next(
        entry for entry in map(json.loads, keys(server.data_dir, "list")) if entry["name"] == "partner"
    )
    assert key not in json.dumps(listed)
    assert (listed["scopes"], listed["key_name"], listed["prefix"]) == (["read"], "web", key[:10])
    caller = {"Authorization": f"Bearer {key}"}
    assert httpx.get(f"{server.url}/v1/players", headers=caller, timeout=TIMEOUT).status_code == 200
    keys(server.data_dir, "revoke", listed["id"])
    assert httpx.get(f"{server.url}/v1/players", headers=caller, timeout=TIMEOUT).status_code == 401


@pytest.mark.parametrize(
    "arguments",
    [
        ["create", "partner", "--expires", "soon"],
        ["create", "partner", "--expires", "-P1D"],
        ["create", "partner", "--scope", "everything"],
        ["revoke", "no-such-key"],
        ["create", "a\nb"],
        ["create", "partner", "--key-name", "a\nb"],
    ],
)
def test_invalid_key_commands_create_nothing(arguments: list[str], server: Server) -> None:
    owner = libpq(find_database(Settings(data_dir=server.data_dir)).owner_database_url)

    def listed() -> list[tuple]:
        with psycopg.connect(owner) as connection:
            return connection.execute("SELECT * FROM credentials ORDER BY id").fetchall()

    before = listed()
    assert before
    done = run("keys", *arguments, "--data-dir", server.data_dir)
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    assert "Error" in done.stderr or done.stderr.startswith("referee-api: ")
    assert listed() == before


@pytest.fixture(scope="module")
def early_key() -> Iterator[tuple[str, Server]]:
    """Return a key created before the server's first start, and that server, whose parts tests may kill."""
    with tempfile.TemporaryDirectory(prefix="card-referee-test-") as parent:
        Path(parent).chmod(0o711)
        data_dir = Path(parent) / "data"
        key = keys(data_dir, "create", "early")[-1]
        assert running(data_dir) is None
        with serve(data_dir, COMPUTE_WORKERS="0") as server:
            yield key, server


def test_a_command_without_a_server_starts_the_database_for_itself(early_key: tuple[str, Server]) -> None:
    key, server = early_key
    assert not server.key
    caller = {"Authorization": f"Bearer {key}"}
    answer = httpx.get(f"{server.url}/v1/players", headers=caller, timeout=TIMEOUT)
    assert answer.status_code == 200


def test_a_killed_serve_ends_its_children_and_can_restart_on_its_port(data_dir: Path) -> None:
    port = free_port()
    first = start(data_dir, "--port", port)
    processes = [each for kind in family(first).values() for each in kind]
    first.process.kill()
    first.process.wait()
    assert eventually(lambda: gone(processes))
    with serve(data_dir, "--port", port, COMPUTE_WORKERS="0") as second:
        assert second.url == first.url
        assert status(second, "/readyz") == 200
        assert len(keys(data_dir, "list")) == 1


def test_a_killed_database_is_started_again(early_key: tuple[str, Server]) -> None:
    _, server = early_key
    for _ in range(2):
        killed = family(server)["postgres"][0]
        killed.kill()
        assert eventually(
            lambda pid=killed.pid: [p.pid for p in family(server)["postgres"][:1]] not in ([], [pid])
        )
        assert eventually(lambda: status(server, "/readyz") == 200)
    assert len(keys(server.data_dir, "list")) == 1


def test_a_database_killed_while_restarting_is_started_again(data_dir: Path) -> None:
    with serve(data_dir) as server:
        first = family(server)["postgres"][0]
        first.kill()
        second: list[psutil.Process] = []
        while not second:  # as soon as it exists, before it has recovered
            second = [one for one in family(server)["postgres"][:1] if one.pid != first.pid]
        second[0].kill()
        assert eventually(lambda: gone(second) and bool(family(server)["postgres"]))
        assert eventually(lambda: status(server, "/readyz") == 200)
        message = "PostgreSQL stopped by itself (signal 9); starting it again."
        assert eventually(lambda: server.events.count(message) == 2)


def test_web_processes_share_what_was_imported_before_them(early_key: tuple[str, Server]) -> None:
    _, only = family(early_key[1])["web"]
    lines = Path(f"/proc/{only.pid}/smaps_rollup").read_text().splitlines()
    numbers = dict(line.split()[:2] for line in lines)
    assert int(numbers["Shared_Dirty:"]) > 8 * 1024, "kB"


def test_a_killed_web_process_is_replaced(early_key: tuple[str, Server]) -> None:
    _, server = early_key
    _, only = family(server)["web"]
    only.kill()
    assert eventually(lambda: gone([only]) and status(server, "/healthz") == 200)
    assert server.process.poll() is None


@pytest.mark.parametrize(("kind", "name"), [("web", "web server"), ("worker", "job worker")])
def test_a_part_that_dies_is_started_again_unless_it_dies_too_often(
    kind: str, name: str, data_dir: Path
) -> None:
    server = start(data_dir)
    before = family(server)
    everything = [each for processes in before.values() for each in processes]
    before[kind][0].kill()
    assert eventually(
        lambda: gone(before[kind]) and family(server)[kind] and status(server, "/readyz") == 200
    )
    message = f"The {name} stopped by itself (signal 9); starting it again."
    assert eventually(lambda: server.events.count(message) == 1)

    def ended() -> bool:
        with contextlib.suppress(psutil.NoSuchProcess):
            for process in family(server)[kind]:
                everything.append(process)
                process.kill()
        return server.process.poll() is not None

    assert eventually(ended, 5 * TIMEOUT)
    assert server.process.returncode == 1
    assert eventually(lambda: any(f"The {name} died 6 times in a minute" in line for line in server.errors))
    assert eventually(lambda: gone(everything))


def test_the_worker_ends_while_the_web_server_finishes(data_dir: Path) -> None:
    with serve(data_dir) as server:
        parts = family(server)
        web = parts["web"][0]
        web.suspend()  # it may take its time
        try:
            server.process.terminate()
            assert eventually(lambda: gone(parts["worker"]))
            assert not gone([web])
            assert not gone(parts["postgres"][:1]), "the database stops after both"
        finally:
            web.resume()
        assert server.process.wait(TIMEOUT) == 0
        assert eventually(lambda: gone([each for part in parts.values() for each in part]))


def test_an_external_database_is_used_and_none_started(settings: Settings) -> None:
    """The service's address may be for a role that cannot migrate; migrations use the owner's."""
    addresses = {
        "DATABASE_URL": libpq(settings.database_url),
        "MIGRATION_DATABASE_URL": libpq(settings.owner_database_url),
        "WORKER_DATABASE_URL": libpq(settings.worker_database_url),
        "ENCRYPTION_KEYS": ",".join(settings.encryption_keys),
        "COMPUTE_WORKERS": "0",
    }
    assert run("migrate", **addresses).returncode == 0
    with serve(settings.data_dir, **addresses) as server:
        assert server.key
        assert status(server, "/readyz") == 200
        assert not family(server)["postgres"]


def test_what_killed_web_processes_shared_is_removed(data_dir: Path) -> None:
    """It is in memory, which would otherwise be used up by a server that is killed again and again."""
    with serve(data_dir) as server:
        killed = family(server)["web"]
        maps = {Path(each.path).parent for process in killed for each in process.memory_maps()}
        (shared,) = {path for path in maps if path.name.startswith("card-referee-web-")}
        assert shared.is_dir()
        for process in killed:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        assert eventually(lambda: gone(killed) and status(server, "/healthz") == 200)
        assert not shared.exists()


def test_a_full_disk_for_temporary_files_stops_nothing(data_dir: Path) -> None:
    """Neither requests nor the start of another web process."""
    disk = data_dir.parent / "small"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=16m,mode=1777", "tmpfs", disk]
    if subprocess.run(mount, check=False, stderr=subprocess.DEVNULL).returncode != 0:
        pytest.skip("no file system can be mounted here")
    try:
        with serve(data_dir, TMPDIR=str(disk)) as server:
            with (disk / "ballast").open("wb") as ballast:
                room = os.statvfs(disk)
                os.posix_fallocate(ballast.fileno(), 0, room.f_bavail * room.f_frsize)
            headers = {"Authorization": f"Bearer {server.key}"}
            for path in ("/v1/me", "/v1/games", "/v1/rulesets", "/nothing"):
                answer = httpx.get(server.url + path, headers=headers, timeout=TIMEOUT)
                assert answer.status_code == (404 if path == "/nothing" else 200)
            _, *others = family(server)["web"]
            next(each for each in others if "api.run.web.compute" not in each.cmdline()).kill()
            assert eventually(lambda: status(server, "/readyz") == 200)
    finally:  # detached at once; it disappears when nobody has it open
        subprocess.run(["umount", "--lazy", disk], check=True)
