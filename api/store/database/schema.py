"""The newest migration of the code, and of the database."""

from __future__ import annotations

import pkgutil
from functools import cache

from sqlalchemy import column, select, table

from api.store.database.session import Session
from migrations import versions


@cache
def newest() -> str:
    """Return the newest revision that this code knows: the number with which a migration's file name begins.

    Alembic could find it too, but it looks for the files by their real path, which a web process without
    rights may not be able to reach.
    """
    return max(module.name for module in pkgutil.iter_modules(versions.__path__)).partition("_")[0]


def revision(session: Session) -> str | None:
    """Return the revision of the database, or None if it has none."""
    row = session.execute(select(column("version_num")).select_from(table("alembic_version"))).fetchone()
    return str(row[0]) if row else None
