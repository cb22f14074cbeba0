"""Measure moves per second on a Citus cluster, and on one plain PostgreSQL of the same machine, in turns.

Both have two web processes. `make citus` runs this; `ratio` is the cluster's rate to the plain one's.

    CITUS_URL=… python -m bench.citus [ROUNDS]
"""

from __future__ import annotations

import os
import statistics
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from api.core.config import Settings, libpq
from bench.append import stocked
from bench.http import load, served
from bench.http.served import Api
from tests.servers.serving import free_directory, run, serve
from tests.support.databases import KEY

CLIENTS = (1, 8)
SECONDS = 3.0
GAMES = 20.0  # a second and client, at most
RULESET, SEATS = "cats_and_dogs", 3


@contextmanager
def cluster(url: str) -> Iterator[Api]:
    """Serve the API on the cluster."""
    limits = dict.fromkeys(("RATE_LIMIT", "ADDRESS_RATE_LIMIT"), served.LIMIT)
    addresses = {"DATABASE_URL": url, "ENCRYPTION_KEYS": KEY, "WORKERS": served.WORKERS, **limits}
    settings = Settings(database_url=url, owner_database_url=url, encryption_keys=(KEY,))
    with free_directory() as directory, serve(directory, **addresses) as server:
        flags = ("--scope", "read", "--scope", "write")
        key = run("keys", "create", "bench", *flags, **addresses).stdout.splitlines()[-1]
        with psycopg.connect(libpq(url), autocommit=True) as sql:
            yield Api(server.url, key, settings, {}, sql)


def main() -> None:
    """Measure, and print a line for each number of clients."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    with served.api() as plain, cluster(os.environ["CITUS_URL"]) as citus:
        apis = {"plain": (plain, plain.players(SEATS)), "citus": (citus, citus.players(SEATS))}
        print(f"{'clients':>7} {'plain/s':>8} {'citus/s':>8}  ratio")
        for clients in CLIENTS:
            rates: dict[str, list[float]] = {name: [] for name in apis}
            for _ in range(rounds):
                for name, (api, players) in apis.items():
                    stock = max(2, round(GAMES * SECONDS / clients))
                    moves = [stocked(api, players, stock) for _ in range(clients)]
                    rates[name].append(load.run(served.address(api.url), moves, SECONDS).rate)
            ratio = statistics.median(c / p for c, p in zip(rates["citus"], rates["plain"], strict=True))
            medians = [statistics.median(rates[name]) for name in apis]
            print(f"{clients:>7} {medians[0]:>8.0f} {medians[1]:>8.0f}   {ratio:.2f}", flush=True)


if __name__ == "__main__":
    main()
