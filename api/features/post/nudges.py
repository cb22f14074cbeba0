"""Nudges: a player asks the seats that the game has been waiting for to move. Each is an entry in the log."""

from __future__ import annotations

from uuid import UUID

import referee.table
from api.context import Context
from api.games.acting import MOVED, Act, act
from api.games.answers_of_logs import Moved
from api.games.history import recent
from api.games.refusals import IN_PLAY, error_of, require_stage
from referee.table import commands


def nudge(context: Context, game_id: UUID, seat: int | None) -> Moved:
    """Nudge every player for whom the game has waited a day. Raises Conflict if there is none."""

    def change(act: Act) -> None:
        game = act.game
        require_stage(game, IN_PLAY)
        past = recent(context, game)
        nudges = [commands.clocks.Nudge(act.seat, number) for number in game.to_act]
        decided = [commands.decide(game, each, act.now, past) for each in nudges]
        entries = [game.enter(event) for event in decided if isinstance(event, referee.table.Event)]
        if not entries:
            raise error_of(game, commands.clocks.NOBODY_WAITED_FOR)
        act.entry = entries[0]

    return act(context, game_id, seat, change, MOVED)
