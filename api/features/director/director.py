"""What a director does about a running game and its clocks: the app of the game, or the operator.

Each change is an entry in the game's log that verifiers check.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import referee.table
from api.context import Context
from api.core.errors import BadRequest
from api.games.acting import Act, Terms, act, moved
from api.games.commanding import obey_within
from api.games.entries import Moved
from api.games.messages import maker
from api.games.refusals import UNDER_WAY
from referee.table import commands

DIRECTED = Terms(moved, authorise=maker)


def _direct(context: Context, game_id: UUID, command: commands.Command) -> Moved:
    """Carry out a command of a game's app."""
    return act(context, game_id, None, lambda act: obey_within(act, command), DIRECTED)


def add_time(context: Context, game_id: UUID, seat: int, length: timedelta) -> Moved:
    """Add time to the running turn of a seat, for the game's app. Raises Conflict."""
    return _direct(context, game_id, commands.clocks.AddTime(seat, length))


def adjudicate(context: Context, game_id: UUID, ruling: referee.table.Ruling) -> Moved:
    """Decide who wins and who loses a running game, for its app; the others neither. Raises Conflict."""

    def change(act: Act) -> None:
        for name in ("winners", "losers"):
            if any(seat >= len(act.game.seats) for seat in ruling[name]):
                raise BadRequest({name: [f"The game has {len(act.game.seats)} seats."]})
        obey_within(act, commands.play.Adjudicate(ruling))

    return act(context, game_id, None, change, replace(DIRECTED, stages=UNDER_WAY))


def undo_timeout(context: Context, game_id: UUID) -> Moved:
    """Undo the time-out for which the last move was made, for the game's app. Raises Conflict."""
    return _direct(context, game_id, commands.agreements.UndoTimeout())
