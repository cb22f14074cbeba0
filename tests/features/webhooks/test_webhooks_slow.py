"""Webhooks with very many deliveries: changing them may take longer than a request usually has."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import psycopg
import pytest

from api.app import create_app
from api.core.config import Settings
from tests.support.callers import Caller, Clock, new_game

SLOW = """
    CREATE FUNCTION take_long() RETURNS trigger LANGUAGE plpgsql AS
        $$BEGIN PERFORM pg_sleep(2.1); RETURN NULL; END$$;
    CREATE TRIGGER slow AFTER UPDATE OR DELETE ON outbox EXECUTE FUNCTION take_long();
"""


@pytest.fixture
def hurried(settings: Settings, clock: Clock, host: Caller) -> Iterator[Caller]:
    """Return the app at a web process that allows the database two seconds."""
    app = create_app(replace(settings, database_timeout=2), clock=clock)
    yield replace(host, app=app)
    app.extensions["card_referee"].database.close()


@pytest.mark.long
def test_a_webhook_with_a_million_deliveries_can_be_disabled_and_deleted(
    hurried: Caller, four: list[Caller], worker: Callable[[], None], sql: psycopg.Connection
) -> None:
    hook = "/v1/webhooks/" + hurried.post("/v1/webhooks", {"url": "https://example.org/a"}).json["id"]
    new_game(hurried, four[:2])
    worker()  # queues the deliveries
    sql.execute(SLOW)
    try:
        assert hurried("PATCH", hook, {"enabled": False}).status_code == 200
        assert hurried.delete(hook).status_code == 204
    finally:
        sql.execute("DROP FUNCTION take_long CASCADE")
