"""Webhooks and deliveries in requests and answers."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any, TypedDict

from marshmallow import ValidationError, post_load

from api.core.names import Labelled
from api.core.paging import PageOf
from api.features.notices.events import ALL_BUT, EVENTS, INCLUDED, TEST
from api.features.notices.shapes import Address
from api.features.webhooks.notices import Notice
from api.features.webhooks.queue import STATUSES
from api.http.answers import Count, Json, Timestamp, Uuid, choice, inline
from api.http.fields import Choice, Flag, Items
from api.http.patterns import Duration, Time
from api.http.queries import EXTERNAL_ID, METADATA, Pages
from api.http.shapes import Input

LONGEST_OVERLAP = timedelta(days=30)


def events_field(**more: Any) -> Items:
    """Return the field that names events."""
    return Items(Choice(*EVENTS), 0, len(EVENTS), **more)


def include_field(**more: Any) -> Items:
    """Return the field that says what notices include in addition to ids."""
    about = "What notifications include: `entry` is the log entry, as it is shown without a seat."
    return Items(Choice(*INCLUDED), 0, len(INCLUDED), about=about, **more)


class Webhook(Labelled):
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


class DeliveryFilters(Pages):
    """Which deliveries to find."""

    status = Choice(*STATUSES, about="Only deliveries with this status.")
    event = Choice(*EVENTS, TEST, about="Only deliveries of this event.")


class MissedRetry(Input):
    """The earliest time; by default, everything that is kept."""

    since = Time()


class Queued(TypedDict):
    """How many deliveries were queued again."""

    queued: Count


class WebhookList(PageOf[Webhook]):
    """A page of webhooks, newest first."""


@inline
class Request(TypedDict):
    """What was sent, without the payload."""

    url: str
    headers: Json


@inline
class Answer(TypedDict):
    """The beginning of the answer."""

    status: Count
    body: str


@inline
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
