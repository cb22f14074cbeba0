"""Finds an app's objects by their labels."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from psycopg.errors import UniqueViolation
from sqlalchemy import ColumnElement, Table, exists

from api.core.errors import ExternalIdTaken
from api.store.tables.accounts import metadata_pairs

pair = metadata_pairs.c
EXTERNAL_ID = re.compile(r"_external_id(_\d+)?$")  # a shard's index has the number of the shard in its name


class LabelFilter(NamedTuple):
    """An external id and a pair of the metadata; None: no filter."""

    external_id: str | None = None
    metadata: dict[str, str] | None = None

    def conditions(self, table: Table) -> list[ColumnElement[bool]]:
        """Return what to add to the conditions of a statement; an index serves each."""
        found: list[ColumnElement[bool]] = []
        if self.external_id is not None:
            found.append(table.c.external_id == self.external_id)
        if self.metadata is not None:
            found += [
                exists().where(
                    pair.app_id == table.c.app_id,
                    pair.kind == table.name,
                    pair.key == key,
                    pair.value == value,
                    pair.id == table.c.id,
                )
                for key, value in self.metadata.items()
            ]
        return found


@contextmanager
def unique() -> Iterator[None]:
    """Raise ExternalIdTaken if the block gives an object the external id of another one."""
    try:
        yield
    except UniqueViolation as error:
        if EXTERNAL_ID.search(error.diag.constraint_name or ""):
            raise ExternalIdTaken("This app already uses this external id.") from None
        raise
