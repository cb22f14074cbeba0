"""What these operations answer."""

from __future__ import annotations

from typing import Annotated, TypedDict

from api.http.answers import OnePage, Timestamp, Uuid


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
