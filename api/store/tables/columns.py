"""The metadata of all tables, columns that many of them share, and who may do what with the rows of a table.

Rights are declared with the table: `run/rights.py` and `run/row_security.py` make rights and policies of
them, `run/resealing.py` seals with a new key, and `store/distribution.py` spreads the tables over the
machines of a Citus cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple
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
    Table,
    Text,
    Uuid,
    any_,
    literal,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB

from api.store.database.connections import APP_SETTING

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
    """Return the columns for the labels of an app's object (see `api.core.names`)."""
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


GUESTS = "guests"  # the name of the app of this server's own guests and accounts
LABELS = "external_id, metadata"  # what an app writes on its own resources

APP = f"nullif(current_setting('{APP_SETTING}', true), '')::uuid"
OF_APP = f"app_id = {APP}"
# A scalar subquery, so that it is one look-up by id: with EXISTS, the planner may hash all games.
OF_OWN_GAME = f"(SELECT g.{OF_APP} FROM games g WHERE g.id = game_id)"
# For callers without a token: guests who take a seat of a game, or come to the server.
OF_OWNER = f"owner = {APP} OR (SELECT g.{OF_APP} FROM games g WHERE g.id = owner)"
OF_SEEN_GAME = "(SELECT true FROM games g WHERE g.id = game_id)"
SEEN = f"{OF_APP} OR visibility = 'public' OR visibility = 'unlisted' AND {APP} IS NOT NULL"

REFERENCE, MANAGED = "reference", "managed"
"""A table with a copy on every machine; one of the coordinator that is written together with others."""


class Sealed(NamedTuple):
    """Sealed columns of a table, and what else the places of their values depend on.

    `row` and `place` take the values of the primary key and of `more`, like the statements of the store.
    """

    columns: tuple[str, ...]
    place: Callable[..., bytes]
    more: tuple[str, ...] = ()
    row: Callable[..., bytes] = lambda first, *_: bytes(first.bytes)


class Access(NamedTuple):
    """What the `service` and the `worker` may do with a table, as SQL grants it: only what they need.

    Only columns that change during a row's life may be updated: never a seed, a hash, a scope, or the owner
    of a row. `own` is the condition for the rows that the service may write, and may read unless `seen` says
    otherwise; without it, the table belongs to no app. It `deletes` rows that it may write from a table with
    `seen`. `citus`: REFERENCE, MANAGED, or the column by which the table is distributed.

    With a deleted row go those that need it by a foreign key, and those that `goes_with` names: for each
    table, the column that has its ids. `forgets` is run before games are deleted, whose ids are `games`.
    """

    service: str | None = None
    worker: str | None = None
    own: str | None = None
    seen: str | None = None
    deletes: bool = False
    sealed: tuple[Sealed, ...] = ()
    citus: str | None = None
    goes_with: Mapping[str, str] = {}
    forgets: str | None = None


def access(**declared: Any) -> dict[str, Access]:
    """Return the `info` of a table."""
    return {"access": Access(**declared)}


def access_of(table: Table) -> Access:
    """Return who may do what with a table."""
    declared: Access = table.info["access"]
    return declared
