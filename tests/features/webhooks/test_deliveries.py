"""Deliveries as workers make them: many at once, in order within a game, and none lost if a worker dies."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from api.context import Context
from api.features.notices import dispatch, outbox
from api.features.notices.projection import announce_all
from api.features.webhooks import deliveries
from api.features.webhooks.deliveries import Sent, slots
from api.store import removal
from tests.servers.receiver import Receiver, eventually
from tests.support.callers import Caller, Clock, new_game
from tests.support.webhooks import Other, dispatching, hook, listed, move, receiver, settings, work

__all__ = ["receiver", "settings"]  # fixtures


def test_many_are_sent_at_once_and_each_game_s_in_order(
    host: Caller, four: list[Caller], context: Context, receiver: Receiver
) -> None:
    other, webhook = Other(), hook(host, receiver, events=["game.joined", "game.moved"])
    games = [move(four, new_game(host, four[:2]))["id"] for _ in range(20)]
    announce_all(context)
    with dispatching(context, other.through(context)):
        assert eventually(lambda: len(other.received) == 20 * 3)
    assert other.most > 4
    for game in games:
        assert [version for of, version in other.received if of == game] == [2, 3, 5]
    assert {delivery["status"] for delivery in listed(host, webhook)} == {"delivered"}


@pytest.mark.parametrize("run", [1, 3])
def test_messages_and_turns_of_a_game_come_in_the_order_of_its_log(
    host: Caller,
    four: list[Caller],
    context: Context,
    receiver: Receiver,
    monkeypatch: pytest.MonkeyPatch,
    run: int,
) -> None:
    monkeypatch.setattr(deliveries, "RUN", run)
    hook(host, receiver, events=["turn.began", "game.said"])
    game = new_game(host, four[:2])
    for n in range(3):
        four[0].post(f"/v1/games/{game['id']}/messages", {"text": str(n)})
        game = move(four, game)
    announce_all(context)
    other = Other()
    other.status = lambda _, version: 503 if version == 7 else 204  # the second message
    channel = other.through(context)
    while runs := channel.claim(context, slots(1)):
        assert not channel.claim(context, slots(1000)), "nothing overtakes a run that is under way"
        channel.record(context, [asyncio.run(channel.send(run)) for run in runs])
    received = [version for _, version in other.received]
    assert received == [4, 5, 6], "nothing overtakes what is refused"


def test_a_delivery_that_was_made_before_keeps_nothing_newer_waiting(
    host: Caller, four: list[Caller], receiver: Receiver, context: Context
) -> None:
    webhook = hook(host, receiver)
    path = f"/v1/webhooks/{webhook['id']}/deliveries"
    game = new_game(host, four[:2])
    work(context)
    old = listed(host, webhook)[-1]
    receiver.behave = lambda n: 503 if receiver.requests[-1]["headers"]["webhook-id"] == old["id"] else 204
    assert host.post(f"{path}/{old['id']}/retry").json["status"] == "pending"
    move(four, game)
    work(context)
    newest = listed(host, webhook)[0]
    assert (newest["event"], newest["status"]) == ("turn.began", "delivered")
    assert listed(host, webhook)[-1]["status"] == "pending"


def test_a_retried_delivery_does_not_hold_back_those_behind_it(
    host: Caller,
    four: list[Caller],
    receiver: Receiver,
    context: Context,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(deliveries, "RUN", 1)  # otherwise those behind it would be sent with it
    webhook = hook(host, receiver)
    receiver.behave = lambda n: 503
    new_game(host, four[:2])
    for _ in range(4):  # the longest pause is half an hour
        work(context)
        clock.time = datetime.fromisoformat(listed(host, webhook)[-1]["next_at"])
    work(context)
    clock.move(seconds=1)
    receiver.behave = lambda n: 204
    first = listed(host, webhook)[-1]
    assert host.post(f"/v1/webhooks/{webhook['id']}/deliveries/{first['id']}/retry").status_code == 202
    work(context)
    assert {delivery["status"] for delivery in listed(host, webhook)} == {"delivered"}
    versions = [event["data"]["version"] for event in receiver.events()]
    assert versions == sorted(versions)


def test_a_worker_that_returns_late_does_not_overwrite_others_work(
    host: Caller, receiver: Receiver, context: Context, clock: Clock
) -> None:
    webhook = hook(host, receiver)
    host.post(f"/v1/webhooks/{webhook['id']}/test")
    other = Other()
    other.status = lambda game, version: 500
    slow = other.through(context)
    [run] = slow.claim(context, slots(1000))
    clock.move(seconds=20)
    work(context)
    slow.record(context, [asyncio.run(slow.send(run))])
    [delivery] = listed(host, webhook)
    assert (delivery["status"], len(delivery["attempts"])) == ("delivered", 1)


def test_a_delivery_received_while_its_webhook_is_disabled_is_not_failed(
    host: Caller, receiver: Receiver, context: Context
) -> None:
    webhook = hook(host, receiver)
    for _ in range(2):
        host.post(f"/v1/webhooks/{webhook['id']}/test")
    other = Other()
    ours = other.through(context)
    good, bad = ours.claim(context, slots(1000))
    assert host("PATCH", f"/v1/webhooks/{webhook['id']}", {"enabled": False}).status_code == 200
    sent = asyncio.run(ours.send(good))
    other.status = lambda game, version: 500
    ours.record(context, [sent, asyncio.run(ours.send(bad))])
    assert [delivery["status"] for delivery in listed(host, webhook)] == ["failed", "delivered"]


def test_a_delivery_that_cannot_be_marked_does_not_block_others(
    host: Caller, four: list[Caller], receiver: Receiver, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    webhook = hook(host, receiver, events=["game.started"])
    games = [new_game(host, four[:2])["id"] for _ in range(4)]
    announce_all(context)
    real, other = Sent.recorded, Other()

    def noted(sent: Sent, now: datetime) -> Any:
        if str(sent.run.deliveries[0].game_id) == games[1]:
            raise ValueError("broken")
        return real(sent, now)

    def done() -> list[str]:
        return [delivery["game"] for delivery in listed(host, webhook) if delivery["status"] == "delivered"]

    monkeypatch.setattr(Sent, "recorded", noted)
    monkeypatch.setattr(dispatch, "PAUSE", 0.3)  # so that two are marked together
    with dispatching(context, other.through(context)):
        assert eventually(lambda: len(done()) == 3)
    assert set(done()) == {games[0], games[2], games[3]}


def test_old_deliveries_are_deleted_some_at_a_time(
    host: Caller,
    receiver: Receiver,
    context: Context,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
    sql: psycopg.Connection,
) -> None:
    """Each statement is its own transaction, so deleted rows stay deleted if a later one fails."""
    monkeypatch.setattr(removal, "BATCH", 2)
    webhook = hook(host, receiver)
    for _ in range(5):
        host.post(f"/v1/webhooks/{webhook['id']}/test")
    work(context)
    clock.move(days=31)
    host.post(f"/v1/webhooks/{webhook['id']}/test")
    sql.execute(
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not this one'; END $$"
    )
    last = listed(host, webhook)[1]["id"]
    sql.execute(
        f"CREATE TRIGGER keep BEFORE DELETE ON outbox FOR EACH ROW WHEN (OLD.id = '{last}')"
        " EXECUTE FUNCTION refuse()"
    )
    context.settings, usual = replace(context.settings, delivery_days=32), context.settings
    assert outbox.prune(context) == 0
    context.settings = usual
    with pytest.raises(psycopg.errors.RaiseException):
        outbox.prune(context)
    assert [delivery["id"] for delivery in listed(host, webhook)[1:]] == [last]
    sql.execute("DROP TRIGGER keep ON outbox")
    assert outbox.prune(context) == 1
    assert [delivery["status"] for delivery in listed(host, webhook)] == ["pending"]


def test_deliveries_are_found_by_status_and_event(
    host: Caller, four: list[Caller], receiver: Receiver, context: Context, clock: Clock
) -> None:
    webhook = hook(host, receiver)
    path = f"/v1/webhooks/{webhook['id']}/deliveries"
    receiver.behave = lambda n: 503 if receiver.requests[-1]["body"]["type"] == "game.said" else 204
    game = new_game(host, four[:2])
    for text in ("one", "two"):
        four[0].post(f"/v1/games/{game['id']}/messages", {"text": text})
    work(context)

    def found(query: str) -> list[tuple[str, str]]:
        answer = host.get(f"{path}?{query}")
        assert answer.status_code == 200, answer.text
        return [(each["event"], each["status"]) for each in answer.json["items"]]

    assert found("status=pending") == [("game.said", "pending")] * 2
    assert found("status=pending&event=game.started") == []
    assert found("event=game.started") == [("game.started", "delivered")]
    assert {status for _, status in found("status=delivered")} == {"delivered"}
    assert len(found("status=delivered")) == 5
    assert found("status=failed") == []
    assert host.get(f"{path}?status=lost").status_code == 400
    assert host.get(f"{path}?event=lost").status_code == 400
    page = host.get(f"{path}?status=pending&limit=1").json
    rest = host.get(f"{path}?status=pending&limit=1&cursor={page['next']}").json
    assert len({each["id"] for each in page["items"] + rest["items"]}) == 2


def test_a_delivery_is_shown_as_in_the_list(
    host: Caller, four: list[Caller], receiver: Receiver, context: Context
) -> None:
    path = f"/v1/webhooks/{hook(host, receiver)['id']}/deliveries"
    new_game(host, four[:2])
    work(context)
    [newest, *_] = host.get(path).json["items"]
    assert host.get(f"{path}/{newest['id']}").json == newest
    assert host.get(f"{path}/{uuid4()}").status_code == 404
    assert four[0].get(f"{path}/{newest['id']}").status_code == 403


def test_what_is_missed_while_a_webhook_is_off_is_listed_and_can_be_sent(
    host: Caller, four: list[Caller], receiver: Receiver, context: Context, clock: Clock
) -> None:
    webhook = hook(host, receiver)
    path = f"/v1/webhooks/{webhook['id']}"
    new_game(host, four[:2])  # no longer attempted when the webhook is disabled
    announce_all(context)
    assert host("PATCH", path, {"enabled": False}).status_code == 200
    game = move(four, new_game(host, four[:2]))
    work(context)
    missed = listed(host, webhook)
    assert not receiver.requests
    assert {(each["status"], len(each["attempts"])) for each in missed} == {("failed", 0)}
    retry = f"{path}/deliveries/{missed[0]['id']}/retry"
    assert host.post(retry).status_code == 409
    host("PATCH", path, {"enabled": True})
    work(context)
    assert not receiver.requests, "nobody has requested it"
    assert host.post(retry).status_code == 202
    work(context)
    assert [event["data"]["game"] for event in receiver.events()] == [game["id"]]

    host("PATCH", path, {"enabled": False})
    clock.move(days=31)
    before = len(listed(host, webhook))
    new_game(host, four[:2])
    assert len(listed(host, webhook)) == before, "nothing is stored for an abandoned webhook"
