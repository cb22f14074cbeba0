"""The time, and how it is written."""

from __future__ import annotations

from datetime import UTC, datetime

from referee import timestamp as timestamp  # how every time is written


def utc_now() -> datetime:
    """Return the time."""
    return datetime.now(UTC)
