"""A real PostgreSQL for every test that wants one, and a real server process.

`settings`  the settings of a fresh, migrated database of its own (a copy of one migrated template)
`sql`       an autocommitting psycopg connection to that database, as the owner of the tables
`server`    a running `referee-api serve` with its data directory and its first app key; one a session
"""

from __future__ import annotations

import gc
import itertools
import logging
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
import structlog
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

from api.core.config import Settings, libpq
from api.http import queue
from api.run import encryption_keys, migrate
from api.run.embedded.postgres import OWNER, Postgres, supervise
from api.store.database import connections
from tests.servers.serving import Server, free_directory, serve
from tests.support.databases import LastingPool, Owner, addresses
from tests.support.witnesses import VKEYS

numbers = itertools.count(1)

# Nobody needs the tests' data later: in memory, if there is room, commits need not wait for a disk.
MEMORY = Path("/dev/shm")
if MEMORY.is_dir() and os.access(MEMORY, os.W_OK) and "TMPDIR" not in os.environ:
    executes = not os.statvfs(MEMORY).f_flag & os.ST_NOEXEC  # tests put programs there too
    if executes and shutil.disk_usage(MEMORY).free >= 4 << 30:
        os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)

# A shell's background job ignores SIGINT, and child processes would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Programs that the tests start would compile all sources again, which takes a second of processor time each.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# A new connection costs as much as ten requests: a database that is used again keeps its connections.
connections.ConnectionPool = LastingPool  # type: ignore[misc]

queue.DELAY = 0.0  # of refusals

# Python would walk through all objects of the tests again and again: an eighth of their time.
gc.set_threshold(50_000, 20, 20)

# Do not log each request.
structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))

# A slow machine is not a fault of the tested code.
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
hypothesis_settings.register_profile("any machine", deadline=None, suppress_health_check=SLOW)
hypothesis_settings.load_profile("any machine")


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """Run one embedded server for the session, outside of pytest's directories, closed to `nobody`."""
    with free_directory() as directory, supervise(directory) as server:
        assert server is not None
        yield server


@pytest.fixture(scope="session")
def administrator(postgres: Postgres) -> Iterator[psycopg.Connection]:
    with psycopg.connect(libpq(postgres.url(OWNER, "postgres")), autocommit=True) as connection:
        yield connection


@pytest.fixture(scope="session")
def template(postgres: Postgres, administrator: psycopg.Connection) -> str:
    administrator.execute("CREATE DATABASE migrated")
    migrate.upgrade(addresses(postgres, "migrated"))
    return "migrated"


@pytest.fixture(scope="session")
def made(postgres: Postgres, template: str) -> tuple[str, ...]:
    """Return what tells that a database is as it was made, except for its rows."""
    owner = Owner()
    made = owner.made(postgres.url(OWNER, template))
    owner.leave(postgres.url(OWNER, template))  # a database in use is no template
    return made


@pytest.fixture(scope="session")
def emptied() -> list[str]:
    """Return the databases that earlier tests have used and emptied."""
    return []


@pytest.fixture(scope="session")
def owner() -> Owner:
    return Owner()


@pytest.fixture
def settings(
    request: pytest.FixtureRequest,
    postgres: Postgres,
    administrator: psycopg.Connection,
    template: str,
    emptied: list[str],
    owner: Owner,
    made: tuple[str, ...],
) -> Iterator[Settings]:
    if emptied:
        name = emptied.pop()
    else:
        name = f"test_{next(numbers)}"
        administrator.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
    yield addresses(postgres, name)
    if "sql" in request.fixturenames and owner.made(postgres.url(OWNER, name)) != made:
        owner.leave(postgres.url(OWNER, name))
        administrator.execute(f"DROP DATABASE {name} WITH (FORCE)")
    else:
        owner.empty(postgres.url(OWNER, name))
        emptied.append(name)


@pytest.fixture
def sql(settings: Settings) -> Iterator[psycopg.Connection]:
    with psycopg.connect(libpq(settings.owner_database_url), autocommit=True) as connection:
        yield connection


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    witnesses = " ".join(VKEYS)
    with free_directory() as directory, serve(directory, WITNESSES=witnesses) as running:
        yield running


@pytest.fixture
def data_dir() -> Iterator[Path]:
    """Return the path for a data directory that does not exist yet."""
    with tempfile.TemporaryDirectory(prefix="card-referee-test-") as parent:
        Path(parent).chmod(0o711)
        yield Path(parent) / "data"


@pytest.fixture
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rotate keys without time for other processes to notice it, as there are none."""
    monkeypatch.setattr(encryption_keys, "PAUSE", 0.0)


def pytest_collection_finish() -> None:
    """Leave what was collected out of all later collections of garbage, which would walk through it again."""
    gc.collect()
    gc.freeze()
