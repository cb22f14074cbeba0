"""Finding what is an app's own by what the app has written on it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from psycopg.errors import UniqueViolation
from psycopg.types.json import Jsonb
from sqlalchemy import ColumnElement, Table

from api.core.errors import ExternalIdTaken


class LabelFilter(NamedTuple):
    """Which external id, and which pair of the metadata; None leaves either out."""

    external_id: str | None = None
    metadata: dict[str, str] | None = None

    def conditions(self, table: Table) -> list[ColumnElement[bool]]:
        """Return what to add to the conditions of a statement; an index serves each."""
        found = []
        if self.external_id is not None:
            found.append(table.c.external_id == self.external_id)
        if self.metadata is not None:
            found.append(table.c.metadata.contains(Jsonb(self.metadata)))
        return found


@contextmanager
def unique() -> Iterator[None]:
    """Raise ExternalIdTaken where the block gives a thing the external id of another one."""
    try:
        yield
    except UniqueViolation as error:
        if (error.diag.constraint_name or "").endswith("_external_id"):
            raise ExternalIdTaken("Another one of this app's has this external id.") from None
        raise
