"""Webhooks: what is accepted and what is answered."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from marshmallow import ValidationError, post_load

from api.outbox import notifications
from api.outbox.notifications import EVENTS, TEST
from api.schemas.answers import (
    BOOLEAN,
    COUNT,
    ID,
    OBJECT,
    STRING,
    TIME,
    Schema,
    array,
    choice,
    listing,
    nullable,
    ref,
    shape,
)
from api.schemas.fields import Choice, Duration, Flag, Input, Items, Text

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

    def __init__(self, **more: Any) -> None:
        super().__init__(1, MOST_URL, **more)
        self.validators = [*self.validators, _is_web_address]

    def json_schema(self) -> Schema:
        """Describe as JSON Schema."""
        return {"type": "string", "format": "uri", "pattern": "^https?://", "maxLength": MOST_URL}


def _events(**more: Any) -> Items:
    return Items(Choice(*EVENTS), 0, len(EVENTS), **more)


class NewWebhook(Input):
    """Where an app wants to be told of which events; of all but `move.made`, where it names none."""

    url = Address(required=True)
    events = _events(load_default=list)


class WebhookChange(Input):
    """What to change of a webhook; `enabled` switches it off or on."""

    url = Address()
    events = _events()
    enabled = Flag()


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


WEBHOOK: dict[str, Schema] = {
    "id": ID,
    "url": STRING,
    "events": {
        **array(choice(*EVENTS)),
        "description": "What it is told of; empty: everything but `move.made`.",
    },
    "enabled": BOOLEAN,
    "created_at": TIME,
    "failing_since": {**nullable(TIME), "description": "Nothing has been received since then."},
    "disabled_at": nullable(TIME),
}
SECRET: Schema = {**STRING, "description": "The key of the signatures, `whsec_` and base64."}
ATTEMPT = shape(
    "One attempt to deliver.",
    at=TIME,
    request=shape("What was sent, but for the payload.", url=STRING, headers=OBJECT),
    answer=nullable(shape("What came back; the beginning of it.", status=COUNT, body=STRING)),
    error={**nullable(STRING), "description": "Why nothing came back, or was not sent."},
)

SCHEMAS: dict[str, Schema] = {
    "Webhook": shape("Where an app is told what happens.", **WEBHOOK),
    "WebhookSecret": shape("A webhook with its secret, shown this once.", **WEBHOOK, secret=SECRET),
    "WebhookList": listing("Webhook", "A page of webhooks, newest first."),
    "Notice": shape(
        "What is sent to a webhook: thin, whoever wants more asks for it with a token.",
        type=choice(*EVENTS, TEST),
        timestamp=TIME,
        data={
            **shape(
                "Of which game, and what follows from the type.",
                {
                    "game": ID,
                    "version": COUNT,
                    "seat": nullable(COUNT),
                    "player": nullable(ID),
                    "deadline": nullable(TIME),
                    "webhook": ID,
                },
            ),
        },
    ),
    "Delivery": shape(
        "A notice and how its delivery went.",
        id={**ID, "description": "The `webhook-id` of every attempt."},
        event=STRING,
        game=nullable(ID),
        status=choice("pending", "delivered", "failed"),
        created_at=TIME,
        next_at={**nullable(TIME), "description": "When it is tried next."},
        delivered_at=nullable(TIME),
        payload=ref("Notice"),
        attempts=array(ATTEMPT),
    ),
    "DeliveryList": listing("Delivery", "A page of deliveries, newest first."),
}

ABOUT = {
    notifications.GAME_CREATED: "A game has been made.",
    notifications.SEAT_JOINED: "A player or a bot has taken a seat.",
    notifications.SEAT_LEFT: "A seat has been left, before the start or for somebody else to take it over.",
    notifications.SEAT_REPLACED: "Somebody else has taken over a seat of a running game.",
    notifications.GAME_STARTED: "Every seat is taken and the cards are dealt.",
    notifications.TURN_BEGAN: "A game waits for a player's seat, until the deadline if it has one.",
    notifications.TURN_WARNING: "A seat's deadline is near.",
    notifications.TURN_TIMED_OUT: "A seat's deadline has passed.",
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


def published() -> dict[str, Any]:
    """Describe every event as OpenAPI does: as a request that we make."""
    headers = [
        ("webhook-id", "The same at every attempt."),
        ("webhook-timestamp", "When this attempt was made, in seconds of Unix time."),
        ("webhook-signature", "`v1,` and a signature; two of them while a secret is being replaced."),
    ]
    parameters = [
        {"name": name, "in": "header", "required": True, "description": words, "schema": STRING}
        for name, words in headers
    ]
    body = {"required": True, "content": {"application/json": {"schema": ref("Notice")}}}
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
