"""What statements over many tables say alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import ARRAY, Column, ColumnElement, Select, any_, literal


def among(column: ColumnElement[Any], values: Sequence[Any]) -> ColumnElement[bool]:
    """Return the condition that a column has one of these values; however many, it is one statement."""
    return column == any_(literal(list(values), ARRAY(column.type)))


def newest_first(statement: Select[Any], key: Column[UUID], before: UUID | None, limit: int) -> Select[Any]:
    """Return a page of what a statement selects: the newest first, from beyond `before`."""
    if before is not None:
        statement = statement.where(key < before)
    return statement.order_by(key.desc()).limit(limit)
