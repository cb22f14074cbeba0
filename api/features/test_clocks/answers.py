"""What these operations answer."""

from __future__ import annotations

from typing import Annotated, TypedDict

from api.core.paging import PageOf
from api.http.answers import Timestamp, Uuid


class TestClock(TypedDict):
    """A clock that stands still until it is advanced, for the games that were created on it."""

    id: Uuid
    name: str | None
    time: Annotated[Timestamp, "The current time in its games."]
    created_at: Annotated[Timestamp, "The time of its creation, by the server's clock."]


class TestClockList(PageOf[TestClock]):
    """A page of test clocks, newest first."""
