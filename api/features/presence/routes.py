"""Who follows a game."""

from __future__ import annotations

from uuid import UUID

from api.context import Context
from api.features.presence import presence
from api.features.presence.presence import Presence
from api.http import auth
from api.http.operation import Operations

blueprint = Operations("presence", __name__, tag="games")


@blueprint.GET("/v1/games/<uuid:game>/presence", auth.READERS_OR_ANYBODY)
def get_presence(context: Context, game: UUID) -> Presence:
    """Say which players follow the game now, when the others last did, and how many people watch.

    Somebody follows a game while a stream of `/v1/games/{game}/events` is open, for a player also if an app
    has opened it for them. Streams with an app's own key do not count. What is said is up to 35 seconds old.
    """
    return presence.of_game(context, game)
