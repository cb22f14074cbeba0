"""How long a game has waited for a seat whose player could have moved."""

from __future__ import annotations

from datetime import datetime

import referee
from api.game.game import Game


def waited_since(game: Game, past: referee.Recent, seat: int) -> datetime | None:
    """Return since when a game has waited for a seat; None if it does not.

    Days off of its player do not count, and neither does the time before the end of the last pause or outage.
    """
    there = game.seats[seat]
    if there.since is None:
        return None
    begun = there.present(there.since)
    return begun if past.resumed_at is None else max(begun, past.resumed_at)
