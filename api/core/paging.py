"""Cursor pagination: a cursor names the last item of a page, so new items never shift the next page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated, Generic, NamedTuple, Protocol, TypedDict, TypeVar
from uuid import UUID


class Identified(Protocol):
    """A row with an id."""

    @property
    def id(self) -> UUID:
        """The id of the row."""


Row = TypeVar("Row", bound=Identified)
Item = TypeVar("Item")


class PageOf(TypedDict, Generic[Item]):
    """A page of a list, as it is answered."""

    items: list[Item]
    next: Annotated[str | None, "The cursor of the next page; null on the last one."]


class Page(NamedTuple):
    """A page of a list; the cursor consists of hex digits, whose number depends on the list."""

    limit: int
    cursor: str | None = None

    @property
    def before(self) -> UUID | None:
        """The id of the last item before this page, in lists with the newest first; None: the first page."""
        return UUID(hex=self.cursor) if self.cursor else None


def uuid_page(rows: Sequence[Row], page: Page, show: Callable[[Row], Item]) -> PageOf[Item]:
    """Return a page of rows with an `id`; one row more than the limit must have been read."""
    shown = rows[: page.limit]
    more = len(rows) > page.limit
    return {
        "items": [show(row) for row in shown],
        "next": shown[-1].id.hex if more else None,
    }


BEGINNING = datetime(1, 1, 1, tzinfo=UTC)
LATEST = (datetime(9999, 12, 31, tzinfo=UTC) - BEGINNING) // timedelta(microseconds=1)
NEVER = 2**64 - 1


def write_time(at: datetime | None) -> str:
    """Return a time in microseconds, in hex digits that sort like times: those without one last."""
    return f"{NEVER if at is None else (at - BEGINNING) // timedelta(microseconds=1):016x}"


def read_time(text: str) -> datetime | None:
    """Return a time from its hex digits."""
    time = int(text, 16)
    return None if time == NEVER else BEGINNING + timedelta(microseconds=min(time, LATEST))
