"""What the director of a running game decides: the app of the game."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

import referee.table
from api.context import Context
from api.core.errors import BadRequest
from api.games.acting import Act, act
from api.games.answers_of_logs import Moved
from api.games.commanding import DIRECTED, obey_within
from api.games.refusals import UNDER_WAY
from referee.table import commands


def adjudicate(context: Context, game_id: UUID, ruling: referee.table.Ruling) -> Moved:
    """Decide who wins and who loses a running game, for its app; the others neither. Raises Conflict."""

    def change(act: Act) -> None:
        for name in ("winners", "losers"):
            if any(seat >= len(act.game.seats) for seat in ruling[name]):
                raise BadRequest({name: [f"The game has {len(act.game.seats)} seats."]})
        obey_within(act, commands.play.Adjudicate(ruling))

    return act(context, game_id, None, change, replace(DIRECTED, stages=UNDER_WAY))
