"""Guests: whoever plays without an account anywhere."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from flask import Blueprint, current_app, request
from werkzeug.exceptions import TooManyRequests

from api.core.context import Context
from api.http import auth
from api.http.operation import operation
from api.ops.limits import address_of
from api.play import guests
from api.schemas import requests

blueprint = Blueprint("guests", __name__)
SECRET = {"Cache-Control": "no-store"}


@operation(
    blueprint,
    "POST",
    "/v1/guests",
    audience=auth.ANYBODY,
    body=requests.NewPlayer,
    answers={201: "NewGuest"},
    problems=("forbidden",),
)
def create_guest(context: Context, body: dict[str, Any]) -> Any:
    """Make a guest of this server, where it takes any (`GUESTS`).

    The token is valid for 30 days. A guest may create games of bots, open seats and one seat of its own,
    and is shown the invite codes of the open ones.
    """
    limit = current_app.extensions["card_referee"].guest_limit
    standing = limit and limit.take(address_of(request.environ))
    if standing and standing.wait:
        raise TooManyRequests(retry_after=standing.wait)
    return guests.create(context, body["name"]), 201, SECRET


@operation(
    blueprint,
    "POST",
    "/v1/games/<uuid:game>/seats/<int:seat>/guest",
    audience=auth.ANYBODY,
    body=requests.SeatGuest,
    answers={201: "NewSeatGuest"},
    problems=("forbidden", "not-found", "seat-taken", "game-not-open"),
)
def create_seat_guest(context: Context, game: UUID, seat: int, body: dict[str, Any]) -> Any:
    """Take an open seat as a guest, by its invite code alone.

    The code is valid once. The token that comes with the answer plays for this seat and ends with the game:
    an hour after it, so that the end can be looked at.
    """
    return guests.take_seat(context, game, seat, body), 201, SECRET
