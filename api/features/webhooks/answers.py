"""What these operations answer."""

from __future__ import annotations

from typing import Annotated, TypedDict

from api.core.names import WithLabels
from api.core.paging import PageOf
from api.features.notices.events import INCLUDED
from api.features.notices.outbox import DELIVERED, FAILED, PENDING
from api.features.webhooks.notices import ALL_BUT, EVENTS, Notice
from api.http.answers import Count, Json, Timestamp, Uuid, choice, published

STATUSES = PENDING, DELIVERED, FAILED


class Webhook(WithLabels):
    """An address of an app for notifications."""

    id: Uuid
    url: str
    events: Annotated[
        list[Annotated[str, choice(*EVENTS)]], f"The events that it receives; empty: {ALL_BUT}."
    ]
    include: Annotated[
        list[Annotated[str, choice(*INCLUDED)]], "What notifications include in addition to ids."
    ]
    enabled: bool
    created_at: Timestamp
    failing_since: Annotated[Timestamp | None, "Nothing has been received since then."]
    disabled_at: Timestamp | None


class WebhookSecret(Webhook):
    """A webhook with its secret, which is shown only once."""

    secret: Annotated[str, "The key of the signatures, `whsec_` and base64."]


class WebhookList(PageOf[Webhook]):
    """A page of webhooks, newest first."""


@published(inline=True)
class Request(TypedDict):
    """What was sent, without the payload."""

    url: str
    headers: Json


@published(inline=True)
class Answer(TypedDict):
    """The beginning of the answer."""

    status: Count
    body: str


@published(inline=True)
class Attempt(TypedDict):
    """One attempt to deliver."""

    at: Timestamp
    request: Request
    answer: Answer | None
    error: Annotated[str | None, "Why there was no answer, or why nothing was sent."]


class Delivery(TypedDict):
    """A notification and the status of its delivery."""

    id: Annotated[Uuid, "The `webhook-id` of every attempt."]
    event: str
    game: Uuid | None
    status: Annotated[
        str,
        choice(*STATUSES),
        "`failed` includes what a disabled webhook missed.",
    ]
    created_at: Timestamp
    next_at: Annotated[Timestamp | None, "The time of the next attempt."]
    delivered_at: Annotated[
        Timestamp | None,
        "When it was received. A retry keeps it until it is received again, or has failed for good.",
    ]
    payload: Notice
    attempts: list[Attempt]


class DeliveryList(PageOf[Delivery]):
    """A page of deliveries, newest first."""
