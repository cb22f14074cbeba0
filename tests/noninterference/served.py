"""Two worlds for pairs, on databases that are copies of one, and every table at which pairs are played."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import psycopg

import referee
from api.core.config import Settings, libpq
from api.run import migrate
from api.run.embedded.postgres import Postgres, supervise
from api.run.embedded.roles import OWNER
from referee.engine.registry import register
from tests.noninterference.worlds import World, scripted
from tests.referee.tables import Table, tables
from tests.servers.serving import free_directory
from tests.support.databases import addresses

PACKAGE = Path(__file__).parents[1] / "packages" / "high-card"


def offer_external() -> str:
    """Register the ruleset of a package that is not installed; return its id."""
    if not referee.versions("high_card"):
        sys.path.append(str(PACKAGE))
        import high_card  # type: ignore[import-not-found]

        register(high_card)
    return "high_card"


def every_table() -> list[Table]:
    """Return tables of all nine games and of an external ruleset."""
    offer_external()
    return [table for table in tables() if table.seats > 1]


def _settings(postgres: Postgres, name: str) -> Settings:
    found = addresses(postgres, name)
    limits = {"rate_limit": None, "address_rate_limit": None, "guest_rate_limit": None}
    return replace(found, allow_private_webhooks=True, webhook_ports=None, **limits)


@contextmanager
def two_worlds() -> Iterator[tuple[World, World]]:
    """Run two worlds."""
    with free_directory() as directory, supervise(directory) as postgres, scripted():
        assert postgres is not None
        with psycopg.connect(libpq(postgres.url(OWNER, "postgres")), autocommit=True) as administrator:
            administrator.execute("CREATE DATABASE one")
            migrate.upgrade(addresses(postgres, "one"))
            administrator.execute("CREATE DATABASE other TEMPLATE one")
        worlds = (World(_settings(postgres, "one")), World(_settings(postgres, "other")))
        try:
            yield worlds
        finally:
            for world in worlds:
                world.close()
