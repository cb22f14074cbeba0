"""Actions in a game (moves, messages, orders, vacations, take-backs), and questions to the referee."""

from __future__ import annotations

from datetime import date
from typing import Any

from marshmallow import ValidationError, fields, validates_schema

import referee
from api.http.deprecation import Deprecation
from api.schemas.fields import AnyObject, Anything, Choice, Flag, Items, Message, SeatNumber, Whole
from api.schemas.requests.common import MOST_SEATS, Acting, Entropy, Signing
from api.schemas.rulesets import AnyPosition, AnyRecord, AnyView
from api.schemas.rulesets.declared import MoveToJudge
from api.schemas.shapes import Input

MOST_ORDERS = 100


class Reveal(Acting):
    """The entropy to which a seat has committed."""

    entropy = Entropy(required=True)


class NewMove(Signing):
    """A move to make; `seat` is required if the caller holds or acts for several."""

    move = fields.Nested(MoveToJudge, required=True)


class NewMessage(Signing):
    """A chat message to post. Where it is a move, a seat with a public key signs that move."""

    text = Message(2000, required=True)


class Resignation(Signing):
    """The seat that resigns, if the caller holds or acts for several."""


class Vacation(Signing):
    """The days of vacation to take, and the seat if the caller acts for several."""

    days = Whole(1, 365, required=True)


class VacationEverywhere(Input):
    """The days of vacation to take in all of the player's games."""

    days = Whole(1, 365, required=True)


class Pause(Signing):
    """The seat that agrees to a pause, ends one or gives up its key, if the caller acts for several."""


class Ending(Signing):
    """How a seat agrees to end the game: cancelled without a result, or as a draw."""

    ending = Choice(*referee.ENDINGS_AGREED, required=True)


class Nudge(Acting):
    """The seat that sends the reminder, if the caller acts for several."""


class TakeBack(Signing):
    """The seat that asks, if the caller holds or acts for several."""


class TakeBackAnswer(Signing):
    """Whether a seat agrees to take back the move."""

    agree = Flag(required=True)


class Condition(Input):
    """A condition on the last move of another seat; the move may have more members."""

    seat = SeatNumber(0, MOST_SEATS - 1, required=True)
    move = AnyObject(required=True)


class NewOrder(Input):
    """A move to be played when it is the seat's turn, if it is legal then.

    `when`: only if each of these seats has made such a move since the seat's own last move; otherwise the
    order waits for a later turn, and the next order is considered. `if_illegal`: cancel all orders (the
    default), skip this one permanently, or keep it waiting. `repeat`: keep the order after it was played.
    """

    move = fields.Nested(MoveToJudge, required=True)
    when = Items(fields.Nested(Condition), 1, MOST_SEATS)
    if_illegal = Choice("cancel", "skip", "wait")
    repeat = Flag()


class Automatic(Signing):
    """What is done automatically at each turn of a seat."""

    always_pass = Flag(load_default=False, about="Pass whenever the rules allow it.")
    only_move = Flag(
        load_default=False,
        about="Make the move if only one is legal; not in rulesets whose lists are not `complete`.",
    )


class NewOrders(Signing):
    """Moves to make one after the other, each as soon as it is the seat's turn."""

    orders = Items(fields.Nested(NewOrder), 1, MOST_ORDERS, required=True)


OLD_DRY_RUN = Deprecation(since=date(2026, 11, 22), sunset=date(2027, 6, 30))


class OldDryRun(Input):
    """Whether to judge only; older than the separate operation for it."""

    dry_run = Flag(
        query=True,
        load_default=False,
        about="Use `try_move` instead. With `true`, the move is only judged, as by `try_move`.",
        metadata=OLD_DRY_RUN.metadata(),
    )


class Question(Input):
    """A move to judge in a position or at a record's end. Chance comes from `chance`, then the seed."""

    position = fields.Nested(AnyPosition)
    record = fields.Nested(AnyRecord)
    seat = SeatNumber(0, MOST_SEATS - 1, required=True)
    move = Anything(required=True, allow_none=True)
    chance = fields.List(AnyObject())
    seed = fields.String()

    @validates_schema
    def one_start(self, data: dict[str, Any], **kwargs: Any) -> None:
        """Check that there is a position or a record; a record has its own chance."""
        if ("position" in data) == ("record" in data):
            raise ValidationError("Must have a position or a record.")
        for name in ("chance", "seed"):
            if name in data and "record" in data:
                raise ValidationError("The record already contains this.", name)


class LegalQuestion(Input):
    """A position and a seat."""

    position = fields.Nested(AnyPosition, required=True)
    seat = SeatNumber(0, MOST_SEATS - 1, required=True)


class SampleQuestion(Input):
    """A view, as games show it."""

    view = fields.Nested(AnyView, required=True)
