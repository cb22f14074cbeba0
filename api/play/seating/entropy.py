"""What seats add to the chance of a deal: at once, or as a commitment that they reveal later."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import referee
from api.context import Context
from api.core.errors import BadRequest
from api.game.seat import Seat
from api.play.commanding import obey
from referee import commands

MADE_LATER = "In this game seats join with a commitment, and reveal their entropy when all are taken."
NEEDED = "Needed in this game: the SHA-256, in hex, of the entropy that you reveal when all seats are taken."
NOTHING = "This is the hash of nothing: commit to entropy that nobody else knows."
EMPTY = referee.entropy_commitment("")
NOT_HERE = "In this game, seats give their entropy when they join, without a commitment."


def given(dealing: referee.Dealing | None, request: dict[str, Any], place: str = "") -> dict[str, Any]:
    """Return what a joining player adds to the deal. Raises BadRequest, naming the field at `place`."""
    commitment, entropy = request.get("commitment"), request.get("entropy", "")
    if dealing is None or not dealing.commits:
        if commitment is not None:
            raise BadRequest({f"{place}commitment": [NOT_HERE]})
        return {"entropy": entropy}
    if entropy:
        raise BadRequest({f"{place}entropy": [MADE_LATER]})
    if commitment is None:
        raise BadRequest({f"{place}commitment": [NEEDED]})
    if commitment == EMPTY:
        raise BadRequest({f"{place}commitment": [NOTHING]})
    return {"commitment": commitment}


def require_apart(seats: Sequence[Seat], commitment: str | None, place: str = "") -> None:
    """Raise BadRequest if another seat has this commitment: a copy could not be revealed before it."""
    if commitment is not None and any(seat.commitment == commitment for seat in seats):
        raise BadRequest({f"{place}commitment": ["Another seat has the same commitment."]})


def reveal(context: Context, game_id: UUID, seat: int | None, entropy: str) -> Any:
    """Reveal the entropy that a seat has committed to; after the last one, the cards are dealt.

    Raises GameNotOpen before all seats are taken, Conflict if there is nothing to reveal, BadRequest if it is
    not what the seat has committed to.
    """

    return obey(context, game_id, seat, lambda number: commands.Reveal(number, entropy))
