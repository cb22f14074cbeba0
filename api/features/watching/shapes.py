"""What these operations accept and answer."""

from __future__ import annotations

from api.http.fields import Name
from api.http.members import UUID, DateTime, List, Nested, String
from api.http.shapes import WHOLE, Answer, Input


class WatchLink(Answer):
    """A token with which anybody may watch one game; it is shown only once."""

    id = UUID()
    token = String()
    expires_at = DateTime()


class Asker(Answer):
    """Somebody who would like to watch a game."""

    name = String(about="As whoever asked has written it; nobody has checked it.")
    at = DateTime()


class Asked(Answer):
    """Who would like to watch a game, the first one first."""

    items = List(Nested(Asker))
    next = WHOLE


class Asking(Input):
    """Who would like to watch a game."""

    name = Name(required=True)
