"""Cursor pagination: a cursor names the last item seen, so new items never shift a page."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar
from uuid import UUID

from api.services.errors import BadRequest
from api.services.texts import dumps, loads

Row = TypeVar("Row")


class Page(NamedTuple):
    """Which page of a list is wanted."""

    limit: int
    cursor: str | None = None

    @property
    def before(self) -> UUID | None:
        """The id that the page comes before, for lists whose order is newest first. Raises BadRequest."""
        if self.cursor is None:
            return None
        try:
            return UUID(self.place(1)[0])
        except (ValueError, TypeError, AttributeError):
            raise bad_cursor() from None

    def place(self, length: int) -> list[Any]:
        """Read what the cursor names. Raises BadRequest."""
        assert self.cursor is not None
        try:
            found = loads(base64.urlsafe_b64decode(self.cursor.encode() + b"=="))
        except (ValueError, binascii.Error):
            raise bad_cursor() from None
        if not isinstance(found, list) or len(found) != length:
            raise bad_cursor()
        return found


def bad_cursor() -> BadRequest:
    """Make the error of a cursor that is none of ours."""
    return BadRequest({"cursor": ["Not a cursor that this list has given out."]})


def cursor(*place: Any) -> str:
    """Make the cursor of a place in a list."""
    return base64.urlsafe_b64encode(dumps(list(place))).decode().rstrip("=")


def uuid_page(rows: Sequence[Row], page: Page, show: Callable[[Row], dict[str, Any]]) -> dict[str, Any]:
    """Make a page of rows with an `id`, of which one more than the limit was read."""
    shown = rows[: page.limit]
    more = len(rows) > page.limit
    return {
        "items": [show(row) for row in shown],
        "next": cursor(str(shown[-1].id)) if more else None,  # type: ignore[attr-defined]
    }
