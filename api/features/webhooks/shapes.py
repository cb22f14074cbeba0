"""Webhooks and deliveries in requests and answers."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from marshmallow import ValidationError, post_load, validates_schema

from api.features.webhooks.notices import Notice
from api.features.webhooks.queue import STATUSES
from api.games.events import EVENTS, TEST
from api.games.shapes import Address, GameWebhook, Webhook, events_field, include_field
from api.http.fields import Choice, Flag
from api.http.members import UUID, Count, DateTime, List, Nested, Object, String
from api.http.patterns import Duration, Id, Time
from api.http.queries import EXTERNAL_ID, METADATA, LabelledPages, Pages
from api.http.shapes import Answer, Input, page_of, part

LONGEST_OVERLAP = timedelta(days=30)


class WebhookChange(Input):
    """The changes of a webhook; `enabled` disables or enables it."""

    url = Address()
    events = events_field()
    include = include_field()
    ordered = Flag()
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


class WebhookFilters(LabelledPages):
    """Which webhooks to find."""

    game = Id(load_default=None, about="Only webhooks that are bound to this game.")


class Queued(Answer):
    """How many deliveries were queued again."""

    queued = Count()


WebhookList = page_of(Webhook, "WebhookList", "A page of webhooks, newest first.")


class Delivery(Answer):
    """A notification and the status of its delivery."""

    id = UUID(about="The `webhook-id` of every attempt.")
    event = String()
    game = UUID(null=True)
    status = Choice(
        *STATUSES,
        about="`failed` includes what a disabled webhook missed; `skipped`: given up by you, never received.",
    )
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


class NewWebhook(GameWebhook):
    """A webhook to create. Without `events`, it receives all that need not be named."""

    game = Id(
        load_default=None,
        allow_none=True,
        about="Only notices of this game of the app, until it is over.",
    )

    @validates_schema
    def follows_a_game(self, data: dict[str, Any], **kwargs: Any) -> None:
        """Refuse to follow the rematches of no game."""
        if data.get("follows_rematches") and data.get("game") is None:
            raise ValidationError("Only a webhook of one game follows its rematch.", "follows_rematches")
