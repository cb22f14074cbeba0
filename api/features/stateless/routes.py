"""The referee without a stored game."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from marshmallow import Schema, ValidationError, fields, validates_schema

from api.context import Context
from api.core.readers import KIB
from api.features.stateless import questions
from api.features.stateless.answers import Judged, PositionMoves, Replayed, Sampled, Suggested
from api.http import auth
from api.http.answers import Json, Ref, schema_of, schema_of_class, words
from api.http.fields import AnyObject, Anything, Input, Opaque, SeatNumber
from api.http.operation import Operations, View
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


LONG = 8 * KIB  # a position has less; a record that has less is short

blueprint = Operations("referee", __name__, "Stateless use of the referee: nothing is stored.")


def question(name: str, body: type[Schema], answer: type[Any], **declared: Any) -> Callable[[View], View]:
    """Route a view that answers a question to the referee; anybody may ask."""
    rule = f"/v1/referee/{name}"
    return blueprint.POST(rule, auth.ANYBODY, body=body, answers={200: answer}, long=LONG, **declared)


@question("verdicts", Question, Judged, cost=2, large=True)
def judge_move(context: Context, body: dict[str, Any]) -> Judged:
    """Judge a move in a position, or at the end of a record.

    An illegal move is a normal answer here, not an error. For a legal move, the answer has the next position.
    """
    return questions.verdict(body)


@question("legal-moves", LegalQuestion, PositionMoves)
def list_moves_in_position(context: Context, body: dict[str, Any]) -> PositionMoves:
    """List the legal moves of a seat in a position."""
    return questions.legal_moves(body["position"], body["seat"])


OPENING = {
    "format": "card-referee/1",
    "ruleset": "cats_and_dogs",
    "version": 1,
    "seats": 1,
    "options": {},
    "seed": "00",
    "entropy": [""],
    "moves": [],
    "result": None,
}


@question(
    "replays",
    AnyRecord,
    Replayed,
    cost=10,
    large=True,
    examples={"opening": ("The first move of a solo game", OPENING)},
)
def replay_record(context: Context, body: dict[str, Any]) -> Replayed:
    """Replay a record: every verdict, the final position, the result."""
    return questions.replay(body)


@question("suggestions", LegalQuestion, Suggested, cost=20)
def suggest_in_position(context: Context, body: dict[str, Any]) -> Suggested:
    """Suggest a move for a seat in a position.

    The strongest bot chooses it, and sees only what the seat sees.
    """
    return questions.suggestion(body["position"], body["seat"])


@question("samples", SampleQuestion, Sampled, cost=2)
def sample_position(context: Context, body: dict[str, Any]) -> Sampled:
    """Deal the hidden cards of a view again.

    The answer is a position that looks like the view to its viewer. It says nothing about the real one.
    """
    return questions.sampled(body["view"], context.random_bytes(16))
