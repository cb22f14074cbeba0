"""What these operations accept."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from marshmallow import ValidationError, post_load

from api.features.notices.events import EVENTS, INCLUDED, TEST
from api.features.notices.inputs import Address
from api.features.webhooks.queue import STATUSES
from api.http.fields import Choice, Flag, Input, Items
from api.http.patterns import Duration, Time
from api.http.queries import EXTERNAL_ID, METADATA, Pages

LONGEST_OVERLAP = timedelta(days=30)


def events_field(**more: Any) -> Items:
    """Return the field that names events."""
    return Items(Choice(*EVENTS), 0, len(EVENTS), **more)


def include_field(**more: Any) -> Items:
    """Return the field that says what notices include in addition to ids."""
    about = "What notifications include: `entry` is the log entry, as it is shown without a seat."
    return Items(Choice(*INCLUDED), 0, len(INCLUDED), about=about, **more)


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
