"""Let people watch a private game."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from api.context import Context
from api.features.guests.routes import count_newcomer, uncached
from api.features.watching import watching
from api.features.watching.answers import Asked, WatchLink
from api.http import auth
from api.http.fields import Input, Name
from api.http.operation import Operations


class Asking(Input):
    """Who would like to watch a game."""

    name = Name(required=True)


blueprint = Operations("watching", __name__, "Let people watch a private game.")


@blueprint.POST(
    "/v1/games/<uuid:game>/watch-links",
    auth.PLAYERS,
    problems=("limit-reached",),
    idempotent=True,
    presents=uncached,
)
def create_watch_link(context: Context, game: UUID) -> WatchLink:
    """Create a token with which anybody may watch this game, for a player who has a seat in it.

    Whoever has it sees what a spectator of a public game sees, and nothing else: no hidden card before the
    end, no other game, no talk after the end. It is shown only once, and is one of the player's tokens, which
    can be revoked. It is valid for a year, as long as the player has a seat in the game. The link is
    `/table/{game}#watch={token}`.
    """
    return watching.create_link(context, game)


@blueprint.POST(
    "/v1/games/<uuid:game>/watch-requests",
    auth.ANYBODY,
    body=Asking,
    answers={204: "The players are told, if there is such a game."},
)
def ask_to_watch(context: Context, game: UUID, body: dict[str, Any]) -> None:
    """Ask the players of a private game to let one watch it.

    The answer is the same if there is no such game. The players read the name, of at most 20 people.
    """
    count_newcomer()
    watching.ask(context, game, body["name"])


@blueprint.GET("/v1/games/<uuid:game>/watch-requests", auth.PLAYERS)
def list_watch_requests(context: Context, game: UUID) -> Asked:
    """List who has asked to watch a private game, the first one first, for players who have a seat in it."""
    return watching.asked(context, game)
