"""Deleting what is kept for a time only, a little at a time: nobody waits long for a lock or the disk."""

from __future__ import annotations

from sqlalchemy import Column, ColumnElement, Table, select, tuple_

from api.store.database.session import Session

AT_ONCE = 1000  # rows of one statement, which is a transaction of its own


def prune(session: Session, table: Table, age: Column[object], *old: ColumnElement[bool]) -> int:
    """Delete the rows of a table that are old, the oldest first; return how many."""
    keys = tuple(table.primary_key.columns)
    some = select(*keys).where(*old).order_by(age).limit(AT_ONCE).with_for_update(skip_locked=True)
    statement = table.delete().where(tuple_(*keys).in_(some))
    deleted = more = session.execute(statement).rowcount
    while more == AT_ONCE:
        more = session.execute(statement).rowcount
        deleted += more
    return deleted
