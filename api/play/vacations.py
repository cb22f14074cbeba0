"""Vacation: days on which a seat's time is not counted. Every one of them stands in the log."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from api.core.context import Context
from api.core.errors import Conflict
from api.play.acting import acting


def take(context: Context, game_id: UUID, seat: int | None, days: int) -> Any:
    """Take days off, from now on or after those taken before. Raises Conflict where too few are left."""
    with acting(context, game_id, seat) as act:
        game, taken = act.game, act.game.seats[act.seat]
        pace = game.timing
        left = pace.vacation_left(taken) if pace else 0
        if pace is None or days > left:
            raise Conflict(f"Seat {act.seat} has {left} days of vacation left.")
        now = max(context.now(), game.updated_at)
        pace.go_away(taken, now, days)
        facts: dict[str, Any] = {
            "vacation": {"days": days, "until": taken["away_until"], "left": taken["vacation_days"]}
        }
        if taken["deadline"]:
            facts["deadlines"] = {str(act.seat): taken["deadline"]}
        text = f"Away until {taken['away_until'][:16].replace('T', ' ')} UTC."
        act.entry = game.write("said", now, {**game.who(act.seat), "text": text, **facts})
    return act.answer
