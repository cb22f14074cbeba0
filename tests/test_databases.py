"""The tests' own pools: connections go from one test to the next, and nothing else does."""

from __future__ import annotations

from uuid import uuid4

from api.core.config import Settings
from api.store.database.session import Database, Session

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
