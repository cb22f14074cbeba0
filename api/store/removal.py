"""Deletes an app with everything that is its own, as the tables declare, and old rows, and blocks nobody.

Each step is a transaction, and what needs a row goes before it: so a deletion that was interrupted is called
again. A game goes with its whole log in one step, and so nobody ever sees a part of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from uuid import UUID

from sqlalchemy import Column, ColumnElement, Table, select, tuple_

from api.store.database.locks import DELETING, permit
from api.store.database.session import Session
from api.store.layout import layout_of
from api.store.tables import metadata
from api.store.tables.accounts import apps
from api.store.tables.columns import access_of, among
from api.store.tables.games import games

BATCH = 1000  # rows that are deleted at once
GAMES = 100  # games, or other rows that others go with
SOME = "ANY (%(games)s)"


def delete(session: Session, app_id: UUID) -> None:
    """Delete an app, as the owner of the tables.

    Raises ForeignKeyViolation if something was added meanwhile: then most is gone, and it is called again.
    """
    _delete(session, apps, [app_id])


def _delete(session: Session, table: Table, ids: Sequence[UUID]) -> None:
    """Delete rows by their ids, and first what goes with them."""
    if table is games:
        delete_games(session, ids)
        return
    for other, column in _going_with(table):
        if _going_with(other):
            for some in _pages(session, other, column, ids):
                _delete(session, other, some)
        else:
            _delete_rows(session, other, column, ids)
    for key in table.foreign_keys:
        if key.column.table is table:
            session.execute(table.update().where(among(key.parent, ids)).values({key.parent: None}))
    session.execute(table.delete().where(among(table.c.id, ids)))


def delete_games(session: Session, ids: Sequence[UUID]) -> None:
    """Delete games with what goes with them, those that one statement can lock in a transaction."""
    for some in layout_of(session).lockable(ids):
        with session.transaction():
            layout_of(session).forget(session, some)
            session.execute(permit(DELETING))
            session.execute(
                select(games.c.id).where(among(games.c.id, some)).order_by(games.c.id).with_for_update()
            )
            forget = filter(None, (access_of(other).forgets for other in metadata.sorted_tables))
            beside = (f"DELETE FROM {t.name} WHERE {c.name} = {SOME}" for t, c in _going_with(games))
            for statement in (*forget, *beside, f"DELETE FROM {games.name} WHERE id = {SOME}"):
                session.execute(statement, {"games": list(some)})


def _going_with(table: Table) -> list[tuple[Table, Column[UUID]]]:
    """Return the tables whose rows go with those of this one, those that need others of them first."""
    found = []
    for other in reversed(metadata.sorted_tables):
        names = {
            key.column.table.name: key.parent.name for key in other.foreign_keys if not key.parent.nullable
        }
        if column := (names | dict(access_of(other).goes_with)).get(table.name):
            found.append((other, other.c[column]))
    return found


def _pages(session: Session, table: Table, column: Column[UUID], ids: Sequence[UUID]) -> Iterator[list[UUID]]:
    """Yield the ids of the rows that go with these, a page at a time."""
    after = UUID(int=0)
    of_page = select(table.c.id).where(among(column, ids)).order_by(table.c.id).limit(GAMES)
    while page := [row[0] for row in session.execute(of_page.where(table.c.id > after)).fetchall()]:
        yield page
        after = page[-1]


def _delete_rows(session: Session, table: Table, column: Column[UUID], ids: Sequence[UUID]) -> None:
    keys = tuple(table.primary_key.columns)
    some = select(*keys).where(among(column, ids)).limit(BATCH)
    while session.execute(table.delete().where(tuple_(*keys).in_(some))).rowcount == BATCH:
        pass


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
