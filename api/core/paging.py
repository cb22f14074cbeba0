"""Cursor pagination: a cursor names the last item seen, so new items never shift a page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple, Protocol, TypeVar
from uuid import UUID


class Identified(Protocol):
    """A row with an id."""

    @property
    def id(self) -> UUID:
        """Its id."""


Row = TypeVar("Row", bound=Identified)


class Page(NamedTuple):
    """Which page of a list is wanted; the cursor is hex digits, as many as the list asks for."""

    limit: int
    cursor: str | None = None

    @property
    def before(self) -> UUID | None:
        """The id that the page comes before, for lists whose order is newest first."""
        return UUID(hex=self.cursor) if self.cursor else None


def uuid_page(rows: Sequence[Row], page: Page, show: Callable[[Row], dict[str, Any]]) -> dict[str, Any]:
    """Make a page of rows with an `id`, of which one more than the limit was read."""
    shown = rows[: page.limit]
    more = len(rows) > page.limit
    return {
        "items": [show(row) for row in shown],
        "next": shown[-1].id.hex if more else None,
    }


# A time in microseconds (all f: none), an id, and what tells the query.
TIMED_CURSOR_PATTERN = "^[0-9a-f]{56}$"
BEGINNING = datetime(1, 1, 1, tzinfo=UTC)
LATEST = (datetime(9999, 12, 31, tzinfo=UTC) - BEGINNING) // timedelta(microseconds=1)
NEVER = 2**64 - 1


class TimedPlace(NamedTuple):
    """A place in a list whose order is by a time, if any, and then by id; `query` tells of which list."""

    id: UUID
    time: datetime | None = None
    query: str = ""


def write_place(place: TimedPlace) -> str:
    """Return the cursor of a place."""
    time = NEVER if place.time is None else (place.time - BEGINNING) // timedelta(microseconds=1)
    return f"{time:016x}{place.id.hex}{place.query}"


def read_place(cursor: str) -> TimedPlace:
    """Return the place that a cursor names."""
    if len(cursor) == 32:
        return TimedPlace(UUID(hex=cursor))
    time = int(cursor[:16], 16)
    at = None if time == NEVER else BEGINNING + timedelta(microseconds=min(time, LATEST))
    return TimedPlace(UUID(hex=cursor[16:48]), at, cursor[48:])
