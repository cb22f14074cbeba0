"""Deliveries that are sent again on request, and webhooks with very many of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime

import psycopg
import pytest

from api.app import create_app
from api.context import Context
from api.core.config import Settings
from tests.servers.receiver import Receiver
from tests.support.callers import Caller, Clock, new_game
from tests.support.webhooks import hook, listed, receiver, settings, work

__all__ = ["receiver", "settings"]  # fixtures


def test_a_delivery_keeps_its_time_while_its_repetition_fails(
    host: Caller, receiver: Receiver, context: Context, clock: Clock
) -> None:
    webhook = hook(host, receiver)
    made = host.post(f"/v1/webhooks/{webhook['id']}/test").json
    sent = f"/v1/webhooks/{webhook['id']}/deliveries/{made['id']}"
    work(context)
    delivered = host.get(sent).json
    assert delivered["status"] == "delivered"
    clock.move(minutes=1)
    receiver.behave = lambda n: 503
    again = host.post(f"{sent}/retry").json
    assert (again["status"], again["delivered_at"]) == ("pending", delivered["delivered_at"])
    work(context)
    failed = host.get(sent).json
    assert (failed["delivered_at"], len(failed["attempts"])) == (delivered["delivered_at"], 2)


def test_a_repetition_that_fails_for_good_has_failed_like_any_other(
    host: Caller, receiver: Receiver, context: Context, clock: Clock
) -> None:
    webhook = hook(host, receiver)
    path = f"/v1/webhooks/{webhook['id']}"
    made = host.post(f"{path}/test").json
    work(context)
    host.post(f"{path}/deliveries/{made['id']}/retry")
    assert host("PATCH", path, {"enabled": False}).status_code == 200  # this ends the attempts
    [given_up] = listed(host, webhook)
    assert (given_up["status"], given_up["delivered_at"]) == ("failed", None)
    host("PATCH", path, {"enabled": True})
    receiver.behave = lambda n: 503
    assert host.post(f"{path}/deliveries/{made['id']}/retry").status_code == 202
    while (delivery := listed(host, webhook)[0])["next_at"] is not None:
        clock.time = datetime.fromisoformat(delivery["next_at"])
        work(context)
    assert (delivery["status"], delivery["delivered_at"]) == ("failed", None)


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
