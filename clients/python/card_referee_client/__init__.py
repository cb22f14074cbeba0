"""Client for Card Referee: a core generated from the specification, and what all calls have in common.

`core.api` has a module for each operation, `core.models` the types. This package adds what cannot be
generated: safe retries, streams that resume after an interruption, lists that are read page by page,
webhooks, and signatures with players' own keys.
"""

from card_referee_client.calls import aitems, got, items
from card_referee_client.connecting import connect
from card_referee_client.errors import ApiError
from card_referee_client.signing import sign_action
from card_referee_client.streams import Event, afollow, follow
from card_referee_client.webhooks import WebhookVerificationError, verify_webhook

__all__ = [
    "ApiError",
    "Event",
    "WebhookVerificationError",
    "afollow",
    "aitems",
    "connect",
    "follow",
    "got",
    "items",
    "sign_action",
    "verify_webhook",
]
