"""A pause by agreement: all clocks stop until a player ends it. Its beginning and its end are log entries."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

import referee
from api.context import Context
from api.core.errors import Conflict
from api.game.game import UNSIGNED, Game, Signed
from api.play.acting import Act, Rules, act
from api.play.signing import Given, signature


def agree(context: Context, game_id: UUID, seat: int | None, given: Given) -> Any:
    """Agree to a pause, which begins with the last agreement. Raises Conflict in a game without deadlines."""

    def change(act: Act) -> None:
        require_possible(act.game, act.seat)
        signed = signature(act.game, act.seat, given, "pause_agreed")
        act.entry = vote(act.game, act.seat, act.now, signed)

    return act(context, game_id, seat, change)


def require_possible(game: Game, seat: int) -> None:
    """Raise Conflict if a seat cannot agree to a pause."""
    if game.timing is None:
        raise Conflict("The game has no deadlines: there is nothing to pause.")
    if game.seats[seat].pause_agreed:
        raise Conflict(f"Seat {seat} has agreed already.")


def vote(game: Game, seat: int, at: datetime, signed: Signed = UNSIGNED) -> referee.Entry:
    """Let a seat agree to a pause, and begin it if every player has agreed; return the last entry."""
    entry = game.append("pause_agreed", at, game.who(seat), signed=signed)
    if all(taken.pause_agreed for taken in game.seats if taken.player):
        entry = game.append("paused", at)
    return entry


def end(context: Context, game_id: UUID, seat: int | None, given: Given) -> Any:
    """End a pause. Raises Conflict if there is none."""

    def change(act: Act) -> None:
        game = act.game
        if game.timing is None or not game.paused:
            raise Conflict("The game is not paused.")
        signed = signature(game, act.seat, given, "resumed")
        act.entry = game.append("resumed", act.now, game.who(act.seat), signed=signed)

    return act(context, game_id, seat, change, Rules(even_paused=True))
