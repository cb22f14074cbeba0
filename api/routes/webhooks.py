"""Webhooks: where an app is told what happens in its games."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from flask import Blueprint

from api.core.context import Context
from api.http import auth
from api.http.operation import operation
from api.outbox import webhooks
from api.schemas import notifications, requests

blueprint = Blueprint("webhooks", __name__)


@operation(
    blueprint,
    "POST",
    "/v1/webhooks",
    audience=auth.APP_WRITERS,
    body=notifications.NewWebhook,
    answers={201: "WebhookSecret"},
    idempotent=True,
    problems=("conflict",),
)
def create_webhook(context: Context, body: dict[str, Any]) -> Any:
    """Make a webhook.

    Its secret is shown this once. Notices are signed by the Standard Webhooks scheme, delivered at least
    once and tried again with growing pauses for more than a day. They come in order for each game, and
    messages in an order of their own, so that a refused message keeps no turn waiting.
    """
    return webhooks.create(context, body)


@operation(
    blueprint,
    "GET",
    "/v1/webhooks",
    audience=auth.APP_READERS,
    query=requests.Pages,
    answers={200: "WebhookList"},
)
def list_webhooks(context: Context, query: dict[str, Any]) -> Any:
    """List the app's webhooks, newest first; never their secrets."""
    return webhooks.page(context, query["page"])


@operation(
    blueprint,
    "GET",
    "/v1/webhooks/<uuid:webhook>",
    audience=auth.APP_READERS,
    answers={200: "Webhook"},
    problems=("not-found",),
)
def get_webhook(context: Context, webhook: UUID) -> Any:
    """Show a webhook."""
    return webhooks.get(context, webhook)


@operation(
    blueprint,
    "PATCH",
    "/v1/webhooks/<uuid:webhook>",
    audience=auth.APP_WRITERS,
    body=notifications.WebhookChange,
    answers={200: "Webhook"},
    problems=("not-found",),
)
def change_webhook(context: Context, webhook: UUID, body: dict[str, Any]) -> Any:
    """Change a webhook, or switch it off or on.

    Switched off, it is told nothing and what is queued for it is given up. One that has failed for five
    days, or answers 410, is switched off by itself.
    """
    return webhooks.change(context, webhook, body)


@operation(
    blueprint,
    "DELETE",
    "/v1/webhooks/<uuid:webhook>",
    audience=auth.APP_WRITERS,
    answers={204: None},
    problems=("not-found",),
)
def delete_webhook(context: Context, webhook: UUID) -> Any:
    """Delete a webhook and everything queued for it."""
    webhooks.delete(context, webhook)
    return None, 204


@operation(
    blueprint,
    "POST",
    "/v1/webhooks/<uuid:webhook>/secret",
    audience=auth.APP_WRITERS,
    body=notifications.SecretReplacement,
    answers={201: "WebhookSecret"},
    idempotent=True,
    problems=("not-found",),
)
def replace_webhook_secret(context: Context, webhook: UUID, body: dict[str, Any]) -> Any:
    """Return a webhook a new secret, shown this once.

    For `overlap` the old one signs as well: a notice then has two signatures, either of them valid.
    """
    return webhooks.replace_secret(context, webhook, body["overlap"])


@operation(
    blueprint,
    "POST",
    "/v1/webhooks/<uuid:webhook>/test",
    audience=auth.APP_WRITERS,
    answers={202: "Delivery"},
    idempotent=True,
    problems=("not-found", "conflict"),
)
def test_webhook(context: Context, webhook: UUID) -> Any:
    """Queue a test event, `webhook.test`."""
    return webhooks.test(context, webhook)


@operation(
    blueprint,
    "GET",
    "/v1/webhooks/<uuid:webhook>/deliveries",
    audience=auth.APP_READERS,
    query=requests.Pages,
    answers={200: "DeliveryList"},
    problems=("not-found",),
)
def list_deliveries(context: Context, webhook: UUID, query: dict[str, Any]) -> Any:
    """List deliveries with every attempt's request and answer, newest first; kept for 30 days."""
    return webhooks.list_deliveries(context, webhook, query["page"])


@operation(
    blueprint,
    "POST",
    "/v1/webhooks/<uuid:webhook>/deliveries/<uuid:delivery>/retry",
    audience=auth.APP_WRITERS,
    answers={202: "Delivery"},
    idempotent=True,
    problems=("not-found", "conflict"),
)
def retry_delivery(context: Context, webhook: UUID, delivery: UUID) -> Any:
    """Deliver something once more, now, whatever became of it before."""
    return webhooks.retry(context, webhook, delivery)
