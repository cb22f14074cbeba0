"""Test clocks: what is accepted and what is answered."""

from __future__ import annotations

from typing import Any

from marshmallow import ValidationError, validates_schema

from api.schemas.fields import Message
from api.schemas.members import UUID, DateTime, String
from api.schemas.patterns import Duration, Time
from api.schemas.shapes import Answer, Input, Json, Ref, page_of

LONGEST_NAME = 100


class NewTestClock(Input):
    """A clock to make; it stands at the time of the server unless told otherwise."""

    name = Message(LONGEST_NAME, load_default=None, allow_none=True, about="What the test is about.")
    time = Time(load_default=None, allow_none=True, about="What time it is by the clock.")


class Advance(Input):
    """How far to set a clock forward: to a time, or by a duration."""

    to = Time(about="The time that it then shows.")
    by = Duration(about="How much later it then is.")

    @validates_schema
    def one_way(self, data: dict[str, Any], **kwargs: Any) -> None:
        """Exactly one of the two."""
        if ("to" in data) == ("by" in data):
            raise ValidationError("Must have either to or by.")

    def published(self, found: Json, ref: Ref) -> Json:
        """Allow no other number of members."""
        return {**found, "minProperties": 1, "maxProperties": 1}


class TestClock(Answer):
    """A clock that stands still until it is advanced; the games that were made on it have no other."""

    id = UUID()
    name = String(null=True)
    time = DateTime(about="What time it is in its games.")
    created_at = DateTime(about="When it was made, by the time of the server.")


TestClockList = page_of(TestClock, "TestClockList", "A page of test clocks, newest first.")
