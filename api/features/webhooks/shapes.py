"""Webhooks and deliveries in requests and answers."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from marshmallow import ValidationError, post_load

from api.features.notices.events import ALL_BUT, EVENTS, INCLUDED, TEST
from api.features.notices.outbox import DELIVERED, FAILED, PENDING
from api.features.notices.shapes import Address
from api.features.webhooks.notices import Notice
from api.http.fields import Choice, Flag, Items
from api.http.members import UUID, Boolean, Count, DateTime, List, Nested, Object, String
from api.http.patterns import Duration, Time
from api.http.queries import EXTERNAL_ID, METADATA, Labels, Pages
from api.http.shapes import Answer, Input, page_of, part

STATUSES = PENDING, DELIVERED, FAILED
LONGEST_OVERLAP = timedelta(days=30)


def events_field(**more: Any) -> Items:
    """Return the field that names events."""
    return Items(Choice(*EVENTS), 0, len(EVENTS), **more)


def include_field(**more: Any) -> Items:
    """Return the field that says what notices include in addition to ids."""
    about = "What notifications include: `entry` is the log entry, as it is shown without a seat."
    return Items(Choice(*INCLUDED), 0, len(INCLUDED), about=about, **more)


class Webhook(Labels):
    """An address of an app for notifications."""

    id = UUID()
    url = String()
    events = List(Choice(*EVENTS), about=f"The events that it receives; empty: {ALL_BUT}.")
    include = List(Choice(*INCLUDED), about="What notifications include in addition to ids.")
    enabled = Boolean()
    created_at = DateTime()
    failing_since = DateTime(null=True, about="Nothing has been received since then.")
    disabled_at = DateTime(null=True)


class WebhookSecret(Webhook):
    """A webhook with its secret, which is shown only once."""

    secret = String(about="The key of the signatures, `whsec_` and base64.")


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


class Queued(Answer):
    """How many deliveries were queued again."""

    queued = Count()


WebhookList = page_of(Webhook, "WebhookList", "A page of webhooks, newest first.")


class Delivery(Answer):
    """A notification and the status of its delivery."""

    id = UUID(about="The `webhook-id` of every attempt.")
    event = String()
    game = UUID(null=True)
    status = Choice(*STATUSES, about="`failed` includes what a disabled webhook missed.")
    created_at = DateTime()
    next_at = DateTime(null=True, about="The time of the next attempt.")
    delivered_at = DateTime(
        null=True,
        about="When it was received. A retry keeps it until it is received again, or has failed for good.",
    )
    payload = Nested(Notice)
    attempts = List(
        part(
            "One attempt to deliver.",
            at=DateTime(),
            request=part("What was sent, without the payload.", url=String(), headers=Object()),
            answer=part("The beginning of the answer.", status=Count(), body=String(), null=True),
            error=String(null=True, about="Why there was no answer, or why nothing was sent."),
        )
    )


DeliveryList = page_of(Delivery, "DeliveryList", "A page of deliveries, newest first.")
