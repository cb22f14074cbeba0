"""How much an app, a player or a network may have.

Requests at the same moment may exceed a limit by their number.
"""

from __future__ import annotations

from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Select

from api.context import Context
from api.core import resources
from api.core.callers import GUEST, PLAYER, SEAT_GUEST
from api.core.errors import LimitReached
from api.core.shares import Party, Resource
from api.store import quotas as store

LEVEL = 8  # bytes of the hash of each level of a party, in its path


class Quota(NamedTuple):
    """What an app may have so many of as a setting says, and each of those who make them a share."""

    resource: Resource
    setting: str
    what: str
    there: Select[Any]
    made: Select[Any]


GAMES = Quota(resources.GAMES, "max_games", "{:,} games that are not over", store.GAMES, store.GAMES_MADE)
PLAYERS = Quota(resources.PLAYERS, "max_players", "{:,} players", store.PLAYERS, store.PLAYERS_MADE)


def maker_of_game(context: Context, app_id: UUID) -> bytes | None:
    """Return the path of who makes a game of an app now, if that is a player. Raises LimitReached."""
    caller = context.caller
    if caller.kind != PLAYER or caller.by_app:
        return _room_for(context, GAMES, app_id)
    guest = caller.scopes & {GUEST, SEAT_GUEST}
    return _room_for(context, GAMES, app_id, (*(context.networks if guest else ()), str(caller.player_id)))


def maker_of_guest(context: Context, app_id: UUID) -> bytes | None:
    """Return the path of the networks in which a guest comes. Raises LimitReached."""
    return _room_for(context, PLAYERS, app_id, context.networks)


def require_room_for_player(context: Context, app_id: UUID) -> None:
    """Raise LimitReached if the app has as many players as it may have."""
    _room_for(context, PLAYERS, app_id)


def _room_for(context: Context, quota: Quota, app_id: UUID, maker: Party = ()) -> bytes | None:
    """Return the path of a party that makes one more of what an app has. Raises LimitReached."""
    most, session = getattr(context.settings, quota.setting), context.session
    path = b"".join(session.cipher.digest(f"maker {level}".encode())[:LEVEL] for level in maker)
    levels = [path[:end] for end in range(LEVEL, len(path) + 1, LEVEL)]
    used = store.count(session, quota.there, most, app_id=app_id)
    has = [store.count_made(session, quota.made, most, level) for level in levels]
    if not quota.resource.has_room(most, used, has):
        words = "The app has " if used >= most else "You, or your network, have made too many of the "
        detail = words + quota.what.format(most) + "."
        raise LimitReached(detail, setting=quota.setting.upper(), limit=most)
    return path or None


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
    if store.count(context.session, statement, most, **of) >= most:
        raise LimitReached(detail.format(most), setting=setting.upper(), limit=most)
