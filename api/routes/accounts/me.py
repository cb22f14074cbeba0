"""The caller, and the games that wait for the caller."""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import UUID

from api.accounts import players
from api.context import Context
from api.http import auth
from api.http.operation import JSON, Operations
from api.play.search import former
from api.play.seating import invitations
from api.routes.streams import sending
from api.routes.streams.sending import STREAM
from api.schemas.games import GameList
from api.schemas.people import Me, OwnInvitations, TurnList
from api.schemas.requests.queries import Pages, TurnPages
from api.streams import inbox

blueprint = Operations("me", __name__)


@blueprint.GET("/v1/me", auth.HOLDERS, Me)
def get_me(context: Context) -> Any:
    """Return the owner of the token."""
    return players.me(context)


@blueprint.GET(
    "/v1/me/former-games", auth.PLAYERS, GameList, query=Pages, cost=5, problems=("archive-unreadable",)
)
def list_my_former_games(context: Context, query: dict[str, Any]) -> Any:
    """List the games in which I handed my seat over and have no seat now, newest first.

    A private game is shown as it was when I left. A page may have fewer games than its `limit`: an app that
    acts for me does not see games that are private to the players' own tokens.
    """
    return former(context, query["page"])


@blueprint.GET("/v1/me/invitations", auth.PLAYERS, OwnInvitations, cost=2)
def list_my_invitations(context: Context) -> Any:
    """List the seats to which I am invited, in rematches of my games, newest first.

    I take such a seat without an invite code.
    """
    return invitations.mine(context)


@blueprint.DELETE("/v1/me/invitations/<uuid:game>", auth.PLAYERS)
def decline_invitation(context: Context, game: UUID) -> None:
    """Decline an invitation. The seat stays open for whoever has its invite code."""
    invitations.decline(context, game)


@blueprint.GET("/v1/me/turns", auth.PLAYERS, TurnList, query=TurnPages, produces=(JSON, STREAM))
def list_my_turns(context: Context, query: dict[str, Any]) -> Any:
    """List the games in which it is my turn, the earliest deadline first.

    With `wait`, an empty first page waits until there is such a game. As `text/event-stream` it is live: the
    event `turns` has the first page, and is sent again after each change.
    """
    page = query["page"]
    read = partial(players.turns, chosen=page)
    following = (context, sending.live(), sending.look_up(context, auth.PLAYERS), read)
    if sending.form(JSON, STREAM) == STREAM:
        with sending.held(context) as held:
            return sending.stream(inbox.follow(*following), held)
    if "wait" in query and page.cursor is None:
        with sending.held(context):
            return inbox.wait(*following, sending.timeout(context, query["wait"])), 200, sending.CLOSE
    return players.turns(context, page)
