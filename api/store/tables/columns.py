"""The metadata of all tables, columns that many of them share, and clauses of their statements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ARRAY,
    TIMESTAMP,
    Column,
    ColumnElement,
    ForeignKey,
    Index,
    MetaData,
    Select,
    Text,
    Uuid,
    any_,
    literal,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB

# The names that PostgreSQL gives to constraints without names.
metadata = MetaData(
    naming_convention={
        "pk": "%(table_name)s_pkey",
        "uq": "%(table_name)s_%(column_0_name)s_key",
        "fk": "%(table_name)s_%(column_0_name)s_fkey",
        "ck": "%(table_name)s_%(constraint_name)s_check",
    }
)


def key(name: str, kind: Any = Uuid) -> Column[Any]:
    """Return a column of the primary key."""
    return Column(name, kind, primary_key=True, autoincrement=False)


def needed(name: str, kind: Any, *more: Any, **options: Any) -> Column[Any]:
    """Return a column that is never null."""
    return Column(name, kind, *more, nullable=False, **options)


def of(name: str, table: str, *, needed: bool = True, key: bool = False, **more: Any) -> Column[Any]:
    """Return a column that refers to the id of a table."""
    reference = ForeignKey(f"{table}.id", **more)
    return Column(name, Uuid, reference, nullable=not (needed or key), primary_key=key)


def index_where(condition: str, name: str, *columns: Any, unique: bool = False) -> Index:
    """Return an index of the rows that meet a condition."""
    return Index(name, *columns, unique=unique, postgresql_where=text(condition))


def labels(table: str) -> list[Column[Any] | Index]:
    """Return the columns for the labels of an app's object (see `api.core.labels`)."""
    return [
        Column("external_id", Text),
        needed("metadata", JSONB, server_default=text("'{}'")),
        index_where("external_id IS NOT NULL", f"{table}_external_id", "app_id", "external_id", unique=True),
    ]


def among(column: ColumnElement[Any], values: Sequence[Any]) -> ColumnElement[bool]:
    """Return the condition that a column has one of these values, as one statement for any number."""
    return column == any_(literal(list(values), ARRAY(column.type)))


def newest_first(statement: Select[Any], key: Column[UUID], before: UUID | None, limit: int) -> Select[Any]:
    """Return a page of a statement's rows: newest first, beginning beyond `before`."""
    if before is not None:
        statement = statement.where(key < before)
    return statement.order_by(key.desc()).limit(limit)


TIME = TIMESTAMP(timezone=True)
