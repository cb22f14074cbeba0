"""Playing by post: what a seat may do beside moving."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from api.core.context import Context, Expected
from api.http import auth
from api.http.operation import Operations
from api.play import takebacks
from api.play.post import nudges, orders, pauses, vacations
from api.play.seating import replacements
from api.routes.play.games import APPENDS, CHANGES
from api.schemas.moves import Orders
from api.schemas.people import VacationsTaken
from api.schemas.requests.games import Replacement
from api.schemas.requests.moves import (
    Automatic,
    NewOrders,
    Nudge,
    Pause,
    TakeBack,
    TakeBackAnswer,
    Vacation,
    VacationEverywhere,
)
from api.schemas.requests.queries import ForSeat

blueprint = Operations("play by post", __name__)
ENDED = ("game-not-open", "game-over", "conflict", "stale-version", "signature-needed")
LONG = ("overloaded", "took-too-long")  # where the whole log is read


@blueprint.POST("/v1/games/<uuid:game>/vacation", auth.WRITERS, body=Vacation, problems=ENDED, **APPENDS)
def take_vacation(context: Context, game: UUID, body: dict[str, Any]) -> Any:
    """Take days of vacation in a game whose pace has some.

    They begin now, or when those taken before end. The seat's time is not counted meanwhile: a deadline
    that is running moves along. A day is 24 hours.
    """
    return vacations.take(context, game, body["seat"], body["days"], body["signed"])


@blueprint.POST(
    "/v1/me/vacation",
    auth.PLAYERS,
    VacationsTaken,
    body=VacationEverywhere,
    idempotent=True,
)
def take_vacation_everywhere(context: Context, body: dict[str, Any]) -> Any:
    """Take days of vacation in all of my running games that have deadlines.

    It is one change: all of it is written, or nothing. Games in which it cannot be are listed with why.
    """
    return vacations.take_all(context, body["days"])


@blueprint.POST("/v1/games/<uuid:game>/pause", auth.WRITERS, body=Pause, problems=ENDED, **APPENDS)
def agree_to_pause(context: Context, game: UUID, body: dict[str, Any]) -> Any:
    """Agree that a game with deadlines be paused.

    It is once all seats that players hold have agreed; what happens at the table before that ends the
    agreement. While it is paused all clocks stand, and nobody moves.
    """
    return pauses.agree(context, game, body["seat"], body["signed"])


@blueprint.POST("/v1/games/<uuid:game>/resumption", auth.WRITERS, body=Pause, problems=ENDED, **APPENDS)
def end_pause(context: Context, game: UUID, body: dict[str, Any]) -> Any:
    """End a pause: every seat may. Whose turn it was has as much time as was left."""
    return pauses.end(context, game, body["seat"], body["signed"])


@blueprint.POST("/v1/games/<uuid:game>/nudges", auth.WRITERS, body=Nudge, problems=ENDED, **APPENDS)
def nudge(context: Context, game: UUID, body: dict[str, Any]) -> Any:
    """Ask the players whom the game has waited for to move.

    Once their turn has lasted a day, and then once a day at most, whoever asks. It stands in the log.
    """
    return nudges.nudge(context, game, body["seat"])


@blueprint.POST(
    "/v1/games/<uuid:game>/take-back",
    auth.WRITERS,
    body=TakeBack,
    problems=(*ENDED, *LONG),
    **APPENDS,
)
def ask_take_back(context: Context, game: UUID, body: dict[str, Any]) -> Any:
    """Ask to take back the seat's last move, with all that followed.

    Refused where chance was drawn or a hidden card shown by it or since. It happens once all seats that
    players hold have agreed; the request ends with the next thing that happens in the game. The standing
    orders of the seat that asked are taken away with its move.
    """
    return takebacks.ask(context, game, body["seat"], body["signed"])


@blueprint.POST(
    "/v1/games/<uuid:game>/take-back/answer",
    auth.WRITERS,
    body=TakeBackAnswer,
    problems=(*ENDED, *LONG),
    **APPENDS,
)
def answer_take_back(context: Context, game: UUID, body: dict[str, Any]) -> Any:
    """Agree that the move be taken back, or not.

    The last one to agree gets the entry that takes it back.
    """
    return takebacks.answer(context, game, body["seat"], body["agree"], body["signed"])


@blueprint.GET("/v1/games/<uuid:game>/orders", auth.PLAYERS, Orders, query=ForSeat)
def get_orders(context: Context, game: UUID, query: dict[str, Any]) -> Any:
    """Show my standing orders; nobody else sees them."""
    return orders.show(context, game, query.get("seat"))


@blueprint.PUT(
    "/v1/games/<uuid:game>/orders",
    auth.PLAYERS,
    Orders,
    body=NewOrders,
    problems=("game-not-open", "game-over", "stale-version", "signature-needed"),
    if_match=True,
    idempotent=True,
)
def put_orders(context: Context, game: UUID, body: dict[str, Any], if_match: Expected) -> Any:
    """Leave moves with the server, in place of those left before.

    When it is my turn the first of them whose condition holds is played, at once where it is my turn now; a
    move of mine made otherwise leaves them as they are. If it is not legal then, all of them are cancelled,
    unless the order says otherwise. What repeats itself ends after a hundred moves.
    """
    return orders.put(context, game, body["seat"], body["orders"], if_match, body["signed"])


@blueprint.PUT(
    "/v1/games/<uuid:game>/automatic",
    auth.PLAYERS,
    Orders,
    body=Automatic,
    problems=("game-not-open", "game-over", "stale-version", "signature-needed"),
    if_match=True,
    idempotent=True,
)
def put_automatic(context: Context, game: UUID, body: dict[str, Any], if_match: Expected) -> Any:
    """Set what is to be done at each turn of mine that no order is for.

    The entries say `order: true`, as those of orders do: everybody sees that a move was made so, hence also
    that it was the only legal one. It ends after a hundred moves.
    """
    wanted = {name: body[name] for name in ("always_pass", "only_move")}
    return orders.set_automatic(context, game, body["seat"], wanted, if_match, body["signed"])


@blueprint.DELETE(
    "/v1/games/<uuid:game>/orders",
    auth.PLAYERS,
    query=ForSeat,
    problems=("game-not-open", "game-over", "stale-version"),
    if_match=True,
)
def delete_orders(context: Context, game: UUID, query: dict[str, Any], if_match: Expected) -> None:
    """Take my standing orders away, and what is done at each turn."""
    orders.delete(context, game, query.get("seat"), if_match)


@blueprint.PUT(
    "/v1/games/<uuid:game>/seats/<int:seat>/player",
    auth.WRITERS,
    body=Replacement,
    problems=("seat-taken", *ENDED, *LONG),
    **CHANGES,
)
def replace_player(context: Context, game: UUID, seat: int, body: dict[str, Any]) -> Any:
    """Hand a seat of a running game to another player or to a bot.

    An app does so for any seat. A player's call agrees to it, and it is done once all other seats that
    players hold have agreed to the same; only for a seat that has timed out, or whose turn has lasted a week.
    Repeated it changes nothing.
    """
    return replacements.replace(context, game, seat, body)
