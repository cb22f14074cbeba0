"""Nudges: a player asks the seats that the game has been waiting for to move. Each is an entry in the log."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

from api.context import Context
from api.core.errors import Conflict
from api.game.history import recent
from api.play.acting import Act, act
from api.play.waiting import waited_since

NUDGE_AFTER = timedelta(days=1)  # after which a seat may be nudged, and nudged again


def nudge(context: Context, game_id: UUID, seat: int | None) -> Any:
    """Nudge every player for whom the game has waited a day. Raises Conflict if there is none."""

    def change(act: Act) -> None:
        game, now, past = act.game, act.now, recent(context, act.game)
        for number in game.to_act:
            there = game.seats[number]
            begun = max(filter(None, (there.since, there.nudged_at, there.away_until)), default=now)
            if number == act.seat or there.player is None or now - begun < NUDGE_AFTER:
                continue
            waited = waited_since(game, past, number)
            if waited is None or now - waited < NUDGE_AFTER:
                continue
            whom = {"seat": number, "player": there.player.to_json()}
            entry = game.append("nudged", now, {**game.who(act.seat), "nudge": whom})
            act.entry = act.entry or entry
        if act.entry is None:
            raise Conflict("The game has not waited a day for anybody, or the last nudge is too recent.")

    return act(context, game_id, seat, change)
