"""What these operations accept and answer."""

from __future__ import annotations

from typing import Annotated, TypedDict

from marshmallow import fields

from api.features.notices.shapes import Address
from api.http.answers import OnePage, Timestamp, Uuid
from api.http.fields import Anything, Text
from api.http.shapes import Input


class PushKeys(Input):
    """The browser's keys."""

    p256dh = Text(80, 100, required=True)
    auth = Text(20, 30, required=True)


class NewPushSubscription(Input):
    """The result of a browser's `PushSubscription.toJSON()`."""

    endpoint = Address(required=True)
    keys = fields.Nested(PushKeys, required=True)
    expirationTime = Anything(allow_none=True)


class PushSubscription(TypedDict):
    """A browser that receives push messages."""

    id: Uuid
    service: Annotated[str, "The push service that it uses."]
    created_at: Timestamp


class PushSubscriptions(TypedDict):
    """The browsers that receive a player's push messages."""

    key: Annotated[str, "The `applicationServerKey` to subscribe with."]
    items: list[PushSubscription]
    next: OnePage
