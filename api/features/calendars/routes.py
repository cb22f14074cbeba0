"""The calendar of a player's deadlines: its address, and what calendar programs read there."""

from __future__ import annotations

from typing import Any

from flask import Response

from api.context import Context
from api.core.errors import NotFound
from api.features.calendars import calendars
from api.http import auth, problems
from api.http.admission import costs
from api.http.members import String
from api.http.operation import Operations, without_token
from api.http.shapes import Answer

blueprint = Operations("calendars", __name__, tag="notices")


class CalendarAddress(Answer):
    """The address of a player's calendar; anyone who has it can read the calendar."""

    url = String(null=True)


@blueprint.GET("/v1/me/calendar", auth.PLAYERS, CalendarAddress)
def get_calendar(context: Context) -> Any:
    """Show the address of the calendar of my deadlines."""
    return calendars.show(context)


@blueprint.PUT("/v1/me/calendar", auth.PLAYERS, CalendarAddress, problems=("conflict",))
def replace_calendar(context: Context) -> Any:
    """Create a new address for the calendar of my deadlines (iCalendar); the old one stops working.

    Calendar programs read it without a token: the address is the secret.
    """
    return calendars.replace(context)


@blueprint.DELETE("/v1/me/calendar", auth.PLAYERS, "The address of the calendar does not work any more.")
def delete_calendar(context: Context) -> None:
    """Delete the address of my calendar."""
    calendars.delete(context)


@blueprint.get("/calendar/<token>.ics")
@costs(4)
def calendar(token: str) -> Response:
    """Return a player's deadlines as a calendar."""
    with without_token() as context:
        try:
            content = calendars.read(context, token)
        except NotFound as none:
            return problems.refusal(none)
    response = Response(content, content_type="text/calendar; charset=utf-8")
    response.headers["Cache-Control"] = "private, max-age=300"
    return response
