"""The time, and ids, which are ordered by it."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import uuid_utils.compat as uuid_utils


def utc_now() -> datetime:
    """Return the time."""
    return datetime.now(UTC)


def new_id() -> UUID:
    """Return a new id: a UUIDv7, so that ids sort by time of creation."""
    return uuid_utils.uuid7()
