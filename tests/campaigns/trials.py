"""Try mutants of the service, each in a fork of a process that has imported everything, on one database.

    python -m tests.campaigns.trials NAMES RESULTS      (in mutmut's copy; started by `mutants.py`)

NAMES is a file with one mutant per line. A line of RESULTS contains a mutant, its outcome, and how many of
the tests that reach it were run: the fastest first, at most TESTS.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
from pathlib import Path
from typing import Any

import psycopg
import pytest
from mutmut.mutation.trampoline import set_mutant_under_test
from mutmut.utils.format_utils import mangled_name_from_mutant_name

from api.core.config import libpq
from api.run import migrate
from api.run.embedded.postgres import Postgres, supervise
from api.run.embedded.roles import OWNER
from tests.servers.serving import free_directory
from tests.support.databases import addresses

TESTS = 40
SECONDS = 60  # of processor time per mutant: one that needs more is in a loop
LONGEST = 600  # seconds by the clock
TEMPLATE = "migrated"
BECAME = {0: "survived", 1: "killed", 2: "killed", 3: "killed"}  # 2, 3: it breaks the basis of the tests


class OneServer:
    """A pytest plugin that gives tests a running server with the template in it."""

    def __init__(self, postgres: Postgres) -> None:
        self.given: dict[str, Any] = {"postgres": postgres, "template": TEMPLATE}

    @pytest.hookimpl(tryfirst=True)
    def pytest_fixture_setup(self, fixturedef: Any, request: Any) -> Any:
        value = self.given.get(fixturedef.argname)
        if value is not None:
            fixturedef.cached_result = (value, fixturedef.cache_key(request), None)
        return value


def drop_databases(postgres: Postgres) -> None:
    """Drop the databases that the tests of the last mutant left."""
    with psycopg.connect(libpq(postgres.url(OWNER, "postgres")), autocommit=True) as connection:
        names = connection.execute("SELECT datname FROM pg_database WHERE datname LIKE 'test%'").fetchall()
        for (name,) in names:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def run(tests: list[str], *more: str, plugin: OneServer | None = None) -> int:
    """Run tests in this process; return pytest's status."""
    words = ["-x", "-q", "--rootdir=.", "--tb=line", "-p", "no:cacheprovider", *more, *tests]
    return int(pytest.main(words, plugins=[plugin] if plugin else []))


def trial(name: str, tests: list[str], postgres: Postgres) -> str:
    """Run tests against a mutant in a fork; return its outcome."""
    child = os.fork()
    if child == 0:
        status = 70
        try:
            os.setsid()
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
            set_mutant_under_test(name)
            status = run(tests, plugin=OneServer(postgres))
        finally:
            os._exit(status)
    signal.signal(signal.SIGALRM, lambda *_: os.killpg(child, signal.SIGKILL))
    signal.alarm(LONGEST)
    _, ended = os.waitpid(child, 0)
    signal.alarm(0)
    status = os.waitstatus_to_exitcode(ended)
    return "timeout" if status < 0 else BECAME.get(status, f"status {status}")


def main() -> None:
    """Try the mutants of a file; record each outcome as soon as it is known."""
    names, results = Path(sys.argv[1]).read_text().split(), Path(sys.argv[2])
    stats = json.loads(Path("mutmut-stats.json").read_text())
    reached, took = stats["tests_by_mangled_function_name"], stats["duration_by_test"]
    chosen = {
        name: sorted(reached.get(mangled_name_from_mutant_name(name), []), key=lambda test: took[test])[
            :TESTS
        ]
        for name in names
    }
    set_mutant_under_test("")
    run(sorted({test.partition("::")[0] for tests in chosen.values() for test in tests}), "--collect-only")
    with free_directory() as directory, supervise(directory) as postgres:
        assert postgres is not None
        with psycopg.connect(libpq(postgres.url(OWNER, "postgres")), autocommit=True) as administrator:
            administrator.execute(f"CREATE DATABASE {TEMPLATE}")
        migrate.upgrade(addresses(postgres, TEMPLATE))
        every = sorted({test for tests in chosen.values() for test in tests}, key=lambda test: took[test])
        assert trial("", every[:5], postgres) == "survived", "tests fail without a mutant"
        for name in names:  # in the order drawn, so those tried at any moment are a sample too
            drop_databases(postgres)
            became = trial(name, chosen[name], postgres) if chosen[name] else "no tests"
            with results.open("a") as file:
                file.write(f"{name} {became} {len(chosen[name])}\n")


if __name__ == "__main__":
    main()
