"""An app's players and their tokens."""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import UUID

from api.accounts import players
from api.context import Context
from api.http import auth
from api.http.conditional import require_same, tagged
from api.http.operation import Operations, created
from api.schemas.people import NewTokenShown, Player, PlayerList, TokenList
from api.schemas.requests.people import NewPlayer, NewToken, PlayerChange
from api.schemas.requests.queries import LabelledPages, Pages

blueprint = Operations("players", __name__)


@blueprint.POST(
    "/v1/players",
    auth.APP_WRITERS,
    Player,
    body=NewPlayer,
    idempotent=True,
    problems=("external-id-taken", "limit-reached"),
    presents=created("/v1/players"),
)
def create_player(context: Context, body: dict[str, Any]) -> Any:
    """Create a player."""
    return players.create(context, body)


@blueprint.GET("/v1/players", auth.APP_READERS, PlayerList, query=LabelledPages)
def list_players(context: Context, query: dict[str, Any]) -> Any:
    """List the app's players, newest first."""
    return players.page(context, query["page"], query["labels"])


@blueprint.GET("/v1/players/<uuid:player>", auth.READERS, Player, etag=True, cacheable=False, presents=tagged)
def get_player(context: Context, player: UUID) -> Any:
    """Show a player.

    An app can read its own players, a player only themselves.
    """
    return players.get(context, player)


@blueprint.PATCH(
    "/v1/players/<uuid:player>",
    auth.APP_WRITERS,
    Player,
    body=PlayerChange,
    problems=("external-id-taken",),
    etag=True,
    presents=tagged,
)
def rename_player(context: Context, player: UUID, body: dict[str, Any]) -> Any:
    """Change a player's name, external id or metadata.

    Existing games keep the name that the player had when joining. Only the named keys of the metadata change.
    """
    return players.change(context, player, body, partial(require_same, context))


@blueprint.DELETE("/v1/players/<uuid:player>", auth.APP_WRITERS)
def delete_player(context: Context, player: UUID) -> None:
    """Delete a player and revoke their tokens."""
    players.delete(context, player)


@blueprint.POST(
    "/v1/players/<uuid:player>/tokens",
    auth.APP_WRITERS,
    NewTokenShown,
    body=NewToken,
    problems=("limit-reached",),
    idempotent=True,
)
def create_token(context: Context, player: UUID, body: dict[str, Any]) -> Any:
    """Create a token for a player, shown only once.

    With `game`, the token is for this game only: made by your server with a short `expires_in`, it can be
    given to a page that shows the table. It sees and acts for the seats that the player holds there.
    """
    return players.create_token(context, player, body["expires_in"], body["game"])


@blueprint.GET("/v1/players/<uuid:player>/tokens", auth.APP_READERS, TokenList, query=Pages)
def list_tokens(context: Context, player: UUID, query: dict[str, Any]) -> Any:
    """List a player's tokens, newest first, without the tokens themselves."""
    return players.list_tokens(context, player, query["page"])


@blueprint.DELETE("/v1/players/<uuid:player>/tokens/<uuid:token>", auth.APP_WRITERS)
def revoke_token(context: Context, player: UUID, token: UUID) -> None:
    """Revoke a token permanently."""
    players.revoke_token(context, player, token)
