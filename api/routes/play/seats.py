"""Seats: taken and left before the start."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from flask import Blueprint

from api.core.context import Context
from api.http import auth
from api.http.operation import operation
from api.play import seats
from api.routes.play.games import shown
from api.schemas import requests

blueprint = Blueprint("seats", __name__)


@operation(
    blueprint,
    "PUT",
    "/v1/games/<uuid:game>/seats/<int:seat>",
    audience=auth.WRITERS,
    body=requests.SeatTaking,
    answers={200: "Game"},
    problems=("not-found", "seat-taken", "game-not-open"),
    etag=True,
    idempotent=True,
    presents=shown,
)
def take_seat(context: Context, game: UUID, seat: int, body: dict[str, Any]) -> Any:
    """Take an open seat.

    In a game that the player may not see otherwise, with the seat's invite code. Repeated by who sits there
    it changes nothing.
    """
    return seats.take(context, game, seat, body)


@operation(
    blueprint,
    "DELETE",
    "/v1/games/<uuid:game>/seats/<int:seat>",
    audience=auth.WRITERS,
    answers={204: None},
    problems=("not-found", "game-not-open"),
)
def leave_seat(context: Context, game: UUID, seat: int) -> Any:
    """Leave a seat before the start."""
    seats.leave(context, game, seat)
    return None, 204
