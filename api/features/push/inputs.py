"""What these operations accept."""

from __future__ import annotations

from marshmallow import fields

from api.features.notices.inputs import Address
from api.http.fields import Anything, Input, Text


class PushKeys(Input):
    """The browser's keys."""

    p256dh = Text(80, 100, required=True)
    auth = Text(20, 30, required=True)


class NewPushSubscription(Input):
    """The result of a browser's `PushSubscription.toJSON()`."""

    endpoint = Address(required=True)
    keys = fields.Nested(PushKeys, required=True)
    expirationTime = Anything(allow_none=True)
