"""The time, and ids, which are ordered by it."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import uuid_utils.compat as uuid_utils


def utc_now() -> datetime:
    """Return the time."""
    return datetime.now(UTC)


def new_id(cell: int | None) -> UUID:
    """Return a new id: a UUIDv7, so that ids sort by time of creation. The last byte is the cell, if any."""
    id_ = uuid_utils.uuid7()
    return id_ if cell is None else UUID(int=id_.int & ~0xFF | cell)
