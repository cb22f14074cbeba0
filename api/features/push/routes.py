"""The browsers that receive a player's push messages."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from marshmallow import fields

from api.context import Context
from api.features.notices.inputs import Address
from api.features.push import browsers
from api.features.push.answers import PushSubscription, PushSubscriptions
from api.http import auth
from api.http.fields import Anything, Input, Text
from api.http.operation import Operations


class PushKeys(Input):
    """The browser's keys."""

    p256dh = Text(80, 100, required=True)
    auth = Text(20, 30, required=True)


class NewPushSubscription(Input):
    """The result of a browser's `PushSubscription.toJSON()`."""

    endpoint = Address(required=True)
    keys = fields.Nested(PushKeys, required=True)
    expirationTime = Anything(allow_none=True)


blueprint = Operations("push", __name__, tag="notices")


@blueprint.GET("/v1/me/push-subscriptions", auth.PLAYERS)
def list_push_subscriptions(context: Context) -> PushSubscriptions:
    """List the browsers that receive my push messages, and the key for subscribing.

    `key` is the `applicationServerKey` for `PushManager.subscribe`; it is different for every player.
    """
    return browsers.show(context)


@blueprint.POST(
    "/v1/me/push-subscriptions",
    auth.PLAYERS,
    body=NewPushSubscription,
    idempotent=True,
    problems=("conflict",),
)
def add_push_subscription(context: Context, body: dict[str, Any]) -> PushSubscription:
    """Send my push messages to one more browser.

    The body is the result of the browser's `PushSubscription.toJSON()`. A message is JSON with `title`,
    `url`, `tag`, and the content of webhooks (`type`, `timestamp`, `data`). When the push service answers 404
    or 410, the browser is removed. It gets messages as long as the token of this request is not revoked; the
    same body with another token lets them go on.
    """
    return browsers.add(context, {"endpoint": body["endpoint"], "keys": body["keys"]})


@blueprint.DELETE(
    "/v1/me/push-subscriptions/<uuid:subscription>", auth.PLAYERS, "The device gets no more push messages."
)
def delete_push_subscription(context: Context, subscription: UUID) -> None:
    """Stop sending push messages to a browser."""
    browsers.delete(context, subscription)
