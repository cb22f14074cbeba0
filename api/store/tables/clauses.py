"""Clauses that statements over several tables share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import ARRAY, Column, ColumnElement, Select, any_, literal


def among(column: ColumnElement[Any], values: Sequence[Any]) -> ColumnElement[bool]:
    """Return the condition that a column has one of these values, as one statement for any number."""
    return column == any_(literal(list(values), ARRAY(column.type)))


def newest_first(statement: Select[Any], key: Column[UUID], before: UUID | None, limit: int) -> Select[Any]:
    """Return a page of a statement's rows: newest first, beginning beyond `before`."""
    if before is not None:
        statement = statement.where(key < before)
    return statement.order_by(key.desc()).limit(limit)
