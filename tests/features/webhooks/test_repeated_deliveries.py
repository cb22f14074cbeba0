"""Deliveries that are sent again on request: they stay delivered, whatever happens to the repetition."""

from __future__ import annotations

import asyncio
from datetime import datetime

from api.context import Context
from api.features.webhooks.deliveries import slots
from tests.servers.receiver import Receiver
from tests.support.callers import Caller, Clock
from tests.support.webhooks import Other, hook, listed, receiver, settings, work

__all__ = ["receiver", "settings"]  # fixtures


def test_a_delivery_stays_delivered_when_its_repetition_is_skipped(
    host: Caller, receiver: Receiver, context: Context, clock: Clock
) -> None:
    webhook = hook(host, receiver)
    path = f"/v1/webhooks/{webhook['id']}/deliveries"
    made = host.post(f"/v1/webhooks/{webhook['id']}/test").json
    sent = f"{path}/{made['id']}"
    work(context)
    delivered = host.get(sent).json
    assert delivered["status"] == "delivered"
    clock.move(minutes=1)
    receiver.behave = lambda n: 503
    for failures in (0, 1):  # skipped before the repetition was attempted, and after it failed once
        again = host.post(f"{sent}/retry").json
        assert (again["status"], again["delivered_at"]) == ("pending", delivered["delivered_at"])
        if failures:
            work(context)
            assert host.get(sent).json["delivered_at"] == delivered["delivered_at"]
        skipped = host.post(f"{sent}/skip").json
        assert skipped == host.get(sent).json
        assert (skipped["status"], skipped["delivered_at"]) == ("delivered", delivered["delivered_at"])
        assert len(skipped["attempts"]) == 1 + failures
    assert host.get(f"{path}?status=skipped").json["items"] == []
    assert host.post(f"/v1/webhooks/{webhook['id']}/retry-missed").json == {"queued": 0}


def test_a_repetition_that_fails_for_good_is_missed_like_any_other(
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
    assert host.post(f"{path}/retry-missed").json == {"queued": 1}
    while (delivery := listed(host, webhook)[0])["next_at"] is not None:
        clock.time = datetime.fromisoformat(delivery["next_at"])
        work(context)
    assert (delivery["status"], delivery["delivered_at"]) == ("failed", None)


def test_a_repetition_that_succeeds_after_it_was_skipped_is_recorded(
    host: Caller, receiver: Receiver, context: Context, clock: Clock
) -> None:
    webhook, other = hook(host, receiver), Other()
    made = host.post(f"/v1/webhooks/{webhook['id']}/test").json
    work(context)
    path = f"/v1/webhooks/{webhook['id']}/deliveries/{made['id']}"
    before = host.get(path).json["delivered_at"]
    clock.move(minutes=1)
    for status, attempts in ((500, 2), (204, 3)):
        host.post(f"{path}/retry")
        ours = other.through(context)
        [run] = ours.claim(context, slots(1000))
        host.post(f"{path}/skip")
        other.status = lambda game, version, status=status: status  # type: ignore[misc]
        ours.note(context, [asyncio.run(ours.send(run))])
        delivery = host.get(path).json
        assert (delivery["status"], len(delivery["attempts"])) == ("delivered", attempts)
        assert (delivery["delivered_at"] == before) == (status == 500)
