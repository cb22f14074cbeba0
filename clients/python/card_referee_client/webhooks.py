"""Notices to an app's server, which anybody could send: who verifies them knows who sent them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

__all__ = ["WebhookVerificationError", "verify_webhook"]


class Headers(Protocol):
    """Headers as frameworks have them; upper and lower case do not matter."""

    def items(self) -> Iterable[tuple[str, str]]:
        """Return names and values."""


def verify_webhook(secret: str, headers: Headers, body: bytes | str) -> dict[str, Any]:
    """Return the notice that a request to a webhook brought.

    `secret` is the webhook's, `headers` and `body` are the request's, the body exactly as it came. The same
    notice may come more than once: `webhook-id` tells. Raises WebhookVerificationError where it was not
    signed with the secret, or more than five minutes ago; TypeError where the body was parsed already, and
    ValueError where there is no secret, which are faults of the receiver.
    """
    if not isinstance(body, bytes | str):
        raise TypeError("Give the body as it came, as bytes or text, before anything parsed it.")
    if not secret:
        raise ValueError("A webhook has a secret: none was given.")
    try:
        notice = Webhook(secret).verify(body, dict(headers.items()))
    except ValueError as fault:  # a signature that cannot even be read
        raise WebhookVerificationError("Invalid Signature Headers") from fault
    if not isinstance(notice, dict):
        raise WebhookVerificationError("No notice")
    return notice
