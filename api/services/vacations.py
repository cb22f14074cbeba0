"""Vacation: days on which a seat's time is not counted. Every one of them stands in the log."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from api.services import deadlines
from api.services.access import acting_seat, sight
from api.services.context import Context
from api.services.errors import Conflict
from api.services.moves import require_running
from api.services.showing import show_entry, show_game
from api.services.table import load, save


@deadlines.punctual
def take(context: Context, game_id: UUID, seat: int | None, days: int) -> dict[str, Any]:
    """Take days off, from now on or after those taken before. Raises Conflict where too few are left."""
    with context.session.transaction():
        table = load(context, game_id, lock=True)
        seen = sight(context.caller, table)
        seat = acting_seat(context.caller, table, seen, seat)
        deadlines.require_in_time(context, table)
        require_running(table)
        pace, taken = table.timing, table.seats[seat]
        left = pace.vacation_left(taken) if pace else 0
        if pace is None or days > left:
            raise Conflict(f"Seat {seat} has {left} days of vacation left.")
        now = max(context.now(), table.updated_at)
        pace.go_away(taken, now, days)
        facts: dict[str, Any] = {
            "vacation": {"days": days, "until": taken["away_until"], "left": taken["vacation_days"]}
        }
        if taken["deadline"]:
            facts["deadlines"] = {str(seat): taken["deadline"]}
        text = f"Away until {taken['away_until'][:16].replace('T', ' ')} UTC."
        entry = table.write("said", now, {**table.who(seat), "text": text, **facts})
        save(context, table)
    return {"entry": show_entry(entry, seen), "game": show_game(table, seen)}
