"""What is written on games and finds them: titles, what their apps write on their own, test clocks.

How many games have a mark no sample tells well enough to plan by: so they are counted, up to some hundreds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, Select, literal, or_, select, union_all

from api.store.database.session import Session
from api.store.tables.accounts import metadata_pairs
from api.store.tables.games import games

pair = metadata_pairs.c
FEW = 250  # games, that are looked up one by one


class Mark(NamedTuple):
    """Where the games stand that have a mark: for each value that will do, in an index by their ids."""

    each: Sequence[Select[tuple[UUID]]]

    def few(self, session: Session) -> list[UUID] | None:
        """Return the games that have it; None where they are many."""
        parts = [_newest(part).subquery() for part in self.each]
        every = union_all(*(select(part) for part in parts)) if len(parts) > 1 else select(parts[0])
        ids = {id_ for (id_,) in session.execute(every)}
        return [*ids] if len(ids) <= FEW else None

    def on(self, id_: ColumnElement[UUID]) -> ColumnElement[bool]:
        """Return the condition that a game has it, which is one look-up by its id."""
        found = [part.with_only_columns(literal(True)).where(_id(part) == id_) for part in self.each]
        return or_(*(part.scalar_subquery() for part in found))

    def among(self, id_: ColumnElement[UUID]) -> ColumnElement[bool]:
        """Return the condition that a game is one of those that have it, which are all read."""
        return id_.in_(union_all(*self.each) if len(self.each) > 1 else self.each[0])


def _id(part: Select[tuple[UUID]]) -> ColumnElement[UUID]:
    return part.selected_columns[0]


def _newest(part: Select[tuple[UUID]]) -> Select[tuple[UUID]]:
    """Return so many that more than a few are known to be: by the index's own order, so that it is used."""
    return part.order_by(_id(part).desc()).limit(FEW + 1)


def titled(app_id: UUID | None, title: str) -> Select[Any]:
    """Return the games of an app that have a title; without an app, everyone's public ones."""
    game = games.alias()
    public = game.c.visibility == "public"
    return select(game.c.id).where(
        game.c.title == title, public if app_id is None else game.c.app_id == app_id
    )


def known_as(app_id: UUID | None, external_id: str) -> Select[Any]:
    """Return the game of an app that has an external id."""
    game = games.alias()
    return select(game.c.id).where(game.c.app_id == app_id, game.c.external_id == external_id)


def noted(app_id: UUID | None, key: str, value: str) -> Select[Any]:
    """Return the games of an app that have a pair in their metadata."""
    return select(pair.id).where(
        pair.app_id == app_id, pair.kind == games.name, pair.key == key, pair.value == value
    )


def on_clock(test_clock: UUID) -> Select[Any]:
    """Return the games on a test clock."""
    game = games.alias()
    return select(game.c.id).where(game.c.test_clock == test_clock)
