"""What the service's roles may change in the database, and that a restored backup serves again."""

from __future__ import annotations

import psycopg
import pytest

from api.core.config import Settings, libpq
from api.run import migrate
from api.run.embedded.postgres import SERVICE, WORKER
from api.run.rights import RIGHTS

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
    "UPDATE webhooks SET app_id = id",
    "UPDATE deliveries SET payload = '{}'",
    "UPDATE imports SET fingerprint = '\\x00'",
    "TRUNCATE entries",
    "TRUNCATE idempotency",
]


@pytest.mark.parametrize("statement", REFUSED)
@pytest.mark.parametrize("role", [SERVICE, WORKER])
def test_what_never_changes_cannot_be_changed(settings: Settings, role: str, statement: str) -> None:
    address = settings.database_url if role == SERVICE else settings.worker_database_url
    with (
        psycopg.connect(libpq(address), autocommit=True) as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        connection.execute(statement)


def test_the_worker_does_not_even_read_tokens(settings: Settings) -> None:
    with (
        psycopg.connect(libpq(settings.worker_database_url)) as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        connection.execute("SELECT hash FROM credentials")


def test_rights_are_declared_for_every_table(sql: psycopg.Connection) -> None:
    tables = {row[0] for row in sql.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")}
    assert tables == RIGHTS.keys(), "say in api/rights.py who may do what with it"


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


def test_migrate_gives_back_what_a_restored_backup_has_lost_and_takes_what_is_too_much(
    settings: Settings, sql: psycopg.Connection
) -> None:
    before = granted(sql)
    assert before
    for role in (SERVICE, WORKER):
        sql.execute(f"REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {role}")
        sql.execute(f"GRANT DELETE ON games TO {role}")
    migrate.upgrade(settings)
    assert granted(sql) == before
