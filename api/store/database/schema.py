"""The newest migration of the code, and of the database."""

from __future__ import annotations

from sqlalchemy import column, select, table

from api.core.release import newest as newest
from api.store.database.session import Session, scalar


def oldest_code(session: Session) -> str:
    """Return the newest revision that code has to know to work with the database; "" if it does not say."""
    if not scalar(session, "SELECT to_regprocedure('oldest_code()') IS NOT NULL"):
        return ""
    return str(scalar(session, "SELECT oldest_code()"))


def revision(session: Session) -> str | None:
    """Return the revision of the database, or None if it has none."""
    row = session.execute(select(column("version_num")).select_from(table("alembic_version"))).fetchone()
    return str(row[0]) if row else None
