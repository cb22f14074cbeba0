"""The tests' own pools: connections go from one test to the next, and nothing else does."""

from __future__ import annotations

from uuid import uuid4

import psycopg
import pytest

from api.core.config import Settings
from api.store.database.session import Database, Session
from tests.support.databases import Owner

STATE = """
    SELECT nullif(current_setting('card_referee.app', true), ''), current_setting('enable_seqscan'),
        current_setting('TimeZone'), to_regclass('pg_temp.left_behind'),
        (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid())
"""
LEAVE = """
    SET enable_seqscan = off; SET TimeZone = 'Asia/Tokyo'; CREATE TEMP TABLE left_behind (n int);
    LISTEN anything; SELECT pg_advisory_lock(1)
"""


def test_a_connection_is_used_again_as_if_it_were_new(settings: Settings) -> None:
    processes, apps = [], [uuid4(), None]
    for app in apps:
        database = Database(settings)
        session = Session(database, app)
        processes.append(session.connection.info.backend_pid)
        assert session.execute(STATE).fetchone() == (str(app) if app else None, "on", "UTC", None, 0)
        assert session.execute("SELECT pg_listening_channels()").fetchone() is None
        session.execute(LEAVE)
        session.close()
        database.close()
    assert len({*processes}) == 1, "otherwise this proves nothing"


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE entries DISABLE TRIGGER append_only",
        "ALTER TABLE outbox ADD CONSTRAINT never CHECK (event <> 'turn.began') NOT VALID",
        "ALTER TABLE games ALTER pace SET NOT NULL",
        "ALTER POLICY change ON games USING (true)",
        "CREATE INDEX more ON games (status)",
        "CREATE SCHEMA split",
        "DROP INDEX games_by_end",
        "REVOKE EXECUTE ON FUNCTION token_holder FROM card_referee_app",
        "REVOKE SELECT ON games FROM card_referee_app",
        "UPDATE installation SET secret = secret || 'x'",
        "INSERT INTO apps (id, name, created_at) VALUES (gen_random_uuid(), 'a', now()); ANALYZE apps",
    ],
)
def test_a_database_that_a_test_changes_is_not_used_again(
    settings: Settings, sql: psycopg.Connection, owner: Owner, change: str
) -> None:
    made = owner.made(settings.owner_database_url)
    sql.execute("INSERT INTO apps (id, name, created_at) VALUES (gen_random_uuid(), 'b', now())")
    assert owner.made(settings.owner_database_url) == made, "rows alone are deleted"
    sql.execute(change)
    assert owner.made(settings.owner_database_url) != made
