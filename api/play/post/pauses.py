"""A pause by agreement: all clocks stop until a player ends it. Its beginning and its end are log entries."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import referee
from api.context import Context
from api.core.errors import Conflict
from api.play.acting import Act, Rules, act
from api.play.signing import signature

Given = dict[str, str] | None


def agree(context: Context, game_id: UUID, seat: int | None, given: Given) -> Any:
    """Agree to a pause, which begins with the last agreement. Raises Conflict in a game without deadlines."""

    def change(act: Act) -> None:
        game, pace = act.game, act.game.timing
        if pace is None:
            raise Conflict("The game has no deadlines: there is nothing to pause.")
        if game.seats[act.seat].pause_agreed:
            raise Conflict(f"Seat {act.seat} has agreed already.")
        now = max(act.now, game.updated_at)
        signed = signature(game, act.seat, given, "pause_agreed")
        act.entry = game.write("pause_agreed", now, {**game.who(act.seat), **signed})
        game.change(act.seat, pause_agreed=True)
        if all(taken.pause_agreed for taken in game.seats if taken.player):
            act.entry = game.write("paused", now, {})
            referee.pause(game.seats, pace, now)

    return act(context, game_id, seat, change)


def end(context: Context, game_id: UUID, seat: int | None, given: Given) -> Any:
    """End a pause. Raises Conflict if there is none."""

    def change(act: Act) -> None:
        game, pace = act.game, act.game.timing
        if pace is None or not game.paused:
            raise Conflict("The game is not paused.")
        now = max(act.now, game.updated_at)
        signed = signature(game, act.seat, given, "resumed")
        clocks = referee.resume(game.seats, pace, now, game.delay)
        act.entry = game.write("resumed", now, {**game.who(act.seat), **clocks, **signed})

    return act(context, game_id, seat, change, Rules(even_paused=True))
