"""Taking and leaving seats before the start."""

from __future__ import annotations

import hmac
from typing import Any
from uuid import UUID

from api.services import bots
from api.services.access import SPECTATOR, Sight, seats_of, sight
from api.services.context import APP, PLAYER, Context
from api.services.errors import Forbidden, GameNotOpen, NotFound, SeatTaken
from api.services.showing import invite, show_game
from api.services.table import OPEN, Table, load, save
from api.store import games as store
from api.store import players


def take(context: Context, game_id: UUID, seat: int, wanted: dict[str, Any]) -> dict[str, Any]:
    """Sit down on an open seat, or with its invite code; the last one to sit down starts the game.

    An app key seats one of its own players. Raises NotFound, Forbidden, GameNotOpen, SeatTaken.
    """
    with context.session.transaction():
        table = load(context, game_id, lock=True)
        seen = _sight(context, table, seat, wanted.get("invite"))
        player = _player(context, table, wanted.get("player"))
        _require_open(table, seat)
        taken = table.seats[seat]
        if taken["player"] and taken["player"] == player:
            return show_game(table, seen)
        require_free(table, seat)
        taken["player"], taken["entropy"] = player, wanted.get("entropy", "")
        store.seat_player(context.session, table.id, seat, UUID(player["id"]), None)
        now = context.now()
        table.join(now, seat)
        table.start_if_full(now)
        bots.play(context, table)
        save(context, table)
    table = bots.play_on(context, table)
    return show_game(table, _after(context, table, seen))


def leave(context: Context, game_id: UUID, seat: int) -> None:
    """Get up before the start. Raises NotFound, Forbidden, GameNotOpen."""
    with context.session.transaction():
        table = load(context, game_id, lock=True)
        seen = sight(context.caller, table)
        _require_open(table, seat)
        taken = table.seats[seat]
        if not seen.maker and seat not in seen.seats:
            raise Forbidden(f"Seat {seat} is not yours to leave.")
        if not taken["player"] and not taken["bot"]:
            return
        who = {"seat": seat, "player": taken["player"], "bot": taken["bot"]}
        taken.update(player=None, bot=None, entropy="", guest=False, host=False)
        store.seat_player(context.session, table.id, seat, None, None)
        table.write("left", context.now(), who)
        save(context, table)


def _sight(context: Context, table: Table, seat: int, code: str | None) -> Sight:
    """An invite lets a player of the app know of the game; without one it has to be visible already."""
    caller = context.caller
    fits = (
        code is not None
        and 0 <= seat < len(table.seats)
        and hmac.compare_digest(code.encode(), invite(table, seat).encode())
    )
    if fits and caller.kind == PLAYER and caller.app_id == table.app_id:
        return Sight(seats_of(caller, table))
    seen = sight(caller, table)
    if caller.app_id != table.app_id:
        raise Forbidden("Only players of the app that made this game may sit down.")
    if code is not None and not fits:
        raise Forbidden("This is not the invite code of the seat.")
    return seen


def _player(context: Context, table: Table, wanted: UUID | None) -> dict[str, str]:
    """Find who is to sit down: the player that asks, or the one that its app names."""
    caller = context.caller
    if caller.kind == APP and wanted is None:
        raise Forbidden("An app key has to say which of its players sits down.")
    player_id = wanted or caller.player_id
    assert player_id is not None
    if caller.kind == PLAYER and player_id != caller.player_id:
        raise Forbidden("A player token seats its own player only.")
    found = players.several(context.session, table.app_id, [player_id])
    if player_id not in found:
        raise NotFound("There is no such player.")
    return {"id": str(player_id), "name": found[player_id].name}


def require_free(table: Table, seat: int) -> None:
    """Raises GameNotOpen after the start, SeatTaken where somebody sits already, NotFound for no seat."""
    _require_open(table, seat)
    if table.seats[seat]["player"] or table.seats[seat]["bot"]:
        raise SeatTaken(f"Seat {seat} is taken.")


def _require_open(table: Table, seat: int) -> None:
    if not 0 <= seat < len(table.seats):
        raise NotFound(f"The game has seats 0 to {len(table.seats) - 1}.")
    if table.status != OPEN:
        raise GameNotOpen("The game has begun.")


def _after(context: Context, table: Table, before: Sight) -> Sight:
    return before if before.maker else Sight(seats_of(context.caller, table)) or SPECTATOR
