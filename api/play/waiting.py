"""How long a game has waited for a seat whose player could have moved."""

from __future__ import annotations

from datetime import datetime

from api.context import Context
from api.core.json import loads
from api.game.game import Game
from api.store.game import log


def waited_since(context: Context, game: Game, seat: int) -> datetime | None:
    """Return since when a game has waited for a seat; None if it does not.

    Days off of its player do not count, and neither does the time before the end of the last pause or outage.
    """
    there = game.seats[seat]
    if there.since is None:
        return None
    begun = there.present(there.since)
    if game.timing is None:
        return begun  # there are no pauses
    context.require_short(game.version)
    for entry in log.all_entries(context.session, game.id, game.version):
        public = loads(entry.public)
        if public["type"] in ("resumed", "time_returned"):
            begun = max(begun, datetime.fromisoformat(public["at"]))
    return begun
