"""An app's players and their tokens."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from flask import Blueprint

from api.accounts import players
from api.core.context import Context
from api.http import auth
from api.http.operation import operation
from api.schemas import requests

blueprint = Blueprint("players", __name__)


def _created(player: dict[str, Any]) -> Any:
    return player, 201, {"Location": f"/v1/players/{player['id']}"}


@operation(
    blueprint,
    "POST",
    "/v1/players",
    audience=auth.APP_WRITERS,
    body=requests.NewPlayer,
    answers={201: "Player"},
    idempotent=True,
    presents=_created,
)
def create_player(context: Context, body: dict[str, Any]) -> Any:
    """Make a player."""
    return players.create(context, body["name"])


@operation(
    blueprint,
    "GET",
    "/v1/players",
    audience=auth.APP_READERS,
    query=requests.Pages,
    answers={200: "PlayerList"},
)
def list_players(context: Context, query: dict[str, Any]) -> Any:
    """List the app's players, newest first."""
    return players.page(context, query["page"])


@operation(
    blueprint,
    "GET",
    "/v1/players/<uuid:player>",
    audience=auth.READERS,
    answers={200: "Player"},
    problems=("not-found",),
)
def get_player(context: Context, player: UUID) -> Any:
    """Show a player.

    An app its own players, a player itself.
    """
    return players.get(context, player)


@operation(
    blueprint,
    "PATCH",
    "/v1/players/<uuid:player>",
    audience=auth.APP_WRITERS,
    body=requests.NewPlayer,
    answers={200: "Player"},
    problems=("not-found",),
)
def rename_player(context: Context, player: UUID, body: dict[str, Any]) -> Any:
    """Return a player another name.

    Games keep the name that the player sat down with.
    """
    return players.rename(context, player, body["name"])


@operation(
    blueprint,
    "DELETE",
    "/v1/players/<uuid:player>",
    audience=auth.APP_WRITERS,
    answers={204: None},
    problems=("not-found",),
)
def delete_player(context: Context, player: UUID) -> Any:
    """Remove a player and revoke its tokens."""
    players.delete(context, player)
    return None, 204


@operation(
    blueprint,
    "POST",
    "/v1/players/<uuid:player>/tokens",
    audience=auth.APP_WRITERS,
    body=requests.NewToken,
    answers={201: "NewTokenShown"},
    idempotent=True,
    problems=("not-found",),
)
def create_token(context: Context, player: UUID, body: dict[str, Any]) -> Any:
    """Make a token of a player, shown this once."""
    return players.create_token(context, player, body["expires_in"])


@operation(
    blueprint,
    "GET",
    "/v1/players/<uuid:player>/tokens",
    audience=auth.APP_READERS,
    query=requests.Pages,
    answers={200: "TokenList"},
    problems=("not-found",),
)
def list_tokens(context: Context, player: UUID, query: dict[str, Any]) -> Any:
    """List a player's tokens, newest first; never the tokens themselves."""
    return players.list_tokens(context, player, query["page"])


@operation(
    blueprint,
    "DELETE",
    "/v1/players/<uuid:player>/tokens/<uuid:token>",
    audience=auth.APP_WRITERS,
    answers={204: None},
    problems=("not-found",),
)
def revoke_token(context: Context, player: UUID, token: UUID) -> Any:
    """Revoke a token for good."""
    players.revoke_token(context, player, token)
    return None, 204
