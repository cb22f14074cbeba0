"""Questions to the referee, and its answers."""

from __future__ import annotations

from typing import Any

from marshmallow import ValidationError, fields, validates_schema

from api.http.fields import AnyObject, Anything, SeatNumber
from api.http.members import Boolean, Count, List, Map, Nested, String
from api.http.queries import MOST_SEATS
from api.http.shapes import Answer, Input, Opaque, part
from api.rulesets.declared import Move, WithMoves
from api.rulesets.shapes import WAYS, AnyRecord, Position, Result, Table, Transfer, Verdict


class AnyPosition(Opaque, Table):
    """The whole state of a game, nothing hidden: an answered `Position`, or a handwritten one."""

    zones = Map(List(String()))


class AnyView(Opaque, Table):
    """A position as one viewer sees it."""


class Judged(Answer):
    """A verdict; for a legal move also the next position and the transfers."""

    verdict = Nested(Verdict)
    position = Nested(Position, optional=True)
    transfers = List(Nested(Transfer), optional=True)


class PositionMoves(WithMoves):
    """The legal moves of a seat in a position."""

    ruleset = String()
    moves = List(Nested(Move))
    complete = Boolean()


class Suggested(WithMoves):
    """What the strongest bot would do in a position."""

    ruleset = String()
    move = Nested(Move, null=True)
    transfers = List(Nested(Transfer), about=WAYS)


class Sampled(Answer):
    """A position that its viewer cannot tell from the real one."""

    position = Nested(Position)


class Replayed(Answer):
    """How far a record could be replayed."""

    ok = Boolean(about="Every move is legal and the result is the one that the record says.")
    moves = Count(about="How many moves were legal.")
    position = Nested(Position)
    result = Nested(Result, null=True)
    refused = part(
        "The first illegal move.",
        n=Count(),
        seat=Count(),
        move=Anything(),
        verdict=Nested(Verdict),
        null=True,
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
