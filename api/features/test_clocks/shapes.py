"""Test clocks in requests and answers."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from marshmallow import ValidationError, validates_schema

from api.core.paging import PageOf
from api.http.answers import Json, Ref, Timestamp, Uuid
from api.http.fields import Message
from api.http.patterns import Duration, Time
from api.http.shapes import Input

LONGEST_NAME = 100


class NewTestClock(Input):
    """A test clock to create; its time is the server's by default."""

    name = Message(LONGEST_NAME, load_default=None, allow_none=True, about="The subject of the test.")
    time = Time(load_default=None, allow_none=True, about="The time that the clock shows.")


class Advance(Input):
    """How far to advance a clock: to a time, or by a duration."""

    to = Time(about="The time to which to advance.")
    by = Duration(about="The duration by which to advance.")

    @validates_schema
    def one_way(self, data: dict[str, Any], **kwargs: Any) -> None:
        """Check that it is exactly one of the two."""
        if ("to" in data) == ("by" in data):
            raise ValidationError("Must have either to or by.")

    def published(self, schema: Json, ref: Ref) -> Json:
        """Declare that exactly one member is allowed."""
        return {**schema, "minProperties": 1, "maxProperties": 1}


class TestClock(TypedDict):
    """A clock that stands still until it is advanced, for the games that were created on it."""

    id: Uuid
    name: str | None
    time: Annotated[Timestamp, "The current time in its games."]
    created_at: Annotated[Timestamp, "The time of its creation, by the server's clock."]


class TestClockList(PageOf[TestClock]):
    """A page of test clocks, newest first."""
