"""Notices of webhooks themselves."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from api.core.names import Labels
from api.features.webhooks.store import Webhook
from api.games.events import TEST, Notification


def of_webhook(event: str, webhook: Webhook, **more: Any) -> Notification:
    """Return the notification of a webhook's change, with the app's labels of it."""
    data = {
        "webhook": str(webhook.id),
        **({"game": str(webhook.game_id)} if webhook.game_id else {}),
        "url": webhook.url,
        **Labels(webhook.external_id, webhook.metadata).to_json(),
        **more,
    }
    return Notification(event, data)


def of_test(webhook_id: UUID) -> Notification:
    """Return an empty notification, to test whether it arrives."""
    return Notification(TEST, {"webhook": str(webhook_id)})
