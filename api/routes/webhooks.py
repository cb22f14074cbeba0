"""Webhooks: where an app gets notices of what happens in its games."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from api.core.context import Context
from api.http import auth
from api.http.operation import Operations
from api.outbox import webhooks
from api.schemas.telling import deliveries as notifications
from api.schemas.telling.deliveries import Delivery, DeliveryList, WebhookList
from api.schemas.webhooks import NewWebhook, Webhook, WebhookSecret
from api.store.outbox.deliveries import Search

blueprint = Operations("webhooks", __name__)


def _created(webhook: dict[str, Any]) -> Any:
    return webhook, 201, {"Location": f"/v1/webhooks/{webhook['id']}"}


@blueprint.POST(
    "/v1/webhooks",
    auth.APP_WRITERS,
    WebhookSecret,
    body=NewWebhook,
    idempotent=True,
    presents=_created,
    problems=("conflict", "external-id-taken", "not-found", "game-over"),
)
def create_webhook(context: Context, body: dict[str, Any]) -> Any:
    """Make a webhook.

    Its secret is shown this once. Notices are signed by the Standard Webhooks scheme, delivered at least
    once and tried again with growing pauses for more than a day. They come in order for each game, and
    messages in an order of their own, so that a refused message keeps no turn waiting. One that is bound
    to a `game` gets notices of that alone, and ends with it.
    """
    return webhooks.create(context, body)


@blueprint.GET("/v1/webhooks", auth.APP_READERS, WebhookList, query=notifications.WebhookFilters)
def list_webhooks(context: Context, query: dict[str, Any]) -> Any:
    """List the app's webhooks, newest first; never their secrets. Those of games that are over too."""
    return webhooks.page(context, query["page"], query["labels"], query["game"])


@blueprint.GET("/v1/webhooks/<uuid:webhook>", auth.APP_READERS, Webhook)
def get_webhook(context: Context, webhook: UUID) -> Any:
    """Show a webhook."""
    return webhooks.get(context, webhook)


@blueprint.PATCH(
    "/v1/webhooks/<uuid:webhook>",
    auth.APP_WRITERS,
    Webhook,
    body=notifications.WebhookChange,
    problems=("external-id-taken",),
)
def change_webhook(context: Context, webhook: UUID, body: dict[str, Any]) -> Any:
    """Change a webhook, or switch it off or on.

    Switched off, it gets no notices and what is queued for it is given up; what it misses is kept for 30
    days and can be delivered later. One that has failed for five
    days, or answers 410, is switched off by itself.
    """
    return webhooks.change(context, webhook, body)


@blueprint.DELETE("/v1/webhooks/<uuid:webhook>", auth.APP_WRITERS)
def delete_webhook(context: Context, webhook: UUID) -> None:
    """Delete a webhook and everything queued for it."""
    webhooks.delete(context, webhook)


@blueprint.POST(
    "/v1/webhooks/<uuid:webhook>/secret",
    auth.APP_WRITERS,
    WebhookSecret,
    body=notifications.SecretReplacement,
    idempotent=True,
)
def replace_webhook_secret(context: Context, webhook: UUID, body: dict[str, Any]) -> Any:
    """Replace a webhook's secret; the new one is shown this once.

    For `overlap` the old one signs as well: a notice then has two signatures, either of them valid.
    """
    return webhooks.replace_secret(context, webhook, body["overlap"])


@blueprint.POST(
    "/v1/webhooks/<uuid:webhook>/test",
    auth.APP_WRITERS,
    answers={202: Delivery},
    idempotent=True,
    problems=("conflict",),
)
def test_webhook(context: Context, webhook: UUID) -> Any:
    """Queue a test event, `webhook.test`."""
    return webhooks.test(context, webhook)


@blueprint.GET(
    "/v1/webhooks/<uuid:webhook>/deliveries",
    auth.APP_READERS,
    DeliveryList,
    query=notifications.DeliveryFilters,
)
def list_deliveries(context: Context, webhook: UUID, query: dict[str, Any]) -> Any:
    """List deliveries with every attempt's request and answer, newest first; kept for 30 days."""
    search = Search(query.get("status"), query.get("event"))
    return webhooks.list_deliveries(context, webhook, query["page"], search)


@blueprint.GET("/v1/webhooks/<uuid:webhook>/deliveries/<uuid:delivery>", auth.APP_READERS, Delivery)
def get_delivery(context: Context, webhook: UUID, delivery: UUID) -> Any:
    """Show a delivery, such as one that was just sent again, with every attempt's request and answer."""
    return webhooks.get_delivery(context, webhook, delivery)


@blueprint.POST(
    "/v1/webhooks/<uuid:webhook>/deliveries/<uuid:delivery>/retry",
    auth.APP_WRITERS,
    answers={202: Delivery},
    idempotent=True,
    problems=("conflict",),
)
def retry_delivery(context: Context, webhook: UUID, delivery: UUID) -> Any:
    """Deliver something once more, now, whatever became of it before."""
    return webhooks.retry(context, webhook, delivery)


@blueprint.POST(
    "/v1/webhooks/<uuid:webhook>/deliveries/<uuid:delivery>/skip",
    auth.APP_WRITERS,
    answers={200: Delivery},
    idempotent=True,
    problems=("conflict",),
)
def skip_delivery(context: Context, webhook: UUID, delivery: UUID) -> Any:
    """Skip a delivery that the receiver keeps refusing, so that what waits for it in its game goes on."""
    return webhooks.skip(context, webhook, delivery)


@blueprint.POST(
    "/v1/webhooks/<uuid:webhook>/retry-missed",
    auth.APP_WRITERS,
    body=notifications.MissedRetry,
    answers={202: notifications.Queued},
    idempotent=True,
    problems=("conflict",),
)
def retry_missed_deliveries(context: Context, webhook: UUID, body: dict[str, Any]) -> Any:
    """Deliver what failed, and what was missed while the webhook was switched off.

    Everything of the last 30 days that was neither delivered nor skipped, or what was made since a time; in
    order for each game.
    """
    return webhooks.retry_missed(context, webhook, body.get("since"))
