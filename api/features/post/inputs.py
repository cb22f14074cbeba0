"""What these operations accept."""

from __future__ import annotations

from typing import Any

from marshmallow import ValidationError, fields, validates_schema

import referee.records
from api.games.bots import BOTS
from api.http.answers import Json, Ref
from api.http.fields import Choice, Flag, Input, Items, Whole
from api.http.patterns import Id
from api.http.queries import SIGNED, Acting, Signing
from api.rulesets.inputs import MoveToJudge

MOST_ORDERS = 100


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

    ending = Choice(*referee.records.ENDINGS_AGREED, required=True)


class Nudge(Acting):
    """The seat that sends the reminder, if the caller acts for several."""


class Automatic(Signing):
    """What is done automatically at each turn of a seat."""

    always_pass = Flag(load_default=False, about="Pass whenever the rules allow it.")
    only_move = Flag(
        load_default=False,
        about="Make the move if only one is legal; not in rulesets whose lists are not `complete`.",
    )


class NewOrder(Input):
    """A move to be made when it is the seat's turn. If it is not legal then, all orders are cancelled."""

    move = fields.Nested(MoveToJudge, required=True)


class NewOrders(Signing):
    """Moves to make one after the other, each as soon as it is the seat's turn."""

    orders = Items(fields.Nested(NewOrder), 1, MOST_ORDERS, required=True)


class Replacement(Input):
    """The player or bot that takes over a seat."""

    player = Id()
    bot = Choice(*BOTS)
    signed = SIGNED

    @validates_schema
    def one_kind(self, data: dict[str, Any], **kwargs: Any) -> None:
        """Check that it is exactly one of the two."""
        if ("player" in data) == ("bot" in data):
            raise ValidationError("Must have either a player or a bot.")

    def published(self, schema: Json, ref: Ref) -> Json:
        """Exclude both and none. Uses `not`, because with `oneOf` generated clients lose the members."""
        either = [{"properties": {kind: {}}, "required": [kind]} for kind in ("player", "bot")]
        return {**schema, "not": {"anyOf": [{"allOf": either}, {"not": {"anyOf": either}}]}}
