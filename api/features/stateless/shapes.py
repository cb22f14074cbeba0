"""Questions to the referee, and its answers."""

from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from marshmallow import ValidationError, fields, validates_schema

from api.http.answers import Count, Json, Ref, inline, published, schema_of, schema_of_class, words
from api.http.fields import AnyObject, Anything, SeatNumber
from api.http.queries import MOST_SEATS
from api.http.shapes import Input, Opaque
from api.rulesets.declared import of_each_ruleset
from api.rulesets.shapes import WAYS, AnyRecord, Position, Result, Table, Transfer, Verdict


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


class Judged(TypedDict):
    """A verdict; for a legal move also the next position and the transfers."""

    verdict: Annotated[Json, Verdict]
    position: NotRequired[Position]
    transfers: NotRequired[list[Annotated[Json, Transfer]]]


@published(of_each_ruleset)
class PositionMoves(TypedDict):
    """The legal moves of a seat in a position."""

    complete: bool
    ruleset: str
    moves: list[Json]


@published(of_each_ruleset)
class Suggested(TypedDict):
    """What the strongest bot would do in a position."""

    transfers: Annotated[list[Annotated[Json, Transfer]], WAYS]
    ruleset: str
    move: Json | None


class Sampled(TypedDict):
    """A position that its viewer cannot tell from the real one."""

    position: Position


@inline
class Refused(TypedDict):
    """The first illegal move."""

    n: Count
    seat: Count
    move: object
    verdict: Annotated[Json, Verdict]


class Replayed(TypedDict):
    """How far a record could be replayed."""

    ok: Annotated[bool, "Every move is legal and the result is the one that the record says."]
    moves: Annotated[Count, "How many moves were legal."]
    position: Position
    result: Result | None
    refused: Refused | None


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
