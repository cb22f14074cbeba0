"""Statements that return one value."""

from __future__ import annotations

from typing import Any

from sqlalchemy.sql import ClauseElement

from api.store.database.session import Session, Values


def scalar(session: Session, statement: str | ClauseElement, values: Values = ()) -> Any:
    """Return the first column of the first row, or None without rows."""
    row = session.execute(statement, values).fetchone()
    return row[0] if row else None
