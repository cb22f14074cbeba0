"""Webhooks: signed, in order, repeated, listed with their outcome, and never sent to internal addresses."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from flask import Flask
from standardwebhooks.webhooks import Webhook as Verifier
from standardwebhooks.webhooks import WebhookVerificationError

from api.context import Context
from api.core.config import Settings, libpq
from api.features.notices import client
from api.features.notices.client import Client
from api.features.notices.outbox import KEPT_ATTEMPTS
from api.features.notices.projection import announce_all
from api.features.webhooks.deliveries import Run, Webhooks, slots
from tests.servers.receiver import HANGS, Receiver
from tests.support.callers import Caller, Clock, new_game
from tests.support.webhooks import PACE, hook, listed, move, work
from tests.support.webhooks import receiver as receiver
from tests.support.webhooks import settings as settings


def claim(context: Context, room: int = 1000) -> list[Run]:
    """Claim deliveries as a worker that then disappears."""
    announce_all(context)
    channel = Webhooks(lambda: Client(context.settings, 1), context.now)
    return list(channel.claim(context, slots(room)))


def types(receiver: Receiver) -> list[str]:
    return [event["type"] for event in receiver.events(once=False)]


def test_a_webhook_gets_notices_of_a_game_from_start_to_end(
    host: Caller, four: list[Caller], receiver: Receiver, context: Context, clock: Clock
) -> None:
    hook(host, receiver)
    game = new_game(host, four[:2], pace=PACE)
    seat = game["to_act"][0]
    game = move(four, game)
    other = game["to_act"][0]
    four[0].post(f"/v1/games/{game['id']}/messages", {"text": "secret words"})
    work(context)
    clock.move(hours=60)
    work(context)
    work(context)
    clock.move(hours=12)
    work(context)
    events = receiver.events(once=False)
    assert [event["type"] for event in events] == [
        "game.created",
        "game.joined",
        "game.joined",
        "game.started",
        "turn.began",
        "turn.began",
        "game.said",
        "turn.warning",
        "game.timed_out",
        "game.finished",
    ]
    began = [event["data"] for event in events if event["type"] == "turn.began"]
    assert began[0] == {
        "game": game["id"],
        "version": game["version"] - 1,
        "seat": seat,
        "player": four[seat].player,
        "deadline": "2026-03-04T12:00:00.000000Z",
        "ruleset": game["ruleset"],
        "title": None,
        "external_id": None,
        "metadata": {},
    }
    assert (began[1]["seat"], began[1]["player"]) == (other, four[other].player)
    assert [event["data"]["seat"] for event in events[7:9]] == [other, other]
    sent = json.dumps(events)
    assert "secret words" not in sent
    assert not [event for event in events if not set(event["data"]) <= {*began[0], "result"}]
    assert events[-1]["data"]["result"] == host.get(f"/v1/games/{game['id']}").json["result"]


def test_signatures_are_those_of_standard_webhooks_and_two_while_a_secret_is_replaced(
    host: Caller, receiver: Receiver, context: Context, clock: Clock
) -> None:
    clock.time = datetime.now(UTC)  # the library refuses old signatures
    old = hook(host, receiver)
    path = f"/v1/webhooks/{old['id']}"
    host.post(f"{path}/test")
    work(context)
    new = host.post(f"{path}/secret", {"overlap": "PT1M"}).json
    assert old["secret"] != new["secret"]
    host.post(f"{path}/test")
    work(context)
    clock.move(minutes=1)
    host.post(f"{path}/test")
    work(context)
    before, during, after = receiver.requests

    def good(request: dict[str, Any], secret: str) -> bool:
        try:
            Verifier(secret).verify(request["data"], request["headers"])
        except WebhookVerificationError:
            return False
        return True

    assert [good(request, old["secret"]) for request in (before, during, after)] == [True, True, False]
    assert [good(request, new["secret"]) for request in (before, during, after)] == [False, True, True]
    assert "secret" not in host.get(path).json
    assert old["secret"] not in host.get("/v1/webhooks").text


def test_a_failed_delivery_is_retried_for_more_than_a_day_with_growing_pauses(
    host: Caller, receiver: Receiver, context: Context, clock: Clock
) -> None:
    receiver.behave = lambda n: 500
    webhook = hook(host, receiver)
    host.post(f"/v1/webhooks/{webhook['id']}/test")
    begun, tries = clock.time, []
    while True:
        work(context)
        [delivery] = listed(host, webhook)
        if delivery["status"] != "pending":
            break
        tries.append(datetime.fromisoformat(delivery["next_at"]) - clock.time)
        clock.time = datetime.fromisoformat(delivery["next_at"])
    assert clock.time - begun > timedelta(hours=24)
    assert tries == sorted(tries)
    assert len(set(tries)) > 20
    assert tries[-1] == timedelta(hours=1)
    assert delivery["status"] == "failed"
    assert len(receiver.requests) == len(tries) + 1
    assert len(delivery["attempts"]) == KEPT_ATTEMPTS
    assert len({request["headers"]["webhook-id"] for request in receiver.requests}) == 1
    assert len({request["headers"]["webhook-timestamp"] for request in receiver.requests}) > 5
    assert delivery["attempts"][0]["answer"] == {"status": 500, "body": "hello"}
    assert "webhook-signature" in delivery["attempts"][0]["request"]["headers"]
    receiver.behave = lambda n: 200
    retried = host.post(f"/v1/webhooks/{webhook['id']}/deliveries/{delivery['id']}/retry")
    assert (retried.status_code, retried.json["status"]) == (202, "pending")
    work(context)
    [delivery] = listed(host, webhook)
    assert delivery["status"] == "delivered"
    assert host.get(f"/v1/webhooks/{webhook['id']}").json["failing_since"] is None


def test_one_game_waits_for_its_first_notice_and_others_do_not(
    host: Caller, four: list[Caller], receiver: Receiver, context: Context, clock: Clock
) -> None:
    hook(host, receiver, events=["game.started", "game.said"])
    stuck, free = new_game(host, four[:2]), new_game(host, four[:2])
    receiver.behave = lambda n: 503 if receiver.requests[-1]["body"]["data"]["game"] == stuck["id"] else 204
    for n in range(3):
        for game in (stuck, free):
            four[0].post(f"/v1/games/{game['id']}/messages", {"text": str(n)})
    work(context)
    assert len(receiver.requests) == 1 + 4, "what is behind a refused notice waits"
    assert {event["data"]["game"] for event in receiver.events()} == {free["id"]}
    receiver.behave = lambda n: 204
    clock.move(seconds=4)
    work(context)
    assert len(receiver.received) == 4, "not before the pause is over"
    clock.move(seconds=1)
    work(context)
    for game in (stuck, free):
        versions = [e["data"]["version"] for e in receiver.events() if e["data"]["game"] == game["id"]]
        assert len(versions) == 4
        assert versions == sorted(versions)


def test_failing_for_long_disables_a_webhook(
    host: Caller, receiver: Receiver, context: Context, clock: Clock
) -> None:
    receiver.behave = lambda n: 500
    webhook = hook(host, receiver)
    path = f"/v1/webhooks/{webhook['id']}"
    for _ in range(6):
        assert host.get(path).json["enabled"] is True
        host.post(f"{path}/test")
        work(context)
        clock.move(hours=24)
    shown = host.get(path).json
    assert shown["enabled"] is False
    assert shown["disabled_at"] is not None
    assert {delivery["status"] for delivery in listed(host, webhook)} == {"failed"}
    assert host.post(f"{path}/test").status_code == 409
    receiver.behave = lambda n: 204
    assert host("PATCH", path, {"enabled": True}).json["failing_since"] is None
    host.post(f"{path}/test")
    work(context)
    assert listed(host, webhook)[0]["status"] == "delivered"


def test_410_gone_disables_a_webhook_at_once(host: Caller, receiver: Receiver, context: Context) -> None:
    receiver.behave = lambda n: 410
    webhook = hook(host, receiver)
    host.post(f"/v1/webhooks/{webhook['id']}/test")
    work(context)
    assert host.get(f"/v1/webhooks/{webhook['id']}").json["enabled"] is False


def test_a_redirect_is_not_followed(host: Caller, receiver: Receiver, context: Context) -> None:
    receiver.behave = lambda n: 307
    webhook = hook(host, receiver)
    host.post(f"/v1/webhooks/{webhook['id']}/test")
    work(context)
    assert [request["path"] for request in receiver.requests] == ["/in"]
    assert listed(host, webhook)[0]["attempts"][0]["answer"]["status"] == 307


def test_a_receiver_that_does_not_answer_is_abandoned_for_now(
    host: Caller, receiver: Receiver, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "TIMEOUT", 0.3)
    receiver.behave = lambda n: HANGS
    webhook = hook(host, receiver)
    host.post(f"/v1/webhooks/{webhook['id']}/test")
    work(context)
    [delivery] = listed(host, webhook)
    [attempt] = delivery["attempts"]
    assert attempt["answer"] is None
    assert attempt["error"].startswith("no answer within")
    assert delivery["status"] == "pending"


def test_two_workers_do_not_overtake_each_other_in_one_game(
    host: Caller, four: list[Caller], receiver: Receiver, context: Context
) -> None:
    hook(host, receiver, events=["game.started", "turn.began"])
    new_game(host, four[:2])
    [first] = claim(context)
    assert [delivery.event for delivery in first.deliveries] == ["game.started", "turn.began"]
    assert claim(context) == []


def test_a_claim_takes_no_more_than_can_be_sent(
    host: Caller, four: list[Caller], receiver: Receiver, context: Context
) -> None:
    for _ in range(3):
        hook(host, receiver, events=["game.started"])
    for _ in range(3):
        new_game(host, four[:2])
    announce_all(context)
    channel = Webhooks(lambda: Client(context.settings, 1), context.now)
    assert len(channel.claim(context, slots(1))) == 1
    assert len(channel.claim(context, slots(12))) == 3, "a quarter for one host"
    assert len(channel.claim(context, slots(1000))) == 5


def test_a_delivery_whose_worker_died_is_made_again_after_20_seconds(
    host: Caller, receiver: Receiver, context: Context, clock: Clock
) -> None:
    webhook = hook(host, receiver)
    host.post(f"/v1/webhooks/{webhook['id']}/test")
    assert len(claim(context)) == 1
    clock.move(seconds=19)
    work(context)
    assert not receiver.requests
    clock.move(seconds=1)
    work(context)
    assert types(receiver) == ["webhook.test"]


@pytest.mark.parametrize(
    "url",
    [
        "",
        "ftp://example.org",
        "https://",
        "https://user:word@example.org/",
        "https://example.org/#top",
        "x y",
    ],
)
def test_a_webhook_needs_an_http_address(host: Caller, url: str) -> None:
    refused = host.post("/v1/webhooks", {"url": url})
    assert (refused.status_code, list(refused.json["errors"])) == (400, ["url"])


def test_webhooks_belong_to_their_app(
    host: Caller, new_key: Callable[..., Caller], four: list[Caller], anyone: Caller, receiver: Receiver
) -> None:
    webhook = hook(host, receiver)
    path = f"/v1/webhooks/{webhook['id']}"
    stranger, reader = new_key("stranger", "read", "write"), new_key("host", "read")
    assert stranger.get("/v1/webhooks").json["items"] == []
    for method, place in (
        ("GET", path),
        ("DELETE", path),
        ("GET", f"{path}/deliveries"),
        ("POST", f"{path}/test"),
        ("POST", f"{path}/secret"),
    ):
        assert stranger(method, place).status_code == 404
        assert four[0](method, place).status_code == 403
        assert anyone(method, place).status_code == 401
    assert reader.get(path).status_code == 200
    assert reader.delete(path).status_code == 403
    assert host("PATCH", path, {"events": ["turn.began"]}).json["events"] == ["turn.began"]
    assert host.delete(path).status_code == 204
    assert host.get(path).status_code == 404


def test_workers_are_woken_after_the_commit_and_not_in_the_transaction(
    host: Caller,
    four: list[Caller],
    receiver: Receiver,
    app: Flask,
    sql: psycopg.Connection,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Notifying inside a transaction would serialize all commits of the server."""
    hook(host, receiver)
    sql.execute("LISTEN deliveries")
    publisher = app.extensions["card_referee"].database.publisher
    with monkeypatch.context() as silent:
        silent.setattr(publisher, "publish", lambda pending: None, raising=False)
        new_game(host, four[:2])
        sql.execute("NOTIFY deliveries, 'ours'")
        assert [notice.payload for notice in sql.notifies(timeout=90, stop_after=1)] == ["ours"]
    new_game(host, four[:2])
    app_id = host.get("/v1/me").json["app"]["id"]
    assert [notice.payload for notice in sql.notifies(timeout=90, stop_after=1)] == [app_id]


def test_an_entry_is_announced_once_or_not_at_all(
    host: Caller, four: list[Caller], receiver: Receiver, context: Context, sql: psycopg.Connection
) -> None:
    """Its notices and the position up to which the log was read are stored together."""
    webhook = hook(host, receiver, events=["game.started", "turn.began"])
    sql.execute("ALTER TABLE outbox ADD CONSTRAINT never CHECK (event <> 'turn.began') NOT VALID")
    move(four, new_game(host, four[:2]))
    announce_all(context)
    assert listed(host, webhook) == []
    sql.execute("ALTER TABLE outbox DROP CONSTRAINT never")
    for _ in range(2):
        announce_all(context)
        queued = [each["event"] for each in listed(host, webhook)]
        assert queued == ["turn.began", "turn.began", "game.started"]


def test_deleting_a_webhook_meanwhile_does_not_prevent_notices(
    host: Caller,
    four: list[Caller],
    receiver: Receiver,
    context: Context,
    sql: psycopg.Connection,
    settings: Settings,
) -> None:
    gone, stays = hook(host, receiver), hook(host, receiver, events=["game.started"])
    new_game(host, four[:2])
    with ThreadPoolExecutor() as pool, psycopg.connect(libpq(settings.owner_database_url)) as other:
        other.execute("DELETE FROM webhooks WHERE id = %s", (gone["id"],))
        announced = pool.submit(announce_all, context)
        waits = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
        while not announced.done() and sql.execute(waits).fetchone() is None:
            time.sleep(0.05)
        other.commit()
        announced.result(60)
    assert [each["event"] for each in listed(host, stays)] == ["game.started"]


def test_an_app_has_a_limited_number_of_webhooks(
    host: Caller, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.features.webhooks.webhooks.MOST", 1)
    kept = hook(host, receiver)
    refused = host.post("/v1/webhooks", {"url": receiver.url})
    assert (refused.status_code, refused.json["type"]) == (409, "/problems/conflict")
    assert host.delete(f"/v1/webhooks/{kept['id']}").status_code == 204
    hook(host, receiver)
