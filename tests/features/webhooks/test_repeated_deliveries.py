"""Deliveries that are sent again on request."""

from __future__ import annotations

from datetime import datetime

from api.context import Context
from tests.servers.receiver import Receiver
from tests.support.callers import Caller, Clock
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
