"""Endings by agreement: all players cancel the game, or call it a draw. Each agreement is a log entry."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import referee
from api.context import Context
from api.core.errors import Conflict
from api.game.game import Game
from api.game.history import require_type
from api.play.acting import Act, act
from api.play.signing import Given, signature

CANCELLATION, DRAW = referee.ENDINGS_AGREED


def agree(context: Context, game_id: UUID, seat: int | None, ending: str, given: Given) -> Any:
    """Agree to end the game; the last agreement ends it. Raises Conflict."""

    def change(act: Act) -> None:
        game = act.game
        _require_possible(game, act.seat, ending)
        require_type(context, game, "ending_agreed")
        signed = signature(game, act.seat, given, "ending_agreed", ending=ending)
        at = max(act.now, game.updated_at)
        members = {**game.who(act.seat), "ending": ending}
        act.entry = game.append("ending_agreed", at, members, signed=signed)
        if any(taken.ending_agreed != ending for taken in game.seats if taken.player):
            return
        if ending == DRAW:
            act.entry = game.decide(at, "drawn")
        else:
            act.entry = game.call_off(at, agreed=True)

    return act(context, game_id, seat, change)


def _require_possible(game: Game, seat: int, ending: str) -> None:
    if game.seats[seat].ending_agreed == ending:
        raise Conflict(f"Seat {seat} has agreed already.")
    if ending == DRAW and sum(taken.player is not None for taken in game.seats) < 2:
        raise Conflict("There is nobody to agree with on a draw.")
