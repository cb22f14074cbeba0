"""What these operations answer."""

from __future__ import annotations

from typing import Annotated, TypedDict

from api.http.answers import OnePage, Timestamp, Uuid


class WatchLink(TypedDict):
    """A token with which anybody may watch one game; it is shown only once."""

    id: Uuid
    token: str
    expires_at: Timestamp


class Asker(TypedDict):
    """Somebody who would like to watch a game."""

    name: Annotated[str, "As whoever asked has written it; nobody has checked it."]
    at: Timestamp


class Asked(TypedDict):
    """Who would like to watch a game, the first one first."""

    items: list[Asker]
    next: OnePage
