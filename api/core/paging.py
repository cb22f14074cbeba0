"""Cursor pagination: a cursor names the last item seen, so new items never shift a page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar
from uuid import UUID

Row = TypeVar("Row")


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
        "next": shown[-1].id.hex if more else None,  # type: ignore[attr-defined]
    }
