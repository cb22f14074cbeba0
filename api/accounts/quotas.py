"""How much an app may have. Requests at the same moment may exceed a limit by their number."""

from __future__ import annotations

from uuid import UUID

from api.context import Context
from api.core.errors import LimitReached
from api.store import quotas as store


def require_room_for_game(context: Context, app_id: UUID) -> None:
    """Raise LimitReached if the app has as many games that are not over as it may have."""
    most = context.settings.max_games
    if store.has_games(context.session, app_id, most):
        raise _reached("The app has {} games that are not over.", "MAX_GAMES", most)


def require_room_for_player(context: Context, app_id: UUID) -> None:
    """Raise LimitReached if the app has as many players as it may have."""
    most = context.settings.max_players
    if store.has_players(context.session, app_id, most):
        raise _reached("The app has {} players.", "MAX_PLAYERS", most)


def require_room_for_token(context: Context, player_id: UUID) -> None:
    """Raise LimitReached if the player has as many valid tokens as a player may have."""
    most = context.settings.max_tokens
    if store.has_tokens(context.session, player_id, most, context.now()):
        raise _reached("The player has {} valid tokens.", "MAX_TOKENS", most)


def require_room_for_key(context: Context, app_id: UUID) -> None:
    """Raise LimitReached if the app has as many valid keys as it may have."""
    most = context.settings.max_tokens
    if store.has_keys(context.session, app_id, most, context.now()):
        raise _reached("The app has {} valid keys.", "MAX_TOKENS", most)


def _reached(detail: str, setting: str, most: int) -> LimitReached:
    return LimitReached(detail.format(f"{most:,}"), setting=setting, limit=most)
