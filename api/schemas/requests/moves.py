"""Actions in a game (moves, messages, orders, vacations, take-backs), and questions to the referee."""

from __future__ import annotations

from datetime import date
from typing import Any

from marshmallow import ValidationError, fields, validates_schema

from api.http.deprecation import Deprecation
from api.schemas.fields import AnyObject, Anything, Flag, Message, SeatNumber
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
