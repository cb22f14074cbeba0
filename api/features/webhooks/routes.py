"""Webhooks: where an app gets notices of what happens in its games."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID

from marshmallow import ValidationError, post_load

from api.context import Context
from api.features.notices.events import INCLUDED
from api.features.notices.inputs import Address
from api.features.webhooks import webhooks
from api.features.webhooks.answers import (
    STATUSES,
    Delivery,
    DeliveryList,
    Webhook,
    WebhookList,
    WebhookSecret,
)
from api.features.webhooks.notices import ALL, EVENTS
from api.features.webhooks.queue import DeliveryFilters
from api.http import auth
from api.http.conditional import require_same, tagged
from api.http.fields import Choice, Flag, Input, Items
from api.http.operation import Operations
from api.http.patterns import Duration
from api.http.queries import EXTERNAL_ID, METADATA, LabelledPages, Pages

LONGEST_OVERLAP = timedelta(days=30)


def events_field(**more: Any) -> Items:
    """Return the field that names events."""
    return Items(Choice(*EVENTS), 0, len(EVENTS), **more)


def include_field(**more: Any) -> Items:
    """Return the field that says what notices include in addition to ids."""
    about = "What notifications include: `entry` is the log entry, as it is shown without a seat."
    return Items(Choice(*INCLUDED), 0, len(INCLUDED), about=about, **more)


class NewWebhook(Input):
    """A webhook to create. Without `events`, it receives all that need not be named."""

    url = Address(required=True)
    events = events_field(load_default=list)
    include = include_field(load_default=list)
    external_id = EXTERNAL_ID
    metadata = METADATA


class WebhookChange(Input):
    """The changes of a webhook; `enabled` disables or enables it."""

    url = Address()
    events = events_field()
    include = include_field()
    enabled = Flag()
    external_id = EXTERNAL_ID
    metadata = METADATA


class SecretReplacement(Input):
    """How long the old secret is also used for signing; one day by default."""

    overlap = Duration()

    @post_load
    def bounded(self, data: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Refuse an overlap that is too long."""
        overlap = data.get("overlap", timedelta(days=1))
        if overlap > LONGEST_OVERLAP:
            raise ValidationError("Must be 30 days at most.", "overlap")
        return {"overlap": overlap}


class DeliveryPages(Pages):
    """Which deliveries to find."""

    status = Choice(*STATUSES, about="Only deliveries with this status.")
    event = Choice(*ALL, about="Only deliveries of this event.")


blueprint = Operations("webhooks", __name__, "Notifications to an app's server.")

QUEUES: dict[str, Any] = {"answers": {202: Delivery}, "idempotent": True, "problems": ("conflict",)}


@blueprint.POST(
    "/v1/webhooks",
    auth.APP_WRITERS,
    body=NewWebhook,
    idempotent=True,
    creates="/v1/webhooks",
    problems=("conflict", "external-id-taken"),
)
def create_webhook(context: Context, body: dict[str, Any]) -> WebhookSecret:
    """Create a webhook.

    The secret is shown only once. Notifications are signed according to Standard Webhooks, delivered at least
    once, and repeated with growing pauses for more than a day. They are sent in order for each game.
    """
    return webhooks.create(context, body)


@blueprint.GET("/v1/webhooks", auth.APP_READERS, query=LabelledPages)
def list_webhooks(context: Context, query: dict[str, Any]) -> WebhookList:
    """List the app's webhooks, newest first, without their secrets."""
    return webhooks.page(context, query["page"], query.get("external_id"))


@blueprint.GET("/v1/webhooks/<uuid:webhook>", auth.APP_READERS, etag=True, cacheable=False, presents=tagged)
def get_webhook(context: Context, webhook: UUID) -> Webhook:
    """Show a webhook."""
    return webhooks.get(context, webhook)


@blueprint.PATCH(
    "/v1/webhooks/<uuid:webhook>",
    auth.APP_WRITERS,
    body=WebhookChange,
    problems=("external-id-taken",),
    etag=True,
    presents=tagged,
)
def change_webhook(context: Context, webhook: UUID, body: dict[str, Any]) -> Webhook:
    """Change, disable or enable a webhook.

    A disabled webhook gets no notifications, and what is queued for it is given up. What it misses is listed
    for 30 days, and is in the feed. A webhook that has failed for five days, or answers 410, is disabled
    automatically.
    """
    return webhooks.change(context, webhook, body, partial(require_same, context))


@blueprint.DELETE(
    "/v1/webhooks/<uuid:webhook>", auth.APP_WRITERS, "The webhook and everything queued for it are gone."
)
def delete_webhook(context: Context, webhook: UUID) -> None:
    """Delete a webhook and everything queued for it."""
    webhooks.delete(context, webhook)


@blueprint.POST(
    "/v1/webhooks/<uuid:webhook>/secret",
    auth.APP_WRITERS,
    body=SecretReplacement,
    idempotent=True,
)
def replace_webhook_secret(context: Context, webhook: UUID, body: dict[str, Any]) -> WebhookSecret:
    """Replace a webhook's secret; the new one is shown only once.

    During `overlap`, notifications have two signatures, one with each secret; either of them is valid.
    """
    return webhooks.replace_secret(context, webhook, body["overlap"])


@blueprint.POST("/v1/webhooks/<uuid:webhook>/test", auth.APP_WRITERS, **QUEUES)
def test_webhook(context: Context, webhook: UUID) -> Any:
    """Queue a test event, `webhook.test`."""
    return webhooks.test(context, webhook)


@blueprint.GET(
    "/v1/webhooks/<uuid:webhook>/deliveries",
    auth.APP_READERS,
    query=DeliveryPages,
)
def list_deliveries(context: Context, webhook: UUID, query: dict[str, Any]) -> DeliveryList:
    """List the deliveries of the last 30 days, newest first, with each attempt's request and answer."""
    search = DeliveryFilters(query.get("status"), query.get("event"))
    return webhooks.list_deliveries(context, webhook, query["page"], search)


@blueprint.GET("/v1/webhooks/<uuid:webhook>/deliveries/<uuid:delivery>", auth.APP_READERS)
def get_delivery(context: Context, webhook: UUID, delivery: UUID) -> Delivery:
    """Show a delivery, for example one that was sent again, with each attempt's request and answer."""
    return webhooks.get_delivery(context, webhook, delivery)


@blueprint.POST("/v1/webhooks/<uuid:webhook>/deliveries/<uuid:delivery>/retry", auth.APP_WRITERS, **QUEUES)
def retry_delivery(context: Context, webhook: UUID, delivery: UUID) -> Any:
    """Send a delivery again now, whatever its status."""
    return webhooks.retry(context, webhook, delivery)
