"""Guests: whoever plays without an account anywhere."""

from __future__ import annotations

from operator import itemgetter
from typing import Any
from uuid import UUID

from flask import current_app, request
from werkzeug.exceptions import TooManyRequests

from api.core.context import Context
from api.http import auth
from api.http.operation import Operations
from api.http.replay import by_key_alone
from api.ops.limits import address_of
from api.play.seating import guests
from api.schemas.people import Invitation, NewGuest, NewSeatGuest
from api.schemas.requests.games import InviteCode, SeatGuest
from api.schemas.requests.people import NewPlayer

blueprint = Operations("guests", __name__)


def _uncached(made: Any) -> Any:
    return made, 201, {"Cache-Control": "no-store"}


@blueprint.POST(
    "/v1/guests",
    auth.ANYBODY,
    NewGuest,
    body=NewPlayer,
    idempotent=True,
    secret=by_key_alone,
    presents=_uncached,
)
def create_guest(context: Context, body: dict[str, Any]) -> Any:
    """Make a guest of this server, where it takes any (`GUESTS`).

    The token is valid for 30 days. An `Idempotency-Key` has to be one that nobody guesses, such as a UUID: it
    is all that a repeat is known by. A guest may create games of bots, open seats and one seat of its own,
    and is shown the invite codes of the open ones.
    """
    limit = current_app.extensions["card_referee"].guest_limit
    standing = limit and limit.take(address_of(request.environ))
    if standing and standing.wait:
        raise TooManyRequests(retry_after=standing.wait)
    return guests.create(context, body["name"])


@blueprint.POST(
    "/v1/games/<uuid:game>/seats/<int:seat>/guest",
    auth.ANYBODY,
    NewSeatGuest,
    body=SeatGuest,
    problems=("seat-taken", "game-not-open"),
    idempotent=True,
    secret=itemgetter("invite"),
    presents=_uncached,
)
def create_seat_guest(context: Context, game: UUID, seat: int, body: dict[str, Any]) -> Any:
    """Take an open seat as a guest, by its invite code alone.

    The code is valid once; only the same request with the same `Idempotency-Key` gets its answer again.
    The token that comes with the answer plays for this seat and ends with the game,
    or when its holder leaves the seat: from then on every request with it is a 401, except that for another
    hour it reads the game that is over (the game, its log, record, verification and dispute report), and a
    request that came before the end, sent again with its `Idempotency-Key`, gets the answer that it had.
    """
    return guests.take_seat(context, game, seat, body)


@blueprint.POST(
    "/v1/games/<uuid:game>/seats/<int:seat>/invitation",
    auth.ANYBODY,
    body=InviteCode,
    answers={200: Invitation},
    problems=("seat-taken", "game-not-open"),
)
def show_invitation(context: Context, game: UUID, seat: int, body: dict[str, Any]) -> Any:
    """Show what is played to whoever holds an invite code, before it sits down.

    Nothing is changed, and the code stays good. Where `entropy` is `commit` a seat is taken with a
    `commitment`. Who else sits there is not shown.
    """
    return guests.invitation(context, game, seat, body["invite"])
