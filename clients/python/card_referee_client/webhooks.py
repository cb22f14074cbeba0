"""Verifies notices to an app's server, because anybody could send such requests."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol, cast

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

__all__ = ["WebhookVerificationError", "verify_webhook"]


class Headers(Protocol):
    """Headers of any framework; upper and lower case do not matter."""

    def items(self) -> Iterable[tuple[str, str]]:
        """Return names and values."""
        ...


def verify_webhook(secret: str, headers: Headers, body: bytes | str) -> dict[str, Any]:
    """Return the notice in a request to a webhook.

    `secret` is the webhook's, `headers` and `body` are the request's; the body must be exactly as it was
    received. The same notice may be received more than once, with the same `webhook-id`. Raises
    WebhookVerificationError if it was not signed with the secret, or more than five minutes ago. TypeError
    (the body was parsed already) and ValueError (there is no secret) are errors of the receiver.
    """
    _require_unparsed(body)
    if not secret:
        raise ValueError("A webhook has a secret: none was given.")
    try:
        notice: object = Webhook(secret).verify(body, dict(headers.items()))
    except ValueError as fault:  # a malformed signature
        raise WebhookVerificationError("Invalid Signature Headers") from fault
    if not isinstance(notice, dict):
        raise WebhookVerificationError("No notice")
    return cast("dict[str, Any]", notice)


def _require_unparsed(body: object) -> None:
    """Raise TypeError for what a caller without type checks may give."""
    if not isinstance(body, bytes | str):
        raise TypeError("Give the body as it came, as bytes or text, before anything parsed it.")
