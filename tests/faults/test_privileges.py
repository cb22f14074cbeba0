"""The accounts of processes and what each can read: nothing has more rights than its work needs."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from urllib.parse import quote

import httpx
import psutil
import psycopg
import pytest

from api.core.config import Settings, StartError, libpq
from api.run.embedded import accounts
from api.run.embedded.accounts import Account, interpreter, rights
from api.run.embedded.postgres import DATABASE, OWNER, SERVICE, Postgres, find_database, supervise
from api.run.handover import NAMES
from tests.servers.receiver import eventually
from tests.servers.serving import Server, environment, run, serve
from tests.support.processes import family

pytestmark = pytest.mark.long

ROLES = {"web": "card_referee_app", "worker": "card_referee_worker"}


def variables(process: psutil.Process) -> dict[str, str]:
    lines = Path(f"/proc/{process.pid}/environ").read_bytes().decode().split("\0")
    return dict(line.split("=", 1) for line in lines if "=" in line)


def connected(connection: psycopg.Connection) -> set[str]:
    """Return the roles of all connections except this one."""
    rows = connection.execute(
        "SELECT usename FROM pg_stat_activity"
        " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
    )
    return {str(user) for (user,) in rows}


def bare(socket: Path, user: str) -> str:
    """Return an address without a password, as anybody on the machine could write it."""
    return f"postgresql://{user}@/{DATABASE}?host={quote(str(socket), safe='/')}"


def assert_least_rights(server: Server, owner_address: str) -> None:
    found = family(server)
    for kind in ROLES:
        assert found[kind]
        for process in found[kind]:
            if os.geteuid() == 0:
                assert 0 not in process.uids(), f"{kind} runs as root"
                assert 0 not in process.gids(), f"{kind} runs in root's group"
            known = variables(process)
            assert not {name for name in known if name in NAMES}, "settings may be secret"
    with psycopg.connect(libpq(owner_address), autocommit=True) as connection:
        assert httpx.get(f"{server.url}/readyz", timeout=60).status_code == 200
        users = set(ROLES.values())
        assert eventually(lambda: connected(connection) == users), connected(connection)


def test_web_and_worker_have_no_more_rights_than_they_need(server: Server) -> None:
    found = find_database(Settings(data_dir=server.data_dir))
    assert_least_rights(server, found.owner_database_url)


def connects(socket: Path, user: str, account: Account) -> str:
    """Return the result of connecting without a password, as an account of the system."""
    script = (
        "import psycopg, sys\n"
        "try:\n psycopg.connect(sys.argv[1])\n"
        "except psycopg.OperationalError as error:\n print('refused:', error)\n"
        "else:\n print('let in')"
    )
    with interpreter(account, environment()) as python:
        done = subprocess.run(
            [python.program, "-c", script, bare(socket, user)],
            capture_output=True,
            text=True,
            cwd="/",
            env={**environment(), **python.environ},
            pass_fds=python.keep,
            timeout=90,
            **rights(account),
        )
    return done.stdout + done.stderr


@pytest.mark.parametrize("user", [OWNER, SERVICE, "card_referee_worker", "postgres"])
def test_nobody_can_enter_the_embedded_database_without_a_password(postgres: Postgres, user: str) -> None:
    with pytest.raises(psycopg.OperationalError, match=r"password|does not exist"):
        psycopg.connect(bare(postgres.socket, user))
    if postgres.account is not None:
        assert connects(postgres.socket, user, postgres.account).startswith("refused:")


def test_the_passwords_are_in_a_file_of_their_owner(postgres: Postgres) -> None:
    file = (postgres.directory / "passwords.json").stat()
    assert file.st_mode & 0o777 == 0o600
    assert file.st_uid == os.geteuid()


def make_old(directory: Path) -> None:
    """Turn a data directory into one of an earlier release, which trusted every local user."""
    with supervise(directory) as server:
        assert server is not None
        with psycopg.connect(libpq(server.url(OWNER)), autocommit=True) as connection:
            connection.execute("CREATE TABLE kept (n int)")
            connection.execute(f"ALTER ROLE {SERVICE} PASSWORD NULL")
            connection.execute(f"ALTER ROLE {OWNER} PASSWORD NULL")
            connection.execute("DROP ROLE card_referee_worker")
    (server.cluster / "pg_hba.conf").write_text("local all all trust\n")
    (directory / "passwords.json").unlink()


def test_a_data_directory_of_an_earlier_release_is_secured_and_keeps_its_data(data_dir: Path) -> None:
    make_old(data_dir)
    with serve(data_dir) as server:
        found = find_database(Settings(data_dir=data_dir))
        assert_least_rights(server, found.owner_database_url)
        with psycopg.connect(libpq(found.owner_database_url)) as connection:
            assert connection.execute("SELECT count(*) FROM kept").fetchone() == (0,)
    (data_dir / "passwords.json").unlink()  # lost passwords: the owner of the directory may create new ones
    assert run("keys", "list", "--data-dir", data_dir).returncode == 0


def names(server: Server) -> list[str]:
    """Return the names of the accounts of the database and the web server."""
    found = family(server)
    return [found[kind][0].username() for kind in ("postgres", "web")]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root steps down")
def test_everything_but_the_start_has_an_account_of_its_own(server: Server) -> None:
    assert set(names(server)) == {"card-referee"}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root steps down")
def test_where_no_account_can_be_made_the_start_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accounts, "NAME", "no-such-account")
    monkeypatch.setattr(accounts, "WAYS", ())
    accounts._made.cache_clear()
    with pytest.raises(StartError, match="the account no-such-account could not be made"):
        accounts.unprivileged(tmp_path / "none")
    accounts._made.cache_clear()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root steps down")
def test_whoever_owns_the_database_runs_the_server(data_dir: Path) -> None:
    """So a data directory can move to a machine on which the account has another number."""
    with supervise(data_dir) as postgres:
        assert postgres is not None
    subprocess.run(["chown", "-R", "nobody:", data_dir / "postgres", data_dir / "run"], check=True)
    with serve(data_dir) as server:
        assert set(names(server)) == {"nobody"}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root steps down")
def test_a_closed_home_can_be_served_from_without_rights(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a checkout under /root, an account without rights cannot even reach the code by its path."""
    home = data_dir.parent / "home"
    home.mkdir(mode=0o700)
    for name in ("api", "referee", "migrations"):
        shutil.copytree(Path(__file__).parents[2] / name, home / "checkout" / name)
    monkeypatch.chdir("/")
    with serve(data_dir, PYTHONPATH=str(home / "checkout")) as server:
        found = find_database(Settings(data_dir=data_dir))
        assert_least_rights(server, found.owner_database_url)
        for path in ("/readyz", "/docs", "/openapi.yaml", "/v1/rulesets/pies", "/docs/rules/pies"):
            assert httpx.get(server.url + path, timeout=60).status_code == 200, path
        # Long requests are answered by processes that the web server starts.
        replay = httpx.post(f"{server.url}/v1/referee/replays", json={"moves": ["x" * 100_000]}, timeout=60)
        assert replay.status_code == 400, replay.text


def test_the_embedded_key_is_stored_beside_the_database_and_rotated(data_dir: Path) -> None:
    with serve(data_dir) as server:
        file = data_dir / "encryption.key"
        assert file.stat().st_mode & 0o777 == 0o600
        assert not file.is_relative_to(data_dir / "postgres")
        before = file.read_text()
        headers = {"Authorization": f"Bearer {server.key}"}
        wanted = {"ruleset": "cats_and_dogs", "seats": [{"open": True}] * 2}
        made = httpx.post(f"{server.url}/v1/games", json=wanted, headers=headers, timeout=60)
        assert made.status_code == 201
        busy = run("rotate-keys", "--data-dir", data_dir)
        assert busy.returncode == 1
        assert "stop the server" in busy.stderr
    done = run("rotate-keys", "--data-dir", data_dir)
    assert done.returncode == 0, done.stderr
    # The game's row, the key that receipts are signed with, and the key of cursors.
    assert done.stdout == "encrypted 3 rows anew\n"
    assert file.read_text() != before
    with serve(data_dir) as server:
        path = f"{server.url}/v1/games/{made.json()['id']}"
        shown = httpx.get(path, headers=headers, timeout=60).json()
        assert shown["seats"] == made.json()["seats"]
    file.write_text(before)
    refused = run("serve", "--port", "0", "--data-dir", data_dir)
    assert refused.returncode == 1
    assert "encrypted with a key" in refused.stderr
