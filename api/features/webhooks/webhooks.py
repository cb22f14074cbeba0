"""An app's webhooks: create, change and test them, replace their secrets, and list their deliveries."""

from __future__ import annotations

import base64
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

from api.context import Context
from api.core.errors import BadRequest, Conflict, NotFound
from api.core.names import Labels
from api.core.paging import Page, PageOf, uuid_page
from api.features.notices import outbound, outbox
from api.features.notices.events import Subject
from api.features.notices.outbox import Outgoing
from api.features.webhooks import answers, posting, queue, store
from api.features.webhooks.queue import DeliveryFilters
from api.features.webhooks.store import Webhook
from api.http import idempotency
from api.http.answers import shown
from api.store.labels import unique

SECRET_BYTES = 32
CHANGEABLE = ("url", "events", "include")
MOST = 20  # webhooks of an app


def create(context: Context, request: dict[str, Any]) -> answers.WebhookSecret:
    """Create a webhook; its secret is shown now and when it is replaced.

    Raises BadRequest for an address to which nothing is sent, Conflict, ExternalIdTaken.
    """
    _require_permitted(context, request["url"])
    webhook = Webhook(
        id=context.new_id(),
        app_id=context.app_id,
        url=request["url"],
        events=request["events"],
        include=request["include"],
        secret=_secret(context),
        created_at=context.now(),
        **Labels().changed(request)._asdict(),
    )
    with unique(context.session, context.app_id, request), idempotency.transaction(context):
        if store.count(context.session, context.app_id) >= MOST:
            raise Conflict(f"An app has at most {MOST} webhooks.")
        store.insert(context.session, webhook)
        return idempotency.keep(context, show_secret(webhook))


def get(context: Context, webhook_id: UUID) -> answers.Webhook:
    """Show a webhook. Raises NotFound."""
    return show(_own(context, webhook_id))


def page(context: Context, chosen: Page, external_id: str | None) -> PageOf[answers.Webhook]:
    """List the app's webhooks, newest first."""
    rows = store.page(context.session, context.app_id, external_id, chosen.before, chosen.limit + 1)
    return uuid_page(rows, chosen, show)


def change(
    context: Context, webhook_id: UUID, changes: dict[str, Any], check: Callable[[answers.Webhook], None]
) -> answers.Webhook:
    """Change a webhook's address or events, disable or enable it, if `check` lets what is there pass.

    Raises NotFound, BadRequest, ExternalIdTaken.
    """
    if "url" in changes:
        _require_permitted(context, changes["url"])
    with unique(context.session, context.app_id, changes), context.session.transaction():
        webhook = _own(context, webhook_id, lock=True)
        check(show(webhook))
        labels = Labels(webhook.external_id, webhook.metadata).changed(changes)
        webhook = webhook._replace(**labels._asdict())
        webhook = webhook._replace(**{name: changes[name] for name in CHANGEABLE if name in changes})
        if changes.get("enabled") is True:
            webhook = webhook._replace(disabled_at=None, failing_since=None)
        elif changes.get("enabled") is False:
            webhook = webhook._replace(disabled_at=webhook.disabled_at or context.now())
            context.session.take_time()  # there may be a million deliveries
            queue.give_up(context.session, webhook.id)
        store.update(context.session, webhook)
    return show(webhook)


def delete(context: Context, webhook_id: UUID) -> None:
    """Delete a webhook and everything queued for it. Raises NotFound."""
    with context.session.transaction():
        context.session.take_time()  # with its deliveries
        _own(context, webhook_id, lock=True)
        store.delete(context.session, context.app_id, webhook_id)


def replace_secret(context: Context, webhook_id: UUID, overlap: timedelta) -> answers.WebhookSecret:
    """Replace a webhook's secret; return it with the new one. For `overlap` both sign. Raises NotFound."""
    with idempotency.transaction(context):
        webhook = _own(context, webhook_id, lock=True)
        webhook = webhook._replace(
            secret=_secret(context),
            secret_before=webhook.secret,
            secret_before_until=context.now() + overlap,
        )
        store.update(context.session, webhook)
        return idempotency.keep(context, show_secret(webhook))


def test(context: Context, webhook_id: UUID) -> answers.Delivery:
    """Queue an empty event, to test whether it arrives. Raises NotFound, Conflict."""
    with idempotency.transaction(context):
        webhook = _enabled(context, webhook_id)
        about = Subject(context.app_id), posting.of_test(webhook.id)
        delivery = posting.delivery(context, webhook.id, *about, context.now())
        outbox.enqueue(context.session, [delivery])
        return idempotency.keep(context, show_delivery(delivery))


def list_deliveries(
    context: Context, webhook_id: UUID, chosen: Page, search: DeliveryFilters
) -> PageOf[answers.Delivery]:
    """List past and waiting deliveries, newest first. Raises NotFound."""
    _own(context, webhook_id)
    asked = webhook_id, chosen.before, chosen.limit + 1
    return uuid_page(outbox.page(context.session, *asked, *search.conditions()), chosen, show_delivery)


def get_delivery(context: Context, webhook_id: UUID, delivery_id: UUID) -> answers.Delivery:
    """Return a delivery of the app's webhook. Raises NotFound."""
    webhook = _own(context, webhook_id)
    return show_delivery(_delivery(context, webhook.id, delivery_id, lock=False))


def retry(context: Context, webhook_id: UUID, delivery_id: UUID) -> answers.Delivery:
    """Send a delivery now, with all its attempts again. Raises NotFound, Conflict.

    A waiting delivery keeps its place among the others of its game; any other has no place and delays nothing
    newer.
    """
    with idempotency.transaction(context):
        webhook = _enabled(context, webhook_id)
        delivery = _delivery(context, webhook.id, delivery_id)
        waiting = delivery.in_order and delivery.next_at is not None
        delivery = delivery._replace(tries=0, next_at=context.now(), in_order=waiting)
        queue.retry(context.session, delivery)
        return idempotency.keep(context, show_delivery(delivery))


def show(webhook: Webhook) -> answers.Webhook:
    """Show a webhook without its secret."""
    return shown(answers.Webhook, webhook, enabled=webhook.disabled_at is None)


def show_delivery(delivery: Outgoing) -> answers.Delivery:
    """Show a delivery with its log."""
    return shown(answers.Delivery, delivery, game=delivery.game_id)


def show_secret(webhook: Webhook) -> answers.WebhookSecret:
    """Show a webhook with its secret."""
    return shown(answers.WebhookSecret, webhook, enabled=webhook.disabled_at is None)


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
        raise Conflict("The webhook is disabled.")
    return webhook


def _delivery(context: Context, webhook_id: UUID, delivery_id: UUID, *, lock: bool = True) -> Outgoing:
    delivery = outbox.get(context.session, webhook_id, delivery_id, lock=lock)
    if delivery is None:
        raise NotFound("There is no such delivery.")
    return delivery
