"""Webhooks in requests and answers; a game can be created with one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from marshmallow import ValidationError

from api.game.events import EVENTS, INCLUDED
from api.schemas.fields import Choice, Flag, Items, Text
from api.schemas.labels import EXTERNAL_ID, METADATA, Labels
from api.schemas.members import UUID, Boolean, DateTime, List, String
from api.schemas.shapes import Input

MOST_URL = 2000


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


def events_field(**more: Any) -> Items:
    """Return the field that names events."""
    return Items(Choice(*EVENTS), 0, len(EVENTS), **more)


def include_field(**more: Any) -> Items:
    """Return the field that says what notices include in addition to ids."""
    about = "What notifications include: `entry` is the log entry, as it is shown without a seat."
    return Items(Choice(*INCLUDED), 0, len(INCLUDED), about=about, **more)


class GameWebhook(Input):
    """A webhook to create for one game, until the game is over."""

    url = Address(required=True)
    events = events_field(load_default=list)
    include = include_field(load_default=list)
    follows_rematches = Flag(
        load_default=False,
        about="If it is for one game: continue with a webhook for the game's rematch, with the same address, "
        "events and secret.",
    )
    ordered = Flag(
        load_default=True,
        about="False: the notifications of a game come in any order; none waits for one that was refused.",
    )
    external_id = EXTERNAL_ID
    metadata = METADATA


class Webhook(Labels):
    """An address of an app for notifications."""

    id = UUID()
    url = String()
    events = List(Choice(*EVENTS), about="The events that it receives; empty: all except `move.made`.")
    include = List(Choice(*INCLUDED), about="What notifications include in addition to ids.")
    game = UUID(
        null=True, about="The game whose notifications it gets, until the game is over; null: all games."
    )
    follows_rematches = Boolean(optional=True, about="A rematch of its game gets a webhook like it.")
    ordered = Boolean(optional=True, about="The notifications of a game come in order.")
    enabled = Boolean()
    created_at = DateTime()
    failing_since = DateTime(null=True, about="Nothing has been received since then.")
    disabled_at = DateTime(null=True)
    ended_at = DateTime(
        null=True, about="The end of its game; the webhook is kept as long as its deliveries."
    )


class WebhookSecret(Webhook):
    """A webhook with its secret, which is shown only once."""

    secret = String(about="The key of the signatures, `whsec_` and base64.")
