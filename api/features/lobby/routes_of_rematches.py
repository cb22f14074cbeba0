"""Rematches of games, and invitations to seats."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from api.context import Context
from api.features.lobby import invitations, rematches
from api.features.lobby.answers import OwnInvitations
from api.games.answers import Game
from api.games.routes import created
from api.http import auth
from api.http.fields import Choice, Input
from api.http.operation import Operations


class Rematch(Input):
    """The seats in a rematch."""

    seats = Choice(
        "rotated",
        "same",
        load_default="rotated",
        about="Whether everybody moves up by one seat or keeps their seat.",
    )


blueprint = Operations("rematches", __name__, tag="games")


@blueprint.POST(
    "/v1/games/<uuid:game>/rematch",
    auth.APP_WRITERS_OR_GUESTS,
    Game,
    body=Rematch,
    cost=5,
    problems=("conflict", "limit-reached"),
    etag=True,
    idempotent=True,
    presents=created,
    creates="/v1/games",
)
def create_rematch(context: Context, game: UUID, body: dict[str, Any]) -> object:
    """Create a rematch: a new game with the same players.

    A guest or an account of this server can do this for a game in which they had a seat: they have a seat in
    the new game, and the other players are invited to theirs (`GET /v1/me/invitations`).

    The ruleset, options, pace, title and metadata are the same; the external id is not copied. Both games
    refer to each other. A game can have only one rematch.
    """
    return rematches.rematch(context, game, body["seats"] == "rotated")


@blueprint.GET("/v1/me/invitations", auth.PLAYERS_NARROWED, cost=2, tag="me")
def list_my_invitations(context: Context) -> OwnInvitations:
    """List the seats to which I am invited, in rematches of my games, newest first.

    I take such a seat without an invite code. A token for one game shows only the invitation to that game.
    """
    return invitations.mine(context)


@blueprint.DELETE(
    "/v1/me/invitations/<uuid:game>", auth.PLAYERS, "I am not invited to this game any more.", tag="me"
)
def decline_invitation(context: Context, game: UUID) -> None:
    """Decline an invitation. The seat stays open for whoever has its invite code."""
    invitations.decline(context, game)
