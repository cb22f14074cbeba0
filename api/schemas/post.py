"""Playing by post: vacation, take-backs, standing orders, replacements."""

from __future__ import annotations

from typing import Any

from marshmallow import ValidationError, fields, validates_schema

from api.play.automatic.bots import BOTS
from api.schemas.answers import COUNT, OBJECT, TIME, Schema, array, nullable, ref, shape
from api.schemas.fields import AnyObject, Choice, Flag, Id, Input, Items, Whole
from api.schemas.requests import MOST_SEATS

MOST_ORDERS = 10


class Vacation(Input):
    """How many days of vacation to take, and for which seat where the caller acts for several."""

    days = Whole(1, 365, required=True)
    seat = Whole(0, MOST_SEATS - 1, load_default=None)


class TakeBack(Input):
    """Which seat asks, where the caller holds, or acts for, several."""

    seat = Whole(0, MOST_SEATS - 1, load_default=None)


class TakeBackAnswer(Input):
    """Whether a seat agrees that the move be taken back."""

    agree = Flag(required=True)
    seat = Whole(0, MOST_SEATS - 1, load_default=None)


class NewOrder(Input):
    """A move to be played when it is the seat's turn, if it is legal then."""

    move = AnyObject(required=True)


class NewOrders(Input):
    """Moves to be played one after the other, each as soon as it is the seat's turn."""

    orders = Items(fields.Nested(NewOrder), 1, MOST_ORDERS, required=True)
    seat = Whole(0, MOST_SEATS - 1, load_default=None)


class Replacement(Input):
    """Who takes a seat over: a player or a bot."""

    player = Id()
    bot = Choice(*BOTS)

    @validates_schema
    def one_kind(self, data: dict[str, Any], **kwargs: Any) -> None:
        """Exactly one of the two."""
        if ("player" in data) == ("bot" in data):
            raise ValidationError("Must have either a player or a bot.")


SCHEMAS: dict[str, Schema] = {
    "Orders": shape(
        "The moves that a seat has left with the server, for its player alone.",
        seat=COUNT,
        orders=array(shape("A move to come.", move=OBJECT)),
        cancelled=nullable(
            shape(
                "Why there are none any more: the next one could not be played.",
                at=TIME,
                move=OBJECT,
                verdict=ref("Verdict"),
            )
        ),
    ),
}
