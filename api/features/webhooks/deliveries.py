"""Delivers notices: signed, at least once, in order for each game, with growing pauses after failures.

Notices of a game are sent in runs: one after another, until one is not received.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import groupby
from typing import NamedTuple, Protocol
from uuid import UUID

from standardwebhooks.webhooks import Webhook as Signer

from api.context import Context
from api.core import metrics, tracing
from api.core.clock import utc_now
from api.core.json import Json, stored
from api.core.shares import Party, Resource
from api.feature import Contexts, Due
from api.features.notices import outbox, positions
from api.features.notices.dispatch import Dispatcher, Slots
from api.features.notices.outbound import Reply
from api.features.notices.outbox import Outgoing
from api.features.webhooks import queue
from api.features.webhooks import store as webhooks
from api.features.webhooks.store import Health, Webhook
from referee.clocks import timestamp

log = logging.getLogger("card_referee.jobs")

CONCURRENCY = 128  # runs that a worker sends at once
WEBHOOK_SLOTS = Resource(
    "webhook slots", "128 runs of a worker", "apps; their webhooks", "its deliveries wait", others=3
)
RECEIVER_SLOTS = Resource(
    "receiver slots", "the same 128 runs", "hosts that receive", "deliveries to the host wait", others=3
)
DUE = Due("deliveries", f"outbox WHERE channel = '{outbox.WEBHOOK}' AND next_at <= now()", "next_at")
CANDIDATES = 4  # for each free slot: some are of parties that have no room for all they want
LEASE = timedelta(seconds=20)  # after this time, a worker that took a run counts as dead
RUN = 20  # maximum deliveries of a game in one run
RUN_TIME = 3.0  # seconds after which a run starts no further delivery: the last one ends within the lease
DISABLED_AFTER = timedelta(days=5)  # of only failures
GONE = 410


def dispatcher(
    outlet: Callable[[], Webhooks], contexts: Contexts, size: int = CONCURRENCY
) -> Dispatcher[Run, Sent]:
    """Return what sends deliveries: so many runs at once."""
    return Dispatcher(DUE, slots(size), outlet, contexts)


def slots(size: int) -> Slots:
    """Return slots for runs, of apps with their webhooks and of hosts that receive."""
    return Slots(size, WEBHOOK_SLOTS, RECEIVER_SLOTS)


class Run(NamedTuple):
    """Deliveries of one game to one webhook, sent one after another; without a game, a single delivery.

    `parties` have slots for it.
    """

    webhook: Webhook
    deliveries: Sequence[Outgoing]
    parties: Sequence[Party]


class Attempt(NamedTuple):
    """A delivery that was sent, and its result."""

    delivery: Outgoing
    at: datetime
    headers: dict[str, str]
    answer: Reply

    def to_json(self, url: str) -> Json:
        """Return its entry in the log of the delivery."""
        answer = self.answer
        return {
            "at": timestamp(self.at),
            "request": {"url": url, "headers": self.headers},
            "answer": None if answer.status is None else {"status": answer.status, "body": answer.body},
            "error": answer.error,
        }


@dataclass
class Sent:
    """The result of a run: its attempts, of which the last may have failed."""

    run: Run
    attempts: list[Attempt] = field(default_factory=list)

    @property
    def good(self) -> bool:
        """Return whether everything that was sent was received."""
        return not self.refused

    @property
    def refused(self) -> list[Outgoing]:
        """Return what was not received."""
        return [attempt.delivery for attempt in self.attempts if not attempt.answer.good]

    def recorded(self, now: datetime) -> Iterator[tuple[Outgoing, Outgoing]]:
        """Yield each delivery as it was and as it is now; those not sent wait for the one that failed."""
        released = now
        for attempt in self.attempts:
            shown = attempt.to_json(self.run.webhook.url)
            done = attempt.delivery.after(shown, now, good=attempt.answer.good)
            released = done.next_at or now
            yield attempt.delivery, done
        sent = {attempt.delivery.id for attempt in self.attempts}
        for delivery in self.run.deliveries:
            if delivery.id not in sent:
                yield delivery, delivery._replace(next_at=released)


class Poster(Protocol):
    """What sends requests, see `api.features.notices.client`, of which web processes know nothing."""

    async def post(self, url: str, headers: dict[str, str], body: bytes) -> Reply:
        """Send a POST request. Errors are returned as answers too."""

    async def close(self) -> None:
        """Close every connection."""


class Webhooks:
    """The channel of webhooks. It connects with the first delivery, which needs 6 MB of libraries."""

    def __init__(self, connect: Callable[[], Poster], clock: Callable[[], datetime] = utc_now) -> None:
        self._connect = connect
        self._client: Poster | None = None
        self._clock = clock

    def claim(self, context: Context, slots: Slots) -> Sequence[Run]:
        """Take what is due, in runs, as far as there are slots."""
        now, of_each = context.now(), math.ceil(slots.free / (1 + WEBHOOK_SLOTS.others))
        due = queue.due(context.session, now, of_each, CANDIDATES * slots.free, *slots.crowded())
        chosen = {each.id: each.parties for each in due if slots.enter(each.parties)}
        if not chosen:
            return ()
        deliveries = queue.claim(context.session, now, now + LEASE, [*chosen], RUN - 1)
        hooks = webhooks.by_ids(context.session, list({delivery.receiver_id for delivery in deliveries}))
        deliveries.sort(key=_order)  # stable: within an order by number
        runs = [list(of_order) for _, of_order in groupby(deliveries, _order)]
        return [
            Run(hooks[run[0].receiver_id], run, chosen[run[0].id])
            for run in runs
            if run[0].receiver_id in hooks
        ]

    async def send(self, run: Run) -> Sent:
        """Send a run until one is not received, or until it has taken long."""
        sent, begun = Sent(run), time.monotonic()
        for delivery in run.deliveries:
            at = self._clock()
            headers = sign(run.webhook, delivery, at)
            answer = await self._post(run.webhook, delivery, headers)
            sent.attempts.append(Attempt(delivery, at, headers, answer))
            if not answer.good or time.monotonic() - begun > RUN_TIME:
                break
        return sent

    async def _post(self, webhook: Webhook, delivery: Outgoing, headers: dict[str, str]) -> Reply:
        """Send a delivery in a trace that its receiver can continue."""
        attributes = {"card_referee__event": delivery.event, "card_referee__delivery": str(delivery.id)}
        with tracing.under(None, f"deliver {delivery.event}", "PRODUCER", **attributes) as span:
            if above := tracing.parent():
                headers["traceparent"] = above
            self._client = self._client or self._connect()
            answer = await self._client.post(webhook.url, headers, stored(delivery.payload).encode())
            if span is not None and answer.status is not None:
                span.set_attribute("http.response.status_code", answer.status)
        return answer

    def record(self, context: Context, done: Sequence[Sent]) -> None:
        """Store the results of attempts, and when to try again, in one transaction."""
        now = context.now()
        _count(done)
        receivers = {sent.run.webhook.id: sent.run.webhook for sent in done}
        failed = [sent for sent in done if not sent.good]
        changes = bool(failed) or any(webhook.failing_since for webhook in receivers.values())
        with context.session.transaction():
            before = webhooks.lock(context.session, list(receivers), to_change=changes)
            outbox.record(context.session, [row for sent in done for row in sent.recorded(now)])
            if failed:
                queue.postpone(context.session, [delivery.id for sent in failed for delivery in sent.refused])
            if changes:
                _keep_health(context, before, done, now)

    async def close(self) -> None:
        """Close connections."""
        if self._client is not None:
            await self._client.close()


def _order(delivery: Outgoing) -> tuple[str, bool, str]:
    """Return a key that is equal for deliveries in one order, and unique for one without an order."""
    alone = delivery.game_id is None or not delivery.in_order
    return (str(delivery.receiver_id), alone, str(delivery.id if alone else delivery.game_id))


def sign(webhook: Webhook, delivery: Outgoing, at: datetime) -> dict[str, str]:
    """Return the headers of a delivery; while a secret is being replaced, both secrets sign."""
    secrets = [webhook.secret]
    if webhook.secret_before and webhook.secret_before_until and at < webhook.secret_before_until:
        secrets.append(webhook.secret_before)
    signatures = [Signer(secret).sign(str(delivery.id), at, stored(delivery.payload)) for secret in secrets]
    return {
        "Content-Type": "application/json",
        "User-Agent": "card-referee/1",
        "webhook-id": str(delivery.id),
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": " ".join(signatures),
    }


def _count(done: Sequence[Sent]) -> None:
    for sent in done:
        for attempt in sent.attempts:
            failed = metrics.GIVEN_UP if attempt.delivery.is_last_try else metrics.FAILED
            metrics.sent.labels("webhook", metrics.DELIVERED if attempt.answer.good else failed).inc()


def _keep_health(
    context: Context, before: Mapping[UUID, Health], done: Sequence[Sent], now: datetime
) -> None:
    """Store which webhooks fail; disable those that have failed for too long or no longer exist."""
    after = dict(before)
    for sent in done:
        for attempt in sent.attempts:
            if sent.run.webhook.id in after:
                after[sent.run.webhook.id] = _health(after[sent.run.webhook.id], attempt.answer, now)
    for webhook_id, health in after.items():
        was = before[webhook_id]
        if health != was:
            webhooks.set_health(context.session, webhook_id, health)
            _log(webhook_id, was, health, [sent for sent in done if sent.run.webhook.id == webhook_id])
        # After a shorter time hardly anything waits, and a notice that is refused would come again at once.
        works_again = was.failing_since is not None and health.failing_since is None
        if works_again and now - (was.failing_since or now) > LEASE:
            queue.hurry(context.session, webhook_id, now, now + LEASE)
        if health.disabled_at is not None and was.disabled_at is None:
            queue.give_up(context.session, webhook_id)


def _log(webhook_id: UUID, before: Health, after: Health, done: Sequence[Sent]) -> None:
    """Log that a webhook begins to fail, and why, or works again; its address may be a secret."""
    if after.failing_since and not before.failing_since:
        answers = [attempt.answer for sent in done for attempt in sent.attempts if not attempt.answer.good]
        why = answers[-1].error or f"status {answers[-1].status}" if answers else "unknown"
        log.warning("webhook %s of app %s fails: %s", webhook_id, after.app_id, why)
    elif before.failing_since and not after.failing_since:
        log.warning("webhook %s of app %s works again", webhook_id, after.app_id)


def _health(before: Health, answer: Reply, now: datetime) -> Health:
    """Return the state of a webhook after one more answer."""
    if answer.good:
        return before._replace(failing_since=None)
    failing_since = before.failing_since or now
    off = now - failing_since >= DISABLED_AFTER or answer.status == GONE
    return before._replace(
        failing_since=failing_since, disabled_at=before.disabled_at or (now if off else None)
    )


def forget(context: Context, player_id: UUID) -> None:
    """Delete what a player has said from the deliveries, in the open transaction, and from those made now."""
    positions.take(context.session, context.app_id, wait=True)
    hooks = webhooks.listeners(context.session, context.app_id)
    webhooks.lock(context.session, [hook.id for hook in hooks], to_change=True)
    queue.delete_words(context.session, str(player_id))
