"""Hosted databases often have one ordinary role, which owns the tables."""

from __future__ import annotations

import psycopg
import pytest
from sqlalchemy import create_engine, text

from api.core.config import Settings, StartError
from api.run import migrate
from api.run.embedded.postgres import Postgres, url
from api.store import watch


def test_an_owner_without_other_rights_may_migrate_and_serve(
    postgres: Postgres, administrator: psycopg.Connection
) -> None:
    """A schema that is up to date is not touched."""
    administrator.execute("CREATE ROLE tenant LOGIN PASSWORD 'rent'")
    administrator.execute("CREATE DATABASE tenants OWNER tenant")
    address = url(postgres.socket, "tenant", "rent", "tenants")
    settings = Settings(database_url=address, owner_database_url=address)
    migrate.upgrade(settings)
    migrate.upgrade(settings)
    with create_engine(address).connect() as connection:
        stands = connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one()
        assert stands == watch.newest()
        connection.execute(text("UPDATE alembic_version SET version_num = 'from-the-future'"))
        connection.commit()
    with pytest.raises(StartError, match="newer release"):
        migrate.upgrade(settings)
