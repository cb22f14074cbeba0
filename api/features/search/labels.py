"""Labels by which games are found: titles, labels of their apps, test clocks.

The planner's samples do not show well enough how many games have a label: so they are counted, up to some
hundreds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Column, ColumnElement, Select, select, union_all

from api.store.database.session import Session
from api.store.tables.columns import among
from api.store.tables.games import games

FEW = 250  # games that are looked up one by one


class Label(NamedTuple):
    """The places of the games with a label: for each accepted value, in an index by their ids."""

    each: Sequence[Select[tuple[UUID]]]
    column: Column[Any]
    values: Sequence[Any]
    """Where the game itself has it, and which values will do."""

    def few(self, session: Session) -> list[UUID] | None:
        """Return the games that have it, or None if there are many."""
        parts = [_newest(part).subquery() for part in self.each]
        every = union_all(*(select(part) for part in parts)) if len(parts) > 1 else select(parts[0])
        ids = {id_ for (id_,) in session.execute(every)}
        return [*ids] if len(ids) <= FEW else None

    def on(self, id_: ColumnElement[UUID]) -> ColumnElement[bool]:
        """Return the condition that a game has it, as one look-up by its id."""
        game = games.alias()
        value = select(game.c[self.column.name]).where(game.c.id == id_)
        return among(value.scalar_subquery(), self.values)

    def among(self, id_: ColumnElement[UUID]) -> ColumnElement[bool]:
        """Return the condition that a game is one of those that have it, all of which are read.

        OFFSET makes the planner read them separately, from their own index.
        """
        return id_.in_(union_all(*self.each) if len(self.each) > 1 else self.each[0].offset(0))


def _id(part: Select[tuple[UUID]]) -> ColumnElement[UUID]:
    return part.selected_columns[0]


def _newest(part: Select[tuple[UUID]]) -> Select[tuple[UUID]]:
    """Return enough to know whether there are more than a few, in the index's order, so that it is used."""
    return part.order_by(_id(part).desc()).limit(FEW + 1)


def titled(app_id: UUID | None, titles: Sequence[str]) -> Label:
    """Return the label of games with one of these titles: an app's games, or everybody's public ones."""
    g = games.alias().c
    visible = g.visibility == "public" if app_id is None else g.app_id == app_id
    each = [select(g.id).where(g.title == title, visible) for title in {*titles}]
    return Label(each, games.c.title, titles)


def known_as(app_id: UUID | None, external_id: str) -> Label:
    """Return the label of an app's game with this external id."""
    g = games.alias().c
    named = select(g.id).where(g.app_id == app_id, g.external_id == external_id)
    return Label([named], games.c.external_id, [external_id])


def on_clocks(test_clocks: Sequence[UUID]) -> Label:
    """Return the label of games on one of these test clocks."""
    g = games.alias().c
    each = [select(g.id).where(g.test_clock == test_clock) for test_clock in {*test_clocks}]
    return Label(each, games.c.test_clock, test_clocks)
