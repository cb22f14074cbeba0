"""Guests: people who play without an account."""

from __future__ import annotations

from operator import itemgetter
from typing import Any
from uuid import UUID

from flask import request

from api.callers.answers import NewGuest
from api.callers.routes import NewPlayer
from api.context import Context
from api.core.json import Body
from api.features.guests import guests
from api.features.guests.answers import Invitation, NewSeatGuest
from api.http import auth
from api.http.admission import address_of
from api.http.fields import Input, Name, Text
from api.http.inputs import by_key_alone
from api.http.operation import Operations
from api.http.queries import COMMITTED, PUBLIC_KEY, Commitment, Entropy
from api.http.site import this_site


class InviteCode(Input):
    """The invite code of a seat."""

    invite = Text(1, 64, required=True)


class TableCode(Input):
    """The invite code of all open seats of a game; a public game needs none."""

    invite = Text(1, 64)


class SeatGuest(InviteCode):
    """A guest to create, who takes a seat with an invite code."""

    name = Name(required=True)
    entropy = Entropy(load_default="")
    public_key = PUBLIC_KEY
    commitment = Commitment(about=COMMITTED)


blueprint = Operations("guests", __name__, "People who play without an app of their own.")


def uncached(result: Any) -> Any:
    """Present a token that was created, which no cache may keep."""
    return result, 201, {"Cache-Control": "no-store"}


def count_newcomer() -> None:
    """Count a request to become known here for its network. Raises TooManyRequests."""
    site = this_site()
    if site.limits is not None:
        site.limits.count("guests", site.settings.guest_rate_limit, address_of(request.environ))


@blueprint.POST(
    "/v1/guests",
    auth.ANYBODY,
    body=NewPlayer,
    problems=("limit-reached",),
    idempotent=True,
    secret=by_key_alone,
    presents=uncached,
)
def create_guest(context: Context, body: dict[str, Any]) -> NewGuest:
    """Create a guest of this server, if it accepts guests (`GUESTS`).

    The token is valid for 30 days. An `Idempotency-Key` must be hard to guess, such as a UUID, because a
    repeated request is recognized by nothing else. A guest may create games with bots, open seats and one
    seat of their own, and sees the invite codes of the open seats.
    """
    count_newcomer()
    return guests.create(context, body["name"])


@blueprint.POST(
    "/v1/games/<uuid:game>/seats/<int:seat>/guest",
    auth.ANYBODY,
    NewSeatGuest,
    body=SeatGuest,
    problems=("seat-taken", "game-not-open"),
    idempotent=True,
    secret=itemgetter("invite"),
    presents=uncached,
)
def create_seat_guest(context: Context, game: UUID, seat: int, body: Body) -> object:
    """Take an open seat as a guest, with only its invite code.

    The code can be used once; only the same request with the same `Idempotency-Key` gets its answer again.
    The token in the answer plays for this seat. It ends a day after the game, or when its holder leaves
    the seat.
    """
    return guests.take_seat(context, game, seat, body)


@blueprint.POST(
    "/v1/games/<uuid:game>/seats/<int:seat>/invitation",
    auth.ANYBODY,
    body=InviteCode,
    answers={200: Invitation},
    problems=("seat-taken", "game-not-open"),
)
def show_invitation(context: Context, game: UUID, seat: int, body: dict[str, Any]) -> Invitation:
    """Show which game an invite code is for, before the seat is taken.

    Nothing is changed, and the code remains valid. If `entropy` is `commit`, the seat must be taken with a
    `commitment`. The names of those who have a seat are shown, but not their ids.
    """
    return guests.invitation(context, game, seat, body["invite"])


@blueprint.POST(
    "/v1/games/<uuid:game>/invitation",
    auth.ANYBODY,
    body=TableCode,
    examples={
        "code": ("With the code of all open seats", {"invite": "b7RkVHTW3KXn"}),
        "public": ("A public game", {}),
    },
    answers={200: Invitation},
    problems=("seat-taken", "game-not-open"),
)
def show_invitation_to_game(context: Context, game: UUID, body: dict[str, Any]) -> Invitation:
    """Show which game a code is for that fits all its open seats, or without one, what a public game offers.

    Any seat that is not among the `players` can be taken. If somebody else is faster, take another. Without a
    code, guests and accounts take one if `guests` is true, with `PUT /v1/games/{game}/seats/{seat}`.
    """
    return guests.invitation(context, game, None, body.get("invite"))
