"""Take and leave seats before the start."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from api.context import Context
from api.http import auth
from api.http.operation import Operations
from api.play.seating import seats
from api.routes.play.games import APPENDS, CHANGES
from api.schemas.requests.games import SeatTaking
from api.schemas.requests.moves import Reveal

blueprint = Operations("seats", __name__)


@blueprint.PUT(
    "/v1/games/<uuid:game>/seats/<int:seat>",
    auth.WRITERS,
    body=SeatTaking,
    problems=("seat-taken", "game-not-open", "unknown-player"),
    **CHANGES,
)
def take_seat(context: Context, game: UUID, seat: int, body: seats.TakeRequest) -> Any:
    """Take an open seat.

    If the player may not see the game otherwise, the seat's invite code is needed. Repeating the call as the
    same player changes nothing.
    """
    return seats.take(context, game, seat, body)


@blueprint.DELETE("/v1/games/<uuid:game>/seats/<int:seat>", auth.WRITERS, problems=("game-not-open",))
def leave_seat(context: Context, game: UUID, seat: int) -> None:
    """Leave a seat before the game starts."""
    seats.leave(context, game, seat)


@blueprint.POST(
    "/v1/games/<uuid:game>/entropy",
    auth.WRITERS,
    body=Reveal,
    problems=("game-not-open", "conflict"),
    **APPENDS,
)
def reveal_entropy(context: Context, game: UUID, body: dict[str, Any]) -> Any:
    """Reveal the entropy to which a seat has committed.

    In games whose `entropy` is `commit`, after all seats are taken and before `reveal_by`. The cards are
    dealt when the last seat has revealed and, with a beacon, its round has been published. Bots have nothing
    to reveal.
    """
    return seats.reveal(context, game, body["seat"], body["entropy"])
