"""What these operations accept."""

from __future__ import annotations

from typing import Any

from marshmallow import ValidationError, fields, validates_schema

from api.http.answers import Json, Ref, schema_of, schema_of_class, words
from api.http.fields import AnyObject, Anything, Input, Opaque, SeatNumber
from api.http.queries import MOST_SEATS
from api.rulesets.answers import Table
from api.rulesets.inputs import AnyRecord


class AnyPosition(Opaque):
    """The whole state of a game, nothing hidden: an answered `Position`, or a handwritten one."""

    def published(self, schema: Json, ref: Ref) -> Json:
        """Describe the cards of any game."""
        return schema_of_class(Table, ref, words(type(self)), zones=schema_of(dict[str, list[str]], ref))


class AnyView(Opaque):
    """A position as one viewer sees it."""

    def published(self, schema: Json, ref: Ref) -> Json:
        """Describe a view of any game."""
        return schema_of_class(Table, ref, words(type(self)))


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
