"""Deletes old rows in small steps, so that nobody waits long for a lock or the disk."""

from __future__ import annotations

from sqlalchemy import Column, ColumnElement, Table, any_, func, literal_column, select, text, tuple_

from api.store.database.session import Session

AT_ONCE = 1000  # rows in one statement, which is its own transaction
PAGES_AT_ONCE = 64  # pages in one statement that reads a table in its physical order: 512 KiB
PAGES = "SELECT pg_relation_size(to_regclass(%s)) / current_setting('block_size')::bigint"


def prune(session: Session, table: Table, age: Column[object], *old: ColumnElement[bool]) -> int:
    """Delete the old rows of a table, oldest first; return how many."""
    keys = tuple(table.primary_key.columns)
    some = select(*keys).where(*old).order_by(age).limit(AT_ONCE).with_for_update(skip_locked=True)
    statement = table.delete().where(tuple_(*keys).in_(some))
    deleted = more = session.execute(statement).rowcount
    while more == AT_ONCE:
        more = session.execute(statement).rowcount
        deleted += more
    return deleted


def prune_by_pages(session: Session, table: Table, *old: ColumnElement[bool]) -> int:
    """Delete the old rows of a table, reading it once in its physical order; return how many.

    A table that is distributed has an order on each machine, and they are deleted in one statement.
    """
    if session.distributed:
        return session.execute(table.delete().where(*old)).rowcount
    row = session.execute(PAGES, (table.name,)).fetchone()
    assert row is not None
    at: ColumnElement[str] = literal_column("ctid")
    some = select(at).select_from(table).where(text("ctid >= :first ::tid AND ctid < :end ::tid"), *old)
    chosen = func.array(some.with_for_update(skip_locked=True).scalar_subquery())
    statement = table.delete().where(at == any_(chosen))
    return sum(
        session.execute(statement, {"first": f"({page},0)", "end": f"({page + PAGES_AT_ONCE},0)"}).rowcount
        for page in range(0, row[0], PAGES_AT_ONCE)
    )
