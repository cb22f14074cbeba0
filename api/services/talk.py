"""Table talk, giving up, and calling a game off."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from api.services import deadlines
from api.services.access import acting_seat, sight
from api.services.context import APP, Context
from api.services.errors import Forbidden, GameOver
from api.services.moves import require_running
from api.services.showing import show_entry, show_game
from api.services.table import CANCELLED, OPEN, RUNNING, load, require_version, save


def say(context: Context, game_id: UUID, seat: int | None, text: str) -> dict[str, Any]:
    """Post a message, from a seat or (an app that names none) from the game's maker."""
    with context.session.transaction():
        table = load(context, game_id, lock=True)
        seen = sight(context.caller, table)
        if seat is None and seen.maker:
            who: dict[str, Any] = {"seat": None, "player": None}
        else:
            who = table.who(acting_seat(context.caller, table, seen, seat))
        entry = table.write("said", context.now(), {**who, "text": text})
        save(context, table)
    return {"entry": show_entry(entry, seen), "version": table.version}


@deadlines.punctual
def resign(
    context: Context, game_id: UUID, seat: int | None, if_match: frozenset[int] | None
) -> dict[str, Any]:
    """Give up for a seat: its team loses and the game is over."""
    with context.session.transaction():
        table = load(context, game_id, lock=True)
        seen = sight(context.caller, table)
        seat = acting_seat(context.caller, table, seen, seat)
        deadlines.require_in_time(context, table)
        require_version(table, if_match)
        require_running(table)
        entry = table.give_up(context.now(), "resigned", seat)
        save(context, table)
    return {
        "entry": show_entry(entry, seen),
        "game": show_game(table, seen),
    }


def cancel(context: Context, game_id: UUID) -> dict[str, Any]:
    """Call a game off: its maker may, until it is over. Nobody wins."""
    with context.session.transaction():
        table = load(context, game_id, lock=True)
        seen = sight(context.caller, table)
        if not (seen.maker and context.caller.kind == APP):
            raise Forbidden("Only the app that made a game may call it off.")
        if table.status not in (OPEN, RUNNING):
            raise GameOver("The game is over.")
        table.status = CANCELLED
        table.turn_over(context.now())
        entry = table.write("cancelled", context.now(), {})
        save(context, table)
    return {
        "entry": show_entry(entry, seen),
        "game": show_game(table, seen),
    }
