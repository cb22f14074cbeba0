"""Create and advance test clocks, and delete them with their games."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from marshmallow import ValidationError, validates_schema

from api.context import Context
from api.features.test_clocks import test_clocks
from api.features.test_clocks.answers import TestClock, TestClockList
from api.http import auth
from api.http.answers import Json, Ref
from api.http.fields import Input, Message
from api.http.operation import Operations
from api.http.patterns import Duration, Time
from api.http.queries import Pages

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


blueprint = Operations(
    "test clocks",
    __name__,
    "Games whose time is set by an app, to test deadlines and what follows from them.",
)


@blueprint.POST(
    "/v1/test-clocks",
    auth.APP_WRITERS,
    body=NewTestClock,
    problems=("conflict",),
    idempotent=True,
    creates="/v1/test-clocks",
)
def create_test_clock(context: Context, body: dict[str, Any]) -> TestClock:
    """Create a test clock.

    Games that are created with its id as `test_clock` use its time: deadlines, reserves and vacations pass
    when the clock is advanced. Every answer that shows such a game says so permanently, including its log and
    its verification. Existing games cannot be put on a test clock.
    """
    return test_clocks.create(context, body["name"], body["time"])


@blueprint.GET("/v1/test-clocks", auth.APP_READERS, query=Pages)
def list_test_clocks(context: Context, query: dict[str, Any]) -> TestClockList:
    """List the app's test clocks, newest first."""
    return test_clocks.page(context, query["page"])


@blueprint.GET("/v1/test-clocks/<uuid:test_clock>", auth.APP_READERS)
def get_test_clock(context: Context, test_clock: UUID) -> TestClock:
    """Show a test clock."""
    return test_clocks.get(context, test_clock)


@blueprint.POST(
    "/v1/test-clocks/<uuid:test_clock>/advance",
    auth.APP_WRITERS,
    body=Advance,
    answers={200: TestClock},
    problems=("conflict",),
    cost=10,
    idempotent=True,
)
def advance_test_clock(context: Context, test_clock: UUID, body: dict[str, Any]) -> TestClock:
    """Advance a test clock to a time or by a duration.

    Deadlines and warnings on the way are handled one after the other, each at its own time, with the
    resulting moves of bots and notifications to webhooks. When this is answered, all of it has been done, or
    nothing. A step with more than 500 deadlines and warnings is refused: use smaller steps.
    """
    return test_clocks.advance(context, test_clock, body.get("to"), body.get("by"))


@blueprint.DELETE(
    "/v1/test-clocks/<uuid:test_clock>",
    auth.APP_WRITERS,
    "The test clock is gone, and its games are cancelled.",
)
def delete_test_clock(context: Context, test_clock: UUID) -> None:
    """Delete a test clock and cancel its games that are not over."""
    test_clocks.delete(context, test_clock)
