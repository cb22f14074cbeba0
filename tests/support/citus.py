"""The service on the Citus cluster that `make citus` starts: its settings, a server, and calls."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import httpx
import psycopg
import pytest

from api.core.config import Settings, libpq
from api.run import migrate
from tests.servers.serving import Server, free_directory, run, serve
from tests.support.databases import KEY

URL = os.environ.get("CITUS_URL", "")
pytestmark = [pytest.mark.long, pytest.mark.skipif(not URL, reason="make citus sets CITUS_URL")]
PORT_OF = """
    SELECT n.nodeport FROM pg_dist_placement p JOIN pg_dist_node n USING (groupid)
    WHERE p.shardid = get_shard_id_for_distribution_column('games', %s::uuid)
"""


@pytest.fixture(scope="module")
def migrated() -> Settings:
    """The cluster, migrated: the service connects as the owner of the tables."""
    found = Settings(database_url=URL, owner_database_url=URL, encryption_keys=(KEY,))
    migrate.upgrade(found)
    return found


@pytest.fixture
def settings(migrated: Settings) -> Settings:
    return migrated


@pytest.fixture
def cluster(migrated: Settings) -> Iterator[psycopg.Connection]:
    """The coordinator."""
    with psycopg.connect(libpq(URL), autocommit=True) as connection:
        yield connection


@pytest.fixture(scope="module")
def server(migrated: Settings) -> Iterator[Server]:
    """A web process and a job worker on the cluster."""
    addresses = {"DATABASE_URL": URL, "ENCRYPTION_KEYS": KEY}
    with free_directory() as directory, serve(directory, **addresses) as running:
        flags = ("--scope", "read", "--scope", "write")
        made = run("keys", "create", "player", *flags, **addresses)
        assert made.returncode == 0, made.stderr
        running.key = made.stdout.splitlines()[-1]
        yield running


def call(server: Server, method: str, path: str, body: Any = None, **headers: str) -> Any:
    """Call the server; return the JSON of a successful answer."""
    sent_headers = {"Authorization": f"Bearer {server.key}", **headers}
    answer = httpx.request(method, server.url + path, json=body, headers=sent_headers, timeout=30)
    assert answer.status_code < 300, answer.text
    return answer.json()
