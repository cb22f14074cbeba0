"""Finds an app's objects by their external ids."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from psycopg.errors import UniqueViolation
from sqlalchemy import ColumnElement, Table, select

from api.core.errors import ExternalIdTaken
from api.store.database.session import Session
from api.store.tables.columns import metadata
from api.store.tables.games import games

EXTERNAL_ID = re.compile(r"_external_id(_\d+)?$")  # a shard's index has the number of the shard in its name


def named(table: Table, external_id: str | None) -> list[ColumnElement[bool]]:
    """Return the condition that an object has this external id, which an index serves; None: no condition."""
    return [] if external_id is None else [table.c.external_id == external_id]


@contextmanager
def unique(session: Session, app_id: UUID, request: Mapping[str, Any]) -> Iterator[None]:
    """Raise ExternalIdTaken if the block gives an object the external id of another one of the app.

    `request` is what is created or changed: an object with an `external_id`.
    """
    try:
        yield
    except UniqueViolation as error:
        name = error.diag.constraint_name or ""
        if not EXTERNAL_ID.search(name):
            raise
        table = metadata.tables.get(name.partition("_external_id")[0], games)
        external_id = request.get("external_id")
        taken = select(table.c.id).where(table.c.app_id == app_id, table.c.external_id == external_id)
        row = session.execute(taken).fetchone()
        words = "This app already uses this external id."
        raise ExternalIdTaken(words, conflicts_with=row and str(row[0])) from None
