"""Client of Card Referee: a core generated from the specification, and what is the same in every call.

`core.api` has a module for each operation, `core.models` the shapes. This package adds what a generator
cannot know: requests that are repeated safely, streams that go on after an interruption, lists page by page,
webhooks, signatures of players' own keys.
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
