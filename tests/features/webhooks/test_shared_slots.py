"""The slots of a worker for webhooks: an app, or a host, whose answers do not come delays nobody else."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from api.context import Context
from api.features.notices.outbound import Reply
from api.features.webhooks.deliveries import CONCURRENCY
from tests.servers.receiver import eventually
from tests.support.callers import Caller
from tests.support.webhooks import Other, dispatching, settings

__all__ = ["settings"]  # a fixture

WEBHOOKS, QUICK = 20, 600  # of an app, deliveries that are answered at once


class Hanging(Other):
    """A receiver that answers some requests to `hang` at once, and no further ones before it is released."""

    def __init__(self) -> None:
        super().__init__()
        self.answered = self.waiting = 0
        self.reached: set[str] = set()
        self.released = asyncio.Event()

    async def post(self, url: str, headers: dict[str, str], body: bytes) -> Reply:
        if "hang" in url:
            self.answered += 1
            if self.answered > QUICK:
                self.waiting += 1
                await self.released.wait()
        self.reached.add(url)
        return Reply(204, "")


def queue(context: Context, webhooks: list[str], number: int) -> None:
    """Queue as many deliveries for each of these webhooks."""
    context.session.execute(
        "INSERT INTO outbox (id, app_id, channel, receiver_id, event, payload, created_at, next_at)"
        " SELECT gen_random_uuid(), app_id, 'webhook', id, 'test', '{}', %s, %s"
        " FROM webhooks, generate_series(1, %s) WHERE id = ANY (%s::uuid[])",
        (context.now(), context.now(), number, webhooks),
    )


def webhook(app: Caller, url: str) -> str:
    made = app.post("/v1/webhooks", {"url": url})
    assert made.status_code == 201, made.text
    return str(made.json["id"])


@pytest.mark.beside("webhook slots", "receiver slots")
@pytest.mark.parametrize(("apps", "hosts"), [(1, WEBHOOKS), (6, 1)])
def test_receivers_that_stop_answering_delay_no_other_app(
    context: Context, new_key: Callable[..., Caller], apps: int, hosts: int
) -> None:
    loud = [new_key(f"loud {n}", "read", "write") for n in range(apps)]
    urls = [f"http://hang{n % hosts}.example.org/{n}" for n in range(WEBHOOKS)]
    hooks = [webhook(app, url) for app in loud for url in urls]
    innocent = webhook(new_key("other", "read", "write"), "http://innocent.example.org/")
    queue(context, hooks, 200)
    receiver = Hanging()
    with dispatching(context, receiver.through(context)) as dispatcher:
        try:
            assert eventually(lambda: receiver.waiting == CONCURRENCY // 4)
            queue(context, [innocent], 1)
            dispatcher.wake()
            assert eventually(lambda: "http://innocent.example.org/" in receiver.reached, 10)
            assert receiver.waiting == CONCURRENCY // 4
        finally:
            receiver.released.set()
