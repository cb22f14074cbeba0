"""Watching a private game: links that let people, and asking the players for one."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from api.callers.players import new_token
from api.context import Context
from api.core.callers import OF_GAME, WATCH
from api.core.errors import Forbidden
from api.features.watching import answers, store
from api.games import quotas
from api.games.loading import load
from api.games.views import Visibility, visibility_of
from api.http import idempotency
from api.store import games
from referee.clocks import timestamp

LASTS = timedelta(days=365)


def create_link(context: Context, game_id: UUID) -> answers.WatchLink:
    """Create a token with which anybody may watch this game. Raises NotFound, Forbidden, LimitReached."""
    with idempotency.transaction(context):
        _require_seated(context, game_id)
        quotas.require_room_for_token(context, context.player_id)
        caller, scopes = context.caller, [WATCH, f"{OF_GAME}{game_id}"]
        expires_at = context.now() + LASTS
        if (caller.by_app or caller.only_game) and caller.expires_at is not None:  # as its app limits it
            expires_at = min(expires_at, caller.expires_at)
        made_with = caller.credential_id  # whoever revokes a key with its tokens means these, too
        token_id, token = new_token(
            context, context.app_id, context.player_id, scopes, expires_at, parent_id=made_with
        )
        answer: answers.WatchLink = {"id": str(token_id), "token": token, "expires_at": timestamp(expires_at)}
        return idempotency.keep(context, answer)


def ask(context: Context, game_id: UUID, name: str) -> None:
    """Tell the players of a game that somebody would like to watch it.

    Whether there is such a game is not told.
    """
    app_id = games.app_of(context.session, game_id)
    if app_id is not None:
        context.session.see(app_id)  # of the game nothing is shown, and nothing is changed that others see
        store.add(context.session, game_id, name, timestamp(context.now()))


def asked(context: Context, game_id: UUID) -> answers.Asked:
    """List who would like to watch, for those who could let them. Raises NotFound, Forbidden."""
    _require_seated(context, game_id)
    return {"items": store.of(context.session, game_id), "next": None}


def _require_seated(context: Context, game_id: UUID) -> Visibility:
    visibility = visibility_of(context.caller, load(context, game_id))
    if not visibility.seats:
        raise Forbidden("Only who has a seat in this game may do this.")
    return visibility
