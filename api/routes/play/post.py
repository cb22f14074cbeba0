"""Playing by post: what a seat may do beside moving."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from flask import Blueprint

from api.core.context import Context
from api.http import auth
from api.http.operation import operation
from api.play import orders, replacements, takebacks, vacations
from api.routes.play.games import moved, shown
from api.schemas import post, requests

blueprint = Blueprint("play by post", __name__)
ENDED = ("not-found", "game-not-open", "game-over", "conflict")
LONG = ("overloaded", "took-too-long")  # where the whole log is read


@operation(
    blueprint,
    "POST",
    "/v1/games/<uuid:game>/vacation",
    audience=auth.WRITERS,
    body=post.Vacation,
    answers={201: "Moved"},
    problems=ENDED,
    etag=True,
    idempotent=True,
    presents=moved,
)
def take_vacation(context: Context, game: UUID, body: dict[str, Any]) -> Any:
    """Take days of vacation in a game whose pace has some.

    They begin now, or when those taken before end. The seat's time is not counted meanwhile: a deadline
    that is running moves along. A day is 24 hours.
    """
    return vacations.take(context, game, body["seat"], body["days"])


@operation(
    blueprint,
    "POST",
    "/v1/games/<uuid:game>/take-back",
    audience=auth.WRITERS,
    body=post.TakeBack,
    answers={201: "Moved"},
    problems=(*ENDED, *LONG),
    etag=True,
    idempotent=True,
    presents=moved,
)
def ask_take_back(context: Context, game: UUID, body: dict[str, Any]) -> Any:
    """Ask to take back the seat's last move, with all that followed.

    Refused where chance was drawn or a hidden card shown by it or since. It happens once all seats that
    players hold have agreed; the request ends with the next thing that happens in the game. The standing
    orders of the seat that asked are taken away with its move.
    """
    return takebacks.ask(context, game, body["seat"])


@operation(
    blueprint,
    "POST",
    "/v1/games/<uuid:game>/take-back/answer",
    audience=auth.WRITERS,
    body=post.TakeBackAnswer,
    answers={201: "Moved"},
    problems=(*ENDED, *LONG),
    etag=True,
    idempotent=True,
    presents=moved,
)
def answer_take_back(context: Context, game: UUID, body: dict[str, Any]) -> Any:
    """Agree that the move be taken back, or not.

    The last one to agree gets the entry that takes it back.
    """
    return takebacks.answer(context, game, body["seat"], body["agree"])


@operation(
    blueprint,
    "GET",
    "/v1/games/<uuid:game>/orders",
    audience=auth.PLAYERS,
    query=requests.ForSeat,
    answers={200: "Orders"},
    problems=("not-found",),
)
def get_orders(context: Context, game: UUID, query: dict[str, Any]) -> Any:
    """Show my standing orders; nobody else sees them."""
    return orders.show(context, game, query.get("seat"))


@operation(
    blueprint,
    "PUT",
    "/v1/games/<uuid:game>/orders",
    audience=auth.PLAYERS,
    body=post.NewOrders,
    answers={200: "Orders"},
    problems=("not-found", "game-not-open", "game-over", "stale-version"),
    if_match=True,
    idempotent=True,
)
def put_orders(context: Context, game: UUID, body: dict[str, Any], if_match: frozenset[int] | None) -> Any:
    """Leave moves with the server, in place of those left before.

    When it is my turn the first of them is played, at once where it is my turn now; a move of mine made
    otherwise leaves them as they are. If it is not legal then, all of them are cancelled.
    """
    return orders.put(context, game, body["seat"], [order["move"] for order in body["orders"]], if_match)


@operation(
    blueprint,
    "DELETE",
    "/v1/games/<uuid:game>/orders",
    audience=auth.PLAYERS,
    query=requests.ForSeat,
    answers={204: None},
    problems=("not-found", "game-not-open", "game-over", "stale-version"),
    if_match=True,
)
def delete_orders(
    context: Context, game: UUID, query: dict[str, Any], if_match: frozenset[int] | None
) -> Any:
    """Take my standing orders away."""
    orders.delete(context, game, query.get("seat"), if_match)
    return None, 204


@operation(
    blueprint,
    "PUT",
    "/v1/games/<uuid:game>/seats/<int:seat>/player",
    audience=auth.WRITERS,
    body=post.Replacement,
    answers={200: "Game"},
    problems=("seat-taken", *ENDED, *LONG),
    etag=True,
    idempotent=True,
    presents=shown,
)
def replace_player(context: Context, game: UUID, seat: int, body: dict[str, Any]) -> Any:
    """Hand a seat of a running game to another player or to a bot.

    An app does so for any seat. A player's call agrees to it, and it is done once all other seats that
    players hold have agreed to the same; only for a seat that has timed out, or whose turn has lasted a week.
    Repeated it changes nothing.
    """
    return replacements.replace(context, game, seat, body)
