"""The metadata of all tables, and columns that many of them share."""

from __future__ import annotations

from typing import Any

from sqlalchemy import TIMESTAMP, Column, ForeignKey, Index, MetaData, Text, Uuid, text
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


def labels(table: str) -> list[Column[Any] | Index]:
    """Return the columns for the labels of an app's object (see `api.core.labels`)."""
    return [
        Column("external_id", Text),
        needed("metadata", JSONB, server_default=text("'{}'")),
        Index(
            f"{table}_external_id",
            "app_id",
            "external_id",
            unique=True,
            postgresql_where=text("external_id IS NOT NULL"),
        ),
    ]


TIME = TIMESTAMP(timezone=True)
