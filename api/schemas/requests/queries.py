"""Which part of a list, of a log or of a game is wanted: queries."""

from __future__ import annotations

from typing import Any

from marshmallow import post_load

import referee
from api.core.paging import Page
from api.schemas.fields import Choice, QueryWhole, Several
from api.schemas.labels import Filters
from api.schemas.patterns import Cursor, Duration, Id, Time, TurnCursor
from api.schemas.requests.common import MOST_SEATS
from api.schemas.shapes import Input

STATUSES = ("open", "running", "finished", "cancelled")
ORIGINS = ("dealt", "imported")


class Pages(Input):
    """Which page of a list."""

    limit = QueryWhole(1, 200, load_default=50, about="How many items a page has at most.")
    cursor = Cursor(about="The `next` of the page before.")

    @post_load
    def page(self, data: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Put both together."""
        return {"page": Page(data.pop("limit"), data.pop("cursor", None)), **data}


class TurnPages(Pages):
    """Which page of the inbox."""

    cursor = TurnCursor(about="The `next` of the page before.")
    wait = Duration(about="Where no game waits, wait for one, so long at most (and as the server lets).")


class LabelledPages(Pages, Filters):
    """Which page of a list of things that an app writes on."""


class Against(Input):
    """Beside whom."""

    against = Id(about="Only games that this other player of the app has played to the end, too.")


class EventPages(Input):
    """Which part of the log."""

    after = QueryWhole(0, load_default=0, about="Only entries after this seq.")
    cursor = QueryWhole(0, about="The `next` of the page before.")
    limit = QueryWhole(1, 200, load_default=50, about="How many items a page has at most.")
    wait = Duration(
        about="Where there is no entry yet, wait for one, so long at most (and as the server lets)."
    )
    type = Several(Choice(*referee.ENTRY_TYPES), about="Only entries of these types.")
    seat = QueryWhole(0, MOST_SEATS - 1, about="Only entries that name this seat as the one it is about.")
    since = Time(about="Only entries of this time or later.")


class AtVersion(Input):
    """Which version of a game."""

    version = QueryWhole(1, about="The game as it was at this version.")


class ForSeat(Input):
    """For which seat."""

    seat = QueryWhole(0, MOST_SEATS - 1, about="For this seat, where the caller holds, or acts for, several.")
