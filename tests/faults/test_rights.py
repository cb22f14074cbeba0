"""What the service's roles can change in the database, and a restored backup that is served."""

from __future__ import annotations

from datetime import timedelta

import psycopg
import pytest
from sqlalchemy import create_engine, text

from api.callers import app_keys
from api.core.config import Settings, libpq
from api.run import migrate, rights
from api.run.embedded.postgres import SERVICE, WORKER
from api.run.rights import RIGHTS
from api.store.database.connections import APP_SETTING
from tests.servers.serving import run
from tests.support.stored import whole_tables

REFUSED = [
    "UPDATE games SET seed = '\\x00'",
    "UPDATE games SET app_id = id",
    "UPDATE games SET ruleset = 'pies', options = '{}'",
    "UPDATE games SET visibility = 'public'",
    "DELETE FROM games",
    "UPDATE credentials SET scopes = '{audit}'",
    "UPDATE credentials SET hash = '\\x00'",
    "UPDATE credentials SET player_id = id",
    "UPDATE credentials SET app_id = id",
    "DELETE FROM credentials",
    "DELETE FROM apps",
    "UPDATE players SET app_id = id",
    "DELETE FROM players",
    "UPDATE entries SET hash = '\\x00'",
    "UPDATE game_seats SET game_id = game_id",
    "UPDATE turns SET game_id = game_id",
    "UPDATE webhooks SET app_id = id",
    "UPDATE outbox SET payload = '{}'",
    "UPDATE imports SET fingerprint = '\\x00'",
    "TRUNCATE entries",
    "TRUNCATE idempotency",
]


@pytest.mark.parametrize("statement", REFUSED)
@pytest.mark.parametrize("role", [SERVICE, WORKER])
def test_immutable_columns_cannot_be_changed(settings: Settings, role: str, statement: str) -> None:
    address = settings.database_url if role == SERVICE else settings.worker_database_url
    with (
        psycopg.connect(libpq(address), autocommit=True) as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        connection.execute(statement)


@pytest.mark.parametrize(
    "change",
    [
        "revoked_at = NULL",
        "revoked_at = now() + interval '1 day'",
        "expires_at = NULL",
        "expires_at = expires_at + interval '1 second'",
    ],
)
def test_the_life_of_a_key_cannot_be_extended(settings: Settings, change: str) -> None:
    """This includes anyone who has obtained the service's own address."""
    engine = create_engine(settings.owner_database_url)
    with engine.begin() as connection:
        app_keys.create_app_key(connection, "host", ["read"], timedelta(days=1))
        connection.execute(text("UPDATE credentials SET revoked_at = now()"))
        app = connection.execute(text("SELECT app_id FROM credentials")).scalar_one()
    engine.dispose()
    with psycopg.connect(libpq(settings.database_url), autocommit=True) as service:
        service.execute("SELECT set_config(%s, %s, false)", (APP_SETTING, str(app)))
        assert service.execute("UPDATE credentials SET expires_at = now()").rowcount == 1
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            service.execute(f"UPDATE credentials SET {change}")


def test_the_worker_does_not_even_read_tokens(settings: Settings) -> None:
    with (
        psycopg.connect(libpq(settings.worker_database_url)) as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        connection.execute("SELECT hash FROM credentials")


def test_rights_are_declared_for_every_table(sql: psycopg.Connection) -> None:
    tables = whole_tables(sql)
    assert tables == RIGHTS.keys(), "declare in api/rights.py who may do what with it"


def granted(sql: psycopg.Connection) -> set[tuple[str, ...]]:
    return {
        *sql.execute(
            "SELECT table_name, '', grantee, privilege_type FROM information_schema.table_privileges"
            " WHERE grantee LIKE 'card_referee_%'"
        ),
        *sql.execute(
            "SELECT table_name, column_name, grantee, privilege_type"
            " FROM information_schema.column_privileges"
            " WHERE grantee LIKE 'card_referee_%'"
        ),
    }


def test_migrate_restores_lost_privileges_and_revokes_excess_ones(
    settings: Settings, sql: psycopg.Connection
) -> None:
    before = granted(sql)
    assert before
    for role in (SERVICE, WORKER):
        sql.execute(f"REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {role}")
        sql.execute(f"GRANT DELETE ON games TO {role}")
    migrate.upgrade(settings)
    assert granted(sql) == before


@pytest.mark.parametrize(
    ("command", "change", "message"),
    [
        ("web", "GRANT UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {role}", "DELETE on alembic_version"),
        ("worker", "GRANT UPDATE (seed) ON games TO {role}", "UPDATE of games.seed"),
        ("web", "REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {role}", "no SELECT on alembic_version"),
    ],
)
def test_the_service_does_not_start_with_other_privileges(
    settings: Settings, sql: psycopg.Connection, command: str, change: str, message: str
) -> None:
    """The default privileges of its new database may apply to a restored backup."""
    role = SERVICE if command == "web" else WORKER
    sql.execute(change.format(role=role))
    addresses = {
        "DATABASE_URL": libpq(settings.database_url),
        "WORKER_DATABASE_URL": libpq(settings.worker_database_url),
        "ENCRYPTION_KEYS": settings.encryption_keys[0],
    }
    refused = run(command, *(("--port", "0") if command == "web" else ()), **addresses)
    assert refused.returncode == 1, refused.stderr
    assert message in refused.stderr
    assert "referee-api migrate" in refused.stderr
    assert "Traceback" not in refused.stderr
    migrate.upgrade(settings)
    rights.require(settings.database_url)
    rights.require(settings.worker_database_url)


def test_the_owner_may_serve_too(settings: Settings) -> None:
    rights.require(settings.owner_database_url)
