"""Finds an app's objects by their labels."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple
from uuid import UUID

from psycopg.errors import UniqueViolation
from sqlalchemy import ColumnElement, Table, exists, select

from api.core.errors import ExternalIdTaken
from api.store.database.session import Session
from api.store.tables.accounts import metadata_pairs
from api.store.tables.columns import metadata
from api.store.tables.games import games

pair = metadata_pairs.c
EXTERNAL_ID = re.compile(r"_external_id(_\d+)?$")  # a shard's index has the number of the shard in its name


class LabelFilter(NamedTuple):
    """An external id, and pairs of the metadata that must all be there; None: no filter."""

    external_id: str | None = None
    metadata: Sequence[tuple[str, str]] = ()

    def conditions(self, table: Table) -> list[ColumnElement[bool]]:
        """Return what to add to the conditions of a statement; an index serves each."""
        conditions: list[ColumnElement[bool]] = []
        if self.external_id is not None:
            conditions.append(table.c.external_id == self.external_id)
        conditions += [
            exists().where(
                pair.app_id == table.c.app_id,
                pair.kind == table.name,
                pair.key == key,
                pair.value == value,
                pair.id == table.c.id,
            )
            for key, value in self.metadata
        ]
        return conditions


@contextmanager
def unique(session: Session, app_id: UUID, *requests: Mapping[str, Any]) -> Iterator[None]:
    """Raise ExternalIdTaken if the block gives an object the external id of another one of the app.

    `requests` is what is created or changed: objects with an `external_id`, games also with a webhook that
    has one.
    """
    try:
        yield
    except UniqueViolation as error:
        name = error.diag.constraint_name or ""
        if not EXTERNAL_ID.search(name):
            raise
        table = metadata.tables.get(name.partition("_external_id")[0], games)
        made_within = table.name.removesuffix("s")  # such as the `webhook` of a new game
        inner = [one.get(made_within) for one in requests]
        named = [each if isinstance(each, dict) else one for each, one in zip(inner, requests, strict=True)]
        ids = [one["external_id"] for one in named if one.get("external_id")]
        taken = select(table.c.id).where(table.c.app_id == app_id, table.c.external_id.in_(ids))
        row = session.execute(taken).fetchone()
        words = "This app already uses this external id."
        raise ExternalIdTaken(words, conflicts_with=row and str(row[0])) from None
