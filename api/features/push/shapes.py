"""What these operations accept and answer."""

from __future__ import annotations

from marshmallow import fields

from api.features.notices.shapes import Address
from api.http.fields import Anything, Text
from api.http.members import UUID, DateTime, List, Nested, String
from api.http.shapes import WHOLE, Answer, Input


class PushKeys(Input):
    """The browser's keys."""

    p256dh = Text(80, 100, required=True)
    auth = Text(20, 30, required=True)


class NewPushSubscription(Input):
    """The result of a browser's `PushSubscription.toJSON()`."""

    endpoint = Address(required=True)
    keys = fields.Nested(PushKeys, required=True)
    expirationTime = Anything(allow_none=True)


class PushSubscription(Answer):
    """A browser that receives push messages."""

    id = UUID()
    service = String(about="The push service that it uses.")
    created_at = DateTime()


class PushSubscriptions(Answer):
    """The browsers that receive a player's push messages."""

    key = String(about="The `applicationServerKey` to subscribe with.")
    items = List(Nested(PushSubscription))
    next = WHOLE
