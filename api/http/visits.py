"""Visits: when each was last here. They are written outside of requests."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Generic, TypeVar
from uuid import UUID

from api.context import Context
from api.feature import Hook

visited: Hook[[Mapping[UUID, datetime]], None] = Hook()
"""Hears which players were here, and when each was last. No request waits for it."""


Who = TypeVar("Who")


class Visits(Generic[Who]):
    """When each was last here, as far as this process has not written it yet: a request writes no visit."""

    def __init__(self, heard: Hook[[Mapping[Who, datetime]], None]) -> None:
        self._heard = heard
        self._seen: dict[Who, datetime] = {}

    def record(self, who: Who, at: datetime) -> None:
        """Note that somebody is here."""
        self._seen[who] = at

    def write(self, context: Context) -> None:
        """Write the visits since the last time. Those that cannot be written are kept for the next time."""
        seen, self._seen = self._seen, {}
        if not seen:
            return
        try:
            self._heard(context, seen)
        except Exception:
            self._seen = {**seen, **self._seen}
            raise
