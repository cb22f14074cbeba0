"""Deletes old rows in small steps, so that nobody waits long for a lock or the disk."""

from __future__ import annotations

from sqlalchemy import Column, ColumnElement, Table, select, tuple_

from api.store.database.session import Session

BATCH = 1000  # rows in one statement, which is its own transaction


def prune(session: Session, table: Table, age: Column[object], *old: ColumnElement[bool]) -> int:
    """Delete the old rows of a table, oldest first; return how many."""
    keys = tuple(table.primary_key.columns)
    some = select(*keys).where(*old).order_by(age).limit(BATCH).with_for_update(skip_locked=True)
    statement = table.delete().where(tuple_(*keys).in_(some))
    deleted = more = session.execute(statement).rowcount
    while more == BATCH:
        more = session.execute(statement).rowcount
        deleted += more
    return deleted
