"""Taking and leaving seats before the start."""

from __future__ import annotations

import hmac
from functools import partial
from typing import Any
from uuid import UUID

from api.core.context import APP, PLAYER, Caller, Context
from api.core.errors import Forbidden, NotFound, SeatTaken
from api.game.game import OPEN, Game, end_guests
from api.game.show import invite
from api.game.visibility import Visibility, require_seat, seats_of, visibility
from api.play.acting import acting, game_only, nothing, require_status
from api.store import games as store
from api.store import players


def take(context: Context, game_id: UUID, seat: int, wanted: dict[str, Any]) -> Any:
    """Sit down on an open seat, or with its invite code; the last one to sit down starts the game.

    For who sits there already nothing changes, whatever became of the game. An app key seats one of its own
    players. Raises NotFound, Forbidden, GameNotOpen, SeatTaken.
    """
    invited = partial(_newcomer, code=wanted.get("invite"))
    with acting(context, game_id, seat, authorise=invited, status=None, show=game_only) as act:
        player = _player(context, act.game, wanted.get("player"))
        taken = act.game.seats[seat]
        if not taken["player"] or taken["player"]["id"] != player["id"]:
            require_status(act.game, OPEN)
            require_free(act.game, seat)
            taken["player"], taken["entropy"] = player, wanted.get("entropy", "")
            store.seat_player(context.session, game_id, seat, UUID(player["id"]), None)
            now = context.now()
            act.game.join(now, seat)
            act.game.start_if_full(now)
    return act.answer


def leave(context: Context, game_id: UUID, seat: int) -> None:
    """Get up before the start. Raises NotFound, Forbidden, GameNotOpen."""
    with acting(context, game_id, seat, authorise=_sitter, status=OPEN, show=nothing) as act:
        taken = act.game.seats[seat]
        if taken["player"] or taken["bot"]:
            who = {"seat": seat, "player": taken["player"], "bot": taken["bot"]}
            end_guests(context, act.game, seat)
            taken.update(player=None, bot=None, entropy="", guest=False, host=False)
            store.seat_player(context.session, game_id, seat, None, None)
            act.game.write("left", context.now(), who)


def _sitter(caller: Caller, game: Game, seat: int | None) -> tuple[Visibility, int | None]:
    seen = visibility(caller, game)
    require_seat(game, seat)
    if not seen.maker and seat not in seen.seats:
        raise Forbidden(f"Seat {seat} is not yours to leave.")
    return seen, seat


def _newcomer(
    caller: Caller, game: Game, seat: int | None, code: str | None
) -> tuple[Visibility, int | None]:
    """Let a player with an invite see the game; without one it has to be visible already."""
    invited = code is not None and seat is not None and fits(game, seat, code)
    if invited and caller.kind == PLAYER and caller.app_id == game.app_id:
        return Visibility(seats_of(caller, game)), seat
    seen = visibility(caller, game)
    if caller.app_id != game.app_id:
        raise Forbidden("Only players of the app that made this game may sit down.")
    if code is not None and not invited:
        raise Forbidden("This is not the invite code of the seat.")
    require_seat(game, seat)
    return seen, seat


def fits(game: Game, seat: int, code: str) -> bool:
    """Return whether this is the invite code of a seat."""
    return 0 <= seat < len(game.seats) and hmac.compare_digest(code.encode(), invite(game, seat).encode())


def _player(context: Context, game: Game, wanted: UUID | None) -> dict[str, str]:
    """Find who is to sit down: the player that asks, or the one that its app names."""
    caller = context.caller
    if caller.kind == APP and wanted is None:
        raise Forbidden("An app key has to say which of its players sits down.")
    player_id = wanted or caller.player_id
    assert player_id is not None
    if caller.kind == PLAYER and player_id != caller.player_id:
        raise Forbidden("A player token seats its own player only.")
    found = players.several(context.session, game.app_id, [player_id])
    if player_id not in found:
        raise NotFound("There is no such player.")
    return {"id": str(player_id), "name": found[player_id].name}


def require_free(game: Game, seat: int) -> None:
    """Raise SeatTaken where somebody sits already."""
    if game.seats[seat]["player"] or game.seats[seat]["bot"]:
        raise SeatTaken(f"Seat {seat} is taken.")
