"""Webhooks that the tests' receiver gets, and the work of a worker that sends them."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, cast

import pytest

from api.context import Context
from api.core.config import Settings
from api.features import load_features
from api.features.notices.client import Client
from api.features.notices.dispatch import Dispatcher
from api.features.notices.outbound import Reply
from api.features.webhooks.deliveries import Run, Sent, Webhooks, dispatcher
from api.store.database.session import Database, Session
from tests.servers.receiver import Receiver, deliver, receiving
from tests.support.callers import Caller, first_move
from tests.support.due_jobs import keep_time


class Other:
    """A receiver that answers `status` after a moment; `most` is the highest number of requests at once."""

    def __init__(self) -> None:
        self.status: Callable[[str, int], int] = lambda game, version: 204
        self.received: list[tuple[str, int]] = []
        self.under_way = self.most = 0

    async def post(self, url: str, headers: dict[str, str], body: bytes) -> Reply:
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        await asyncio.sleep(0.01)
        self.under_way -= 1
        data = json.loads(body)["data"]
        answer = Reply(self.status(data.get("game"), data.get("version")), "")
        if answer.good:
            self.received.append((data.get("game"), data.get("version")))
        return answer

    async def close(self) -> None:
        pass

    def through(self, context: Context) -> Webhooks:
        return Webhooks(lambda: cast("Client", self), context.now)


PACE = {"per_move": "PT72H", "on_timeout": "resign", "warn_before": "PT12H"}


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """Return settings that permit webhooks to internal addresses, where the tests' receiver listens."""
    return replace(settings, allow_private_webhooks=True, webhook_ports=None)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as running:
        yield running


@contextmanager
def dispatching(context: Context, channel: Webhooks) -> Iterator[Dispatcher[Run, Sent]]:
    """Run a worker's dispatcher, at the test's time."""

    @contextmanager
    def job() -> Iterator[Context]:
        session = Session(database)
        try:
            yield Context(context.settings, session, load_features().hooks, context.now)
        finally:
            session.close()

    database = Database(context.settings.for_worker())
    sending = dispatcher(lambda: channel, job)
    thread = threading.Thread(target=sending.run)
    thread.start()
    try:
        yield sending
    finally:
        sending.stop()
        thread.join()
        database.close()


def work(context: Context) -> None:
    """Do everything due, as one worker that sends one batch after another."""
    keep_time(context)
    deliver(context)


def hook(host: Caller, receiver: Receiver, **more: Any) -> dict[str, Any]:
    made = host.post("/v1/webhooks", {"url": receiver.url + "/in", **more})
    assert made.status_code == 201, made.text
    found: dict[str, Any] = made.json
    return found


def listed(host: Caller, webhook: dict[str, Any]) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = host.get(f"/v1/webhooks/{webhook['id']}/deliveries?limit=200").json["items"]
    return items


def move(players: list[Caller], game: dict[str, Any]) -> dict[str, Any]:
    mover = players[game["to_act"][0]]
    done = mover.post(f"/v1/games/{game['id']}/moves", {"move": first_move(mover, game)})
    assert done.status_code == 201, done.text
    found: dict[str, Any] = done.json["game"]
    return found
