"""What these operations accept."""

from __future__ import annotations

from typing import Any

from marshmallow import ValidationError, validates_schema

from api.http.answers import Json, Ref
from api.http.fields import Input, Message
from api.http.patterns import Duration, Time

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
