"""Ids of everything that is stored."""

from __future__ import annotations

from uuid import UUID

import uuid_utils.compat as uuid_utils


def new_id(cell: int | None) -> UUID:
    """Return a new id: a UUIDv7, so that ids sort by time of creation. The last byte is the cell, if any."""
    id_ = uuid_utils.uuid7()
    return id_ if cell is None else UUID(int=id_.int & ~0xFF | cell)
