"""Notices to an app's server, which anybody could send: who verifies them knows who sent them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

__all__ = ["WebhookVerificationError", "verify_webhook"]


def verify_webhook(secret: str, headers: Mapping[str, str], body: bytes | str) -> dict[str, Any]:
    """Return the notice that a request to a webhook brought.

    `secret` is the webhook's, `headers` and `body` are the request's, the body exactly as it came. The same
    notice may come more than once: `webhook-id` tells. Raises WebhookVerificationError where it was not
    signed with the secret, or more than five minutes ago.
    """
    try:
        notice = Webhook(secret).verify(body, dict(headers))
    except ValueError as fault:  # a signature that cannot even be read
        raise WebhookVerificationError("Invalid Signature Headers") from fault
    if not isinstance(notice, dict):
        raise WebhookVerificationError("No notice")
    return notice
