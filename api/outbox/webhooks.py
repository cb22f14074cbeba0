"""An app's webhooks: made, changed, tried out; their secrets replaced; what was delivered to them."""

from __future__ import annotations

import base64
from datetime import timedelta
from typing import Any
from uuid import UUID

from api.core.context import Context, new_id, timestamp
from api.core.errors import BadRequest, Conflict, NotFound
from api.core.paging import Page, uuid_page
from api.outbox import deliveries, notifications, outbound
from api.outbox.notifications import TEST, Notification
from api.store import idempotency
from api.store import webhooks as store
from api.store.webhooks import Delivery, Webhook

SECRET_BYTES = 32
MOST = 20  # webhooks of an app


def create(context: Context, wanted: dict[str, Any]) -> dict[str, Any]:
    """Make a webhook; its secret is shown now and when it is replaced.

    Raises BadRequest for an address that nothing is sent to, Conflict for one too many.
    """
    _require_permitted(context, wanted["url"])
    with idempotency.transaction(context):
        if store.count(context.session, context.app_id) >= MOST:
            raise Conflict(f"An app has at most {MOST} webhooks.")
        webhook = Webhook(
            id=new_id(),
            app_id=context.app_id,
            url=wanted["url"],
            events=wanted["events"],
            secret=_secret(context),
            secret_before=None,
            secret_before_until=None,
            created_at=context.now(),
            failing_since=None,
            disabled_at=None,
        )
        store.insert(context.session, webhook)
        answer = {**show(webhook), "secret": webhook.secret}
        return idempotency.keep(context, answer, secret=webhook.secret)


def get(context: Context, webhook_id: UUID) -> dict[str, Any]:
    """Show a webhook. Raises NotFound."""
    return show(_own(context, webhook_id))


def page(context: Context, wanted: Page) -> dict[str, Any]:
    """List the app's webhooks, newest first."""
    rows = store.page(context.session, context.app_id, wanted.before, wanted.limit + 1)
    return uuid_page(rows, wanted, show)


def change(context: Context, webhook_id: UUID, wanted: dict[str, Any]) -> dict[str, Any]:
    """Change where or what is told, switch a webhook off or on. Raises NotFound, BadRequest."""
    if "url" in wanted:
        _require_permitted(context, wanted["url"])
    with context.session.transaction():
        webhook = _own(context, webhook_id, lock=True)
        webhook = webhook._replace(**{name: wanted[name] for name in ("url", "events") if name in wanted})
        if wanted.get("enabled") is True:
            webhook = webhook._replace(disabled_at=None, failing_since=None)
        elif wanted.get("enabled") is False:
            webhook = webhook._replace(disabled_at=webhook.disabled_at or context.now())
            store.give_up(context.session, webhook.id)
        store.update(context.session, webhook)
    return show(webhook)


def delete(context: Context, webhook_id: UUID) -> None:
    """Delete a webhook and everything queued for it. Raises NotFound."""
    if not store.delete(context.session, context.app_id, webhook_id):
        raise NotFound("There is no such webhook.")


def replace_secret(context: Context, webhook_id: UUID, overlap: timedelta) -> dict[str, Any]:
    """Return a webhook a new secret, shown now; for `overlap` the old one signs as well. Raises NotFound."""
    with idempotency.transaction(context):
        webhook = _own(context, webhook_id, lock=True)
        webhook = webhook._replace(
            secret=_secret(context),
            secret_before=webhook.secret,
            secret_before_until=context.now() + overlap,
        )
        store.update(context.session, webhook)
        answer = {**show(webhook), "secret": webhook.secret}
        return idempotency.keep(context, answer, secret=webhook.secret)


def test(context: Context, webhook_id: UUID) -> dict[str, Any]:
    """Queue an event that says nothing, to see whether it arrives. Raises NotFound, Conflict."""
    with idempotency.transaction(context):
        webhook = _enabled(context, webhook_id)
        made = notifications.delivery(
            webhook.id, None, Notification(TEST, {"webhook": str(webhook.id)}), context.now()
        )
        store.enqueue(context.session, [made], context.now())
        return idempotency.keep(context, deliveries.show(_delivery(context, webhook.id, made.id)))


def list_deliveries(context: Context, webhook_id: UUID, wanted: Page) -> dict[str, Any]:
    """List what was and will be delivered, newest first. Raises NotFound."""
    _own(context, webhook_id)
    rows = store.deliveries(context.session, webhook_id, wanted.before, wanted.limit + 1)
    return uuid_page(rows, wanted, deliveries.show)


def retry(context: Context, webhook_id: UUID, delivery_id: UUID) -> dict[str, Any]:
    """Deliver something now, again or at last, with all its tries before it. Raises NotFound, Conflict."""
    with idempotency.transaction(context):
        webhook = _enabled(context, webhook_id)
        delivery = _delivery(context, webhook.id, delivery_id)
        delivery = delivery._replace(tries=0, next_at=context.now(), delivered_at=None)
        store.keep_delivery(context.session, delivery)
        return idempotency.keep(context, deliveries.show(delivery))


def show(webhook: Webhook) -> dict[str, Any]:
    """Show a webhook without its secret."""
    return {
        "id": str(webhook.id),
        "url": webhook.url,
        "events": webhook.events,
        "enabled": webhook.disabled_at is None,
        "created_at": timestamp(webhook.created_at),
        "failing_since": webhook.failing_since and timestamp(webhook.failing_since),
        "disabled_at": webhook.disabled_at and timestamp(webhook.disabled_at),
    }


def _require_permitted(context: Context, url: str) -> None:
    try:
        outbound.check(url, context.settings)
    except outbound.Refused as refused:
        raise BadRequest({"url": [str(refused)]}) from None


def _secret(context: Context) -> str:
    return "whsec_" + base64.b64encode(context.random_bytes(SECRET_BYTES)).decode()


def _own(context: Context, webhook_id: UUID, *, lock: bool = False) -> Webhook:
    webhook = store.get(context.session, context.app_id, webhook_id, lock=lock)
    if webhook is None:
        raise NotFound("There is no such webhook.")
    return webhook


def _enabled(context: Context, webhook_id: UUID) -> Webhook:
    webhook = _own(context, webhook_id, lock=True)
    if webhook.disabled_at is not None:
        raise Conflict("The webhook is switched off.")
    return webhook


def _delivery(context: Context, webhook_id: UUID, delivery_id: UUID) -> Delivery:
    delivery = store.get_delivery(context.session, webhook_id, delivery_id, lock=True)
    if delivery is None:
        raise NotFound("There is no such delivery.")
    return delivery
