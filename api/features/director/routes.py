"""Running games and their clocks, in the hands of their director: the app of the game."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from marshmallow import ValidationError, validates_schema

from api.context import Context
from api.features.director import director
from api.games.commanding import obey_app
from api.games.inputs import LONGEST
from api.games.routes import APPENDS
from api.http import auth
from api.http.fields import Input, Items, SeatNumber
from api.http.operation import Operations
from api.http.patterns import Duration
from api.http.queries import MOST_SEATS
from referee.table import commands


class AddedTime(Input):
    """Time for the running turn of a seat."""

    seat = SeatNumber(0, MOST_SEATS - 1, required=True)
    length = Duration(required=True)

    @validates_schema
    def is_bounded(self, data: dict[str, Any], **kwargs: Any) -> None:
        """Refuse more than any game may last."""
        if data["length"] > LONGEST:
            raise ValidationError("Must be at most P3650D.", "length")


class Ruling(Input):
    """The seats that win and those that lose, as the director of a game decides."""

    winners = Items(SeatNumber(0, MOST_SEATS - 1), 0, MOST_SEATS, required=True)
    losers = Items(SeatNumber(0, MOST_SEATS - 1), 0, MOST_SEATS, required=True)

    @validates_schema
    def names_seats_once(self, data: dict[str, Any], **kwargs: Any) -> None:
        """Refuse a seat that is named twice."""
        named = [*data["winners"], *data["losers"]]
        if len({*named}) < len(named):
            raise ValidationError("Must name each seat once.", "losers")


blueprint = Operations(
    "clocks", __name__, "The clocks of running games, for their director: the app of the game."
)
REFUSALS = ("conflict", "game-not-open", "game-over")
DIRECTED: dict[str, Any] = {"problems": REFUSALS, **APPENDS}


@blueprint.POST("/v1/games/<uuid:game>/clocks/time", auth.APP_WRITERS, body=AddedTime, **DIRECTED)
def add_time(context: Context, game: UUID, body: dict[str, Any]) -> object:
    """Add time to the running turn of a seat, as the director of a game with deadlines.

    The entry `time_added` says so, and everybody is notified of the new deadline.
    """
    return obey_app(context, game, commands.clocks.AddTime(body["seat"], body["length"]))


@blueprint.POST(
    "/v1/games/<uuid:game>/clocks/undone-timeout",
    auth.APP_WRITERS,
    problems=(*REFUSALS, "overloaded", "took-too-long"),
    **APPENDS,
)
def undo_timeout(context: Context, game: UUID) -> object:
    """Undo the time-out for which the last move was made by the server, as the director of a game.

    The seat gets its whole turn again. Refused if a seat has acted since, or if the move showed cards or drew
    chance. The entry `timeout_undone` says so.
    """
    return obey_app(context, game, commands.agreements.UndoTimeout())


@blueprint.POST("/v1/games/<uuid:game>/adjudication", auth.APP_WRITERS, body=Ruling, **DIRECTED)
def adjudicate_game(context: Context, game: UUID, body: dict[str, Any]) -> object:
    """Decide a running game, as its director: these seats win, these lose.

    Seats that are not named neither win nor lose. The game is over; its entry `adjudicated` says so.
    """
    return director.adjudicate(context, game, {"winners": body["winners"], "losers": body["losers"]})
