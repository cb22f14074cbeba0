"""Delivering notices: signed, at least once, in order for each game, with growing pauses where it fails.

Messages are in an order of their own: whoever refuses one of them is still told of turns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from threading import Lock
from typing import Any
from uuid import UUID

from standardwebhooks.webhooks import Webhook as Signer

from api.core.context import Context, timestamp
from api.core.json import loads, stored
from api.outbox import notifications, outbound
from api.outbox.notifications import WEBHOOK_DISABLED, Notification
from api.outbox.outbound import Answer
from api.store import webhooks as store
from api.store.webhooks import Delivery, Webhook

LEASE = timedelta(seconds=120)  # who has taken a delivery and is not heard of for so long has died
PAUSES = [
    timedelta(seconds=5),
    timedelta(seconds=30),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=5),
    timedelta(hours=10),
    timedelta(hours=14),
]  # 31 hours and 36 minutes altogether
DISABLED_AFTER = timedelta(days=5)  # of nothing but failures
GONE = 410
KEPT_ATTEMPTS = 20
KEPT_FOR = timedelta(days=30)
AT_ONCE = 2  # deliveries to one webhook: whoever hangs keeps no more of us busy


class Busy:
    """The deliveries under way in this process, by webhook."""

    def __init__(self) -> None:
        self.lock = Lock()
        self._under_way: Counter[UUID] = Counter()

    def busy(self) -> list[UUID]:
        """List the webhooks that are not to get another one now."""
        return [webhook for webhook, number in self._under_way.items() if number >= AT_ONCE]

    def enter(self, webhook: UUID) -> None:
        """One more. Only with the lock."""
        self._under_way[webhook] += 1

    def leave(self, webhook: UUID) -> None:
        """One less."""
        with self.lock:
            self._under_way[webhook] -= 1
            self._under_way += Counter()  # forgets those at 0


def deliver_next(context: Context, busy: Busy) -> bool:
    """Deliver what has been due the longest; returns whether there was anything due."""
    with _claimed(context, busy) as claimed:
        if claimed is None:
            return False
        delivery, webhook = claimed
        headers = sign(webhook, delivery, context.now())
        context.session.close()  # no connection is held while the other side takes its time
        answer = outbound.post(webhook.url, headers, delivery.payload.encode(), context.settings)
        note(context, webhook, delivery, headers, answer)
    return True


@contextmanager
def _claimed(context: Context, busy: Busy) -> Iterator[tuple[Delivery, Webhook] | None]:
    now = context.now()
    with busy.lock:
        claimed = store.claim(context.session, now, now + LEASE, busy.busy())
        if claimed is not None:
            busy.enter(claimed[1].id)
    try:
        yield claimed
    finally:
        if claimed is not None:
            busy.leave(claimed[1].id)


def sign(webhook: Webhook, delivery: Delivery, at: datetime) -> dict[str, str]:
    """Return the headers of a delivery; while a secret is being replaced both sign."""
    secrets = [webhook.secret]
    if webhook.secret_before and webhook.secret_before_until and at < webhook.secret_before_until:
        secrets.append(webhook.secret_before)
    signatures = [Signer(secret).sign(str(delivery.id), at, delivery.payload) for secret in secrets]
    return {
        "Content-Type": "application/json",
        "User-Agent": "card-referee/1",
        "webhook-id": str(delivery.id),
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": " ".join(signatures),
    }


def note(
    context: Context, webhook: Webhook, delivery: Delivery, headers: dict[str, str], answer: Answer
) -> None:
    """Write down how an attempt went, and when to try again."""
    now = context.now()
    with context.session.transaction():
        current = store.get(context.session, webhook.app_id, webhook.id, lock=True)
        found = store.get_delivery(context.session, webhook.id, delivery.id, lock=True)
        if current is None or found is None:  # deleted meanwhile
            return
        attempt = {
            "at": timestamp(now),
            "request": {"url": webhook.url, "headers": headers},
            "answer": None if answer.status is None else {"status": answer.status, "body": answer.body},
            "error": answer.error,
        }
        found = found._replace(
            tries=found.tries + 1,
            attempts=stored([*loads(found.attempts), attempt][-KEPT_ATTEMPTS:]),
        )
        if answer.good:
            found = found._replace(next_at=None, delivered_at=now)
            failing_since, disabled_at = None, current.disabled_at
        else:
            found = found._replace(next_at=_next_try(found, now))
            failing_since = current.failing_since or now
            long = now - failing_since >= DISABLED_AFTER
            disabled_at = current.disabled_at or (now if long or answer.status == GONE else None)
        store.keep_delivery(context.session, found)
        if found.next_at is not None and found.game_id is not None:
            store.postpone(context.session, found, found.next_at)
        if (failing_since, disabled_at) != (current.failing_since, current.disabled_at):
            store.set_health(context.session, webhook.id, failing_since, disabled_at)
        if disabled_at is not None:
            store.give_up(context.session, webhook.id)
        if disabled_at is not None and current.disabled_at is None:
            told = Notification(WEBHOOK_DISABLED, {"webhook": str(webhook.id)})
            notifications.post(context, webhook.app_id, None, [told], now)


def _next_try(delivery: Delivery, now: datetime) -> datetime | None:
    return now + PAUSES[delivery.tries - 1] if delivery.tries <= len(PAUSES) else None


def show(delivery: Delivery) -> dict[str, Any]:
    """Show a delivery with its log."""
    waiting = delivery.next_at is not None
    status = "pending" if waiting else "delivered" if delivery.delivered_at else "failed"
    return {
        "id": str(delivery.id),
        "event": delivery.event,
        "game": delivery.game_id and str(delivery.game_id),
        "status": status,
        "created_at": timestamp(delivery.created_at),
        "next_at": delivery.next_at and timestamp(delivery.next_at),
        "delivered_at": delivery.delivered_at and timestamp(delivery.delivered_at),
        "payload": loads(delivery.payload),
        "attempts": loads(delivery.attempts),
    }


def prune(context: Context) -> int:
    """Delete the deliveries that nobody will ask for any more; returns how many."""
    return store.prune(context.session, context.now() - KEPT_FOR)
