"""Take-backs."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from api.context import Context
from api.features.takebacks import takebacks
from api.games.routes import APPENDS
from api.http import auth
from api.http.fields import Flag
from api.http.operation import Operations
from api.http.queries import Signing


class TakeBack(Signing):
    """The seat that asks, if the caller holds or acts for several."""


class TakeBackAnswer(Signing):
    """Whether a seat agrees to take back the move."""

    agree = Flag(required=True)


PROBLEMS = (
    *("game-not-open", "game-over", "conflict", "stale-version", "signature-needed"),
    *("overloaded", "took-too-long"),  # the whole log may be read
)

blueprint = Operations("take-backs", __name__, tag="play by post")


@blueprint.POST(
    "/v1/games/<uuid:game>/take-back",
    auth.WRITERS,
    body=TakeBack,
    problems=PROBLEMS,
    **APPENDS,
)
def ask_take_back(context: Context, game: UUID, body: dict[str, Any]) -> object:
    """Ask to take back the seat's last move, with everything after it.

    Refused if chance was drawn or a hidden card was shown by this move or since. The move is taken back when
    all seats that are held by players have agreed; the next other action in the game ends the request. Orders
    whose moves are taken back are orders again. The orders of the seat that asked rest until it has moved.
    """
    return takebacks.ask(context, game, body["seat"], body["signed"])


@blueprint.POST(
    "/v1/games/<uuid:game>/take-back/answer",
    auth.WRITERS,
    body=TakeBackAnswer,
    problems=PROBLEMS,
    **APPENDS,
)
def answer_take_back(context: Context, game: UUID, body: dict[str, Any]) -> object:
    """Agree or refuse to take back the move.

    If this is the last seat to agree, the answer has the entry that takes the move back.
    """
    return takebacks.answer(context, game, body["seat"], body["agree"], body["signed"])
