"""Guests: players without an app of their own, let in by an invite code or by the server itself."""

from __future__ import annotations

import hmac
from datetime import timedelta
from typing import Any
from uuid import UUID

from api.services import bots, tokens
from api.services.access import Sight, sight
from api.services.context import GUEST, Context, new_id, timestamp
from api.services.errors import Forbidden
from api.services.seats import require_free
from api.services.showing import invite, show_game
from api.services.table import Table, load, save
from api.store import credentials, players
from api.store import games as store
from api.store.players import Player

APP = "guests"  # the app that guests of the server belong to
STAY = timedelta(days=30)  # how long the token of such a guest is valid


def create(context: Context, name: str) -> dict[str, Any]:
    """Make a guest of this server, who may create games. Raises Forbidden where it takes none."""
    if not context.settings.guests:
        raise Forbidden("This server takes no guests.")
    expires_at = context.now() + STAY
    with context.session.transaction():
        app_id = credentials.ensure_app(context.session, new_id(), APP, context.now())
        player, token = _player(context, app_id, name, [GUEST], expires_at)
    return {"player": player, "token": token, "expires_at": timestamp(expires_at)}


def take_seat(context: Context, game_id: UUID, seat: int, wanted: dict[str, Any]) -> dict[str, Any]:
    """Make a player who sits down by an invite code, which is then used up; the token ends with the game.

    Raises NotFound, Forbidden, GameNotOpen, SeatTaken.
    """
    with context.session.transaction():
        table = load(context, game_id, lock=True)
        if not _fits(table, seat, wanted["invite"]):
            sight(context.caller, table)  # which refuses a game that the caller may not know of
            raise Forbidden("This is not the invite code of the seat, or it has been used.")
        require_free(table, seat)
        player, token = _player(context, table.app_id, wanted["name"], [], None)
        taken = table.seats[seat]
        taken.update(player={"id": player["id"], "name": player["name"]}, entropy=wanted["entropy"])
        taken.update(guest=True, invites=taken.get("invites", 0) + 1)
        store.seat_player(context.session, table.id, seat, UUID(player["id"]), None)
        now = context.now()
        table.join(now, seat)
        table.start_if_full(now)
        bots.play(context, table)
        save(context, table)
    table = bots.play_on(context, table)
    return {"player": player, "token": token, "expires_at": None, "game": show_game(table, Sight((seat,)))}


def _fits(table: Table, seat: int, code: str) -> bool:
    if not 0 <= seat < len(table.seats):
        return False
    return hmac.compare_digest(code.encode(), invite(table, seat).encode())


def _player(context: Context, app_id: UUID, name: str, scopes: list[str], expires_at: Any) -> Any:
    """Make a player with a token."""
    now = context.now()
    player = Player(new_id(), name, now)
    players.insert(context.session, player, app_id)
    token = tokens.new(tokens.PLAYER_PREFIX, context.random_bytes)
    credentials.insert(
        context.session, new_id(), app_id, player.id, tokens.digest(token), scopes, now, expires_at
    )
    return {"id": str(player.id), "name": name, "created_at": timestamp(now)}, token
