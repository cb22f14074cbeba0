"""Webhooks: what is accepted and what is answered."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from marshmallow import ValidationError, post_load

from api.outbox import notifications
from api.outbox.notifications import EVENTS, TEST
from api.schemas.fields import Choice, Flag, Items, Text
from api.schemas.labels import EXTERNAL_ID, METADATA, Labels
from api.schemas.members import UUID, Boolean, Count, DateTime, List, Map, Nested, Object, String
from api.schemas.patterns import Duration, Time
from api.schemas.requests.queries import Pages
from api.schemas.rulesets import Result
from api.schemas.shapes import Answer, Input, Json, page_of, part
from api.store.outbox.deliveries import STATUSES

MOST_URL = 2000
LONGEST_OVERLAP = timedelta(days=30)


def _is_web_address(url: str) -> None:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    printable = url.isascii() and url.isprintable() and " " not in url
    if not printable or parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        raise ValidationError("Must be an address such as https://example.org/notices.")
    if parts.username is not None or parts.fragment:
        raise ValidationError("Must have no user name, password or fragment.")


class Address(Text):
    """Where notices go: http or https."""

    keywords: Mapping[str, Any] = {"type": "string", "format": "uri", "pattern": "^https?://"}

    def __init__(self, **more: Any) -> None:
        super().__init__(1, MOST_URL, **more)
        self.validators = [*self.validators, _is_web_address]


def _events(**more: Any) -> Items:
    return Items(Choice(*EVENTS), 0, len(EVENTS), **more)


class NewWebhook(Input):
    """Where an app wants to be told of which events; of all but `move.made`, where it names none."""

    url = Address(required=True)
    events = _events(load_default=list)
    external_id = EXTERNAL_ID
    metadata = METADATA


class WebhookChange(Input):
    """What to change of a webhook; `enabled` switches it off or on."""

    url = Address()
    events = _events()
    enabled = Flag()
    external_id = EXTERNAL_ID
    metadata = METADATA


class SecretReplacement(Input):
    """For how long the old secret signs as well: a day unless told otherwise."""

    overlap = Duration()

    @post_load
    def bounded(self, data: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Two secrets for a while, not for good."""
        overlap = data.get("overlap", timedelta(days=1))
        if overlap > LONGEST_OVERLAP:
            raise ValidationError("Must be 30 days at most.", "overlap")
        return {"overlap": overlap}


class DeliveryFilters(Pages):
    """What deliveries to find."""

    status = Choice(*STATUSES, about="Only deliveries that have come to this.")
    event = Choice(*EVENTS, TEST, about="Only deliveries of this event.")


class MissedRetry(Input):
    """Since when; left out: all that is kept."""

    since = Time()


class Queued(Answer):
    """How many deliveries were queued again."""

    queued = Count()


class Webhook(Labels):
    """Where an app is told what happens."""

    id = UUID()
    url = String()
    events = List(Choice(*EVENTS), about="What it is told of; empty: everything but `move.made`.")
    enabled = Boolean()
    created_at = DateTime()
    failing_since = DateTime(null=True, about="Nothing has been received since then.")
    disabled_at = DateTime(null=True)


class WebhookSecret(Webhook):
    """A webhook with its secret, shown this once."""

    secret = String(about="The key of the signatures, `whsec_` and base64.")


WebhookList = page_of(Webhook, "WebhookList", "A page of webhooks, newest first.")


class Notice(Answer):
    """What is sent to a webhook: thin, whoever wants more asks for it with a token."""

    type = Choice(*EVENTS, TEST)
    timestamp = DateTime()
    data = part(
        "Of which game, and what follows from the type.",
        game=UUID(optional=True),
        version=Count(optional=True),
        seat=Count(null=True, optional=True),
        player=UUID(null=True, optional=True),
        deadline=DateTime(null=True, optional=True),
        webhook=UUID(optional=True),
        result=Nested(Result, null=True, optional=True),
        ruleset=String(optional=True),
        test_clock=UUID(optional=True, about="The game runs on this test clock, and the times are its."),
        title=String(null=True, optional=True),
        external_id=String(null=True, optional=True, about="The app's own id of the game."),
        metadata=Map(String(), optional=True, about="What the app notes of the game."),
    )


class Delivery(Answer):
    """A notice and how its delivery went."""

    id = UUID(about="The `webhook-id` of every attempt.")
    event = String()
    game = UUID(null=True)
    status = Choice(
        *STATUSES,
        about="`failed`: or missed while the webhook was off; `skipped`: given up by you.",
    )
    created_at = DateTime()
    next_at = DateTime(null=True, about="When it is tried next.")
    delivered_at = DateTime(null=True)
    payload = Nested(Notice)
    attempts = List(
        part(
            "One attempt to deliver.",
            at=DateTime(),
            request=part("What was sent, but for the payload.", url=String(), headers=Object()),
            answer=part("What came back; the beginning of it.", status=Count(), body=String(), null=True),
            error=String(null=True, about="Why nothing came back, or was not sent."),
        )
    )


DeliveryList = page_of(Delivery, "DeliveryList", "A page of deliveries, newest first.")

ABOUT = {
    notifications.GAME_CREATED: "A game has been made.",
    notifications.SEAT_JOINED: "A player or a bot has taken a seat.",
    notifications.SEAT_LEFT: "A seat has been left, before the start or for somebody else to take it over.",
    notifications.SEAT_REPLACED: "Somebody else has taken over a seat of a running game.",
    notifications.REVEAL_DUE: "All seats are taken, and a player has to reveal the seat's entropy in time.",
    notifications.SEAT_REVEALED: "A seat has revealed the entropy that it had committed to.",
    notifications.SEAT_FORFEITED: "A seat has not revealed its entropy in time; the game is called off.",
    notifications.GAME_STARTED: "Every seat is taken and the cards are dealt.",
    notifications.TURN_BEGAN: "A game waits for a player's seat, until the deadline if it has one.",
    notifications.TURN_WARNING: "A seat's deadline is near.",
    notifications.TURN_TIMED_OUT: "A seat's deadline has passed.",
    notifications.TURN_NUDGED: "A player has asked this seat to move at last.",
    notifications.DEADLINE_MOVED: "The deadline of a turn that is under way is now another one.",
    notifications.MOVE_MADE: "A move has been made. Only for webhooks that name this event.",
    notifications.TAKE_BACK_REQUESTED: "A seat asks to take back its last move.",
    notifications.TAKE_BACK_ANSWERED: "A seat agrees, or does not agree, that a move is taken back.",
    notifications.MOVE_TAKEN_BACK: "A seat's move has been taken back.",
    notifications.VACATION_TAKEN: "A seat has gone on vacation.",
    notifications.REPLACEMENT_AGREED: "A seat agrees to who shall take over another one.",
    notifications.SEAT_RESIGNED: "A seat has given up.",
    notifications.GAME_FINISHED: "A game has come to its result.",
    notifications.GAME_CANCELLED: "A game has been called off.",
    notifications.GAME_IMPORTED: "A game has been imported; its log until then is told of by this alone.",
    notifications.MESSAGE_POSTED: "Somebody has said something at the table.",
    notifications.ORDERS_CANCELLED: "A seat's next standing order could not be played, so all are void.",
    notifications.WEBHOOK_DISABLED: "Another webhook of the app is off: it failed for too long, or is gone.",
    notifications.TEST: "You asked for it.",
}


def webhooks(notice: Json) -> Json:
    """Describe every event as OpenAPI does: as a request that we make, given a reference to its body."""
    headers = [
        ("webhook-id", "The same at every attempt."),
        ("webhook-timestamp", "When this attempt was made, in seconds of Unix time."),
        ("webhook-signature", "`v1,` and a signature; two of them while a secret is being replaced."),
    ]
    parameters = [
        {"name": name, "in": "header", "required": True, "description": words, "schema": {"type": "string"}}
        for name, words in headers
    ]
    body = {"required": True, "content": {"application/json": {"schema": notice}}}
    return {
        event: {
            "post": {
                "operationId": "on_" + event.replace(".", "_"),
                "summary": words.rstrip("."),
                "tags": ["webhooks"],
                "security": [],
                "parameters": parameters,
                "requestBody": body,
                "responses": {"2XX": {"description": "Received. Anything else is tried again later."}},
            }
        }
        for event, words in ABOUT.items()
    }
