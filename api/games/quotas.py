"""How much an app, a player or a network may have.

Requests at the same moment may exceed a limit by their number.
"""

from __future__ import annotations

from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Select

from api.context import Context
from api.core.callers import GUEST, PLAYER, SEAT_GUEST
from api.core.errors import LimitReached
from api.store import quotas as store


def require_room_for_game(context: Context, app_id: UUID) -> None:
    """Raise LimitReached if the app has as many games that are not over as it may have."""
    _require(context, store.GAMES, "The app has {:,} games that are not over.", "max_games", app_id=app_id)


class Maker(NamedTuple):
    """The player who makes a game, and a keyed hash of the network of a guest who does."""

    made_by: UUID | None = None
    made_in: bytes | None = None


def maker_of_game(context: Context) -> Maker:
    """Return who makes a game now. Raises LimitReached if it may make no more before others are over."""
    caller = context.caller
    if caller.kind != PLAYER or caller.by_app:
        return Maker()
    network = context.network if caller.scopes & {GUEST, SEAT_GUEST} else None
    made_in = network and context.session.cipher.digest(f"games from {network}".encode())
    maker = Maker(caller.player_id, made_in or None)
    of_player, of_network = {"made_by": maker.made_by}, {"made_in": maker.made_in}
    words = "The player has made {:,} games that are not over."
    _require(context, store.GAMES_OF_PLAYER, words, "max_player_games", **of_player)
    if maker.made_in is not None:
        words = "Guests in your network have made {:,} games that are not over."
        _require(context, store.GAMES_OF_NETWORK, words, "max_network_games", **of_network)
    return maker


def require_room_for_player(context: Context, app_id: UUID) -> None:
    """Raise LimitReached if the app has as many players as it may have."""
    _require(context, store.PLAYERS, "The app has {:,} players.", "max_players", app_id=app_id)


def require_room_for_token(context: Context, player_id: UUID) -> None:
    """Raise LimitReached if the player has as many valid tokens as a player may have."""
    of = {"player_id": player_id, "now": context.now()}
    _require(context, store.TOKENS, "The player has {:,} valid tokens.", "max_tokens", **of)


def require_room_for_key(context: Context, app_id: UUID) -> None:
    """Raise LimitReached if the app has as many valid keys as it may have."""
    of = {"app_id": app_id, "now": context.now()}
    _require(context, store.KEYS, "The app has {:,} valid keys.", "max_tokens", **of)


def _require(context: Context, statement: Select[Any], detail: str, setting: str, **of: Any) -> None:
    most = getattr(context.settings, setting)
    if store.reached(context.session, statement, most, **of):
        raise LimitReached(detail.format(most), setting=setting.upper(), limit=most)
