"""Finding games by what does not change with a move, so that an index serves whatever can be asked for.

A list is read in the order of an index (`api.store.tables`: games_of_app and those beside it) which has all
that games are chosen by behind that order, or beginning with a player's seats. When a game was last moved in
stands in no index; but what has ended is not moved in again, and nothing is before it was made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    FromClause,
    Select,
    and_,
    any_,
    exists,
    func,
    literal,
    literal_column,
    select,
    tuple_,
    union,
)

from api.store.database.session import Session
from api.store.game.games import SUMMARY, GameRow, opened
from api.store.labels import LabelFilter
from api.store.tables.clauses import among
from api.store.tables.columns import TIME
from api.store.tables.games import game_seats, games, player_games

FINISHED = "finished"
ID = games.c.id.type
NEVER: ColumnElement[datetime] = literal_column("'infinity'::timestamptz", TIME)


class Search(NamedTuple):
    """What to find games by; None leaves a filter out, and of several values any will do."""

    app_id: UUID | None = None
    seated: UUID | None = None
    visibility: Sequence[str] | None = None
    origin: Sequence[str] | None = None
    status: Sequence[str] | None = None
    ruleset: Sequence[str] | None = None
    reason: Sequence[str] | None = None
    test_clock: Sequence[UUID] | None = None
    player: Sequence[UUID] | None = None
    to_act: Sequence[UUID] | None = None
    winner: Sequence[UUID] | None = None
    created_after: datetime | None = None
    created_before: datetime | None = None
    updated_after: datetime | None = None
    updated_before: datetime | None = None
    finished_after: datetime | None = None
    finished_before: datetime | None = None
    labels: LabelFilter = LabelFilter()


class Order(NamedTuple):
    """The order of a list: by the time in a column and then by id, or by id alone."""

    time: str | None = None
    descending: bool = True


class Place(NamedTuple):
    """A place in an order: that of a game. Without a time: of one that has not ended."""

    id: UUID
    time: datetime | None = None


ORDERS = {
    "newest": Order(),
    "created_at": Order("created_at", descending=False),
    "-created_at": Order("created_at"),
    "finished_at": Order("ended_at", descending=False),
    "-finished_at": Order("ended_at"),
}


def _any(column: ColumnElement[Any], values: Sequence[Any]) -> ColumnElement[bool]:
    return column == values[0] if len(values) == 1 else among(column, values)


def _plays(id_: ColumnElement[UUID], players: Sequence[UUID]) -> ColumnElement[bool]:
    return exists().where(seat.game_id == id_, _any(seat.player_id, players))


def _wins(id_: ColumnElement[UUID], players: Sequence[UUID]) -> ColumnElement[bool]:
    return exists().where(seat.game_id == id_, _any(seat.player_id, players), seat.won)


def _waits(id_: ColumnElement[UUID], players: Sequence[UUID]) -> ColumnElement[bool]:
    """Return the condition that a game waits for one of these: they are few, so they are looked up first."""
    t = game_seats.c
    turns = select(t.game_id).where(_any(t.player_id, players), t.since.is_not(None))
    return id_ == any_(func.array(turns.scalar_subquery()))


p, seat = player_games.c, player_games.alias("seat").c
# Conditions on columns that games and player_games both have.
_CHOICES: dict[str, Callable[[Any, Any], ColumnElement[bool]]] = {
    "app_id": lambda t, value: t.app_id == value,
    "visibility": lambda t, values: _any(t.visibility, values),
    "origin": lambda t, values: _any(t.imported, [value == "imported" for value in values]),
    "status": lambda t, values: _any(t.status, values),
    "ruleset": lambda t, values: _any(t.ruleset, values),
    "reason": lambda t, values: _any(t.reason, values),
    "created_after": lambda t, value: t.created_at >= value,
    "created_before": lambda t, value: t.created_at < value,
    "updated_after": lambda t, value: t.ended_at >= value,
    "updated_before": lambda t, value: t.created_at < value,
    "finished_after": lambda t, value: and_(t.status == FINISHED, t.ended_at >= value),
    "finished_before": lambda t, value: and_(t.status == FINISHED, t.ended_at < value),
}
# Conditions on who plays, by the game's id.
_PEOPLE: dict[str, Callable[[ColumnElement[UUID], Any], ColumnElement[bool]]] = {
    "player": _plays,
    "winner": _wins,
    "to_act": _waits,
}
# Conditions on columns of games alone.
_OF_GAMES: dict[str, Callable[[Any], ColumnElement[bool]]] = {
    "test_clock": lambda values: _any(games.c.test_clock, values),
    "updated_after": lambda value: games.c.updated_at >= value,
    "updated_before": lambda value: games.c.updated_at < value,
}


def statement(search: Search, order: Order, after: Place | None, limit: int) -> Select[Any]:
    """Return what lists games without their positions, in an order, from beyond a place.

    Which games, indexes tell; only those that are shown are then read.
    """
    whose = _whose(search)
    if whose is None:
        page = _page(search, order, after, limit)
    else:
        # Each of several players by itself: then their index has the order, and statistics know whose it is.
        pages = [_page(search, order, after, limit, whose, player) for player in whose.ids]
        page = pages[0] if len(pages) == 1 else _merged(pages, order, limit)
    found = page.subquery("found")
    chosen = select(*SUMMARY).join_from(found, games, games.c.id == found.c.id)
    return chosen.order_by(*_sorted(order, found.c))


class Whose(NamedTuple):
    """The filter that asks for games of players which are gone through one by one, and those players."""

    filter: str
    ids: Sequence[UUID]


def _whose(search: Search) -> Whose | None:
    """Return the filter that asks for the games of the fewest players."""
    if search.seated is not None:
        return Whose("seated", [search.seated])
    given = [Whose(name, [*set(ids)]) for name in ("winner", "player") if (ids := getattr(search, name))]
    return min(given, key=lambda whose: len(whose.ids), default=None)


def _page(
    search: Search,
    order: Order,
    after: Place | None,
    limit: int,
    whose: Whose | None = None,
    player: UUID | None = None,
) -> Select[Any]:
    """Return what finds the ids of a page of games, and their times in the order."""
    given = {name: value for name, value in search._asdict().items() if value is not None}
    t, id_ = (games.c, games.c.id) if whose is None else (p, p.game_id)
    source: FromClause = games if whose is None else player_games
    named = {"id": id_} if order.time is None else {"time": t[order.time], "id": id_}
    of_games = [
        *(asks(given[name]) for name, asks in _OF_GAMES.items() if name in given),
        *search.labels.conditions(games),
    ]
    if whose is not None:
        del given[whose.filter]
        if set(whose.ids) <= set(given.get("player", ())):
            del given["player"]  # of whom one does sit there
        source = source.join(games, id_ == games.c.id) if of_games else source
    chosen = select(*(column.label(name) for name, column in named.items())).select_from(source)
    chosen = chosen.where(
        *([] if player is None else [p.player_id == player]),
        *([p.won] if whose is not None and whose.filter == "winner" else []),
        *(asks(t, given[name]) for name, asks in _CHOICES.items() if name in given),
        *(asks(id_, given[name]) for name, asks in _PEOPLE.items() if name in given),
        *of_games,
    )
    if after is not None:
        chosen = chosen.where(_beyond([*named.values()], order, after))
    return chosen.order_by(*_sorted(order, named)).limit(limit)


def _merged(pages: Sequence[Select[Any]], order: Order, limit: int) -> Select[Any]:
    """Return the first of what all of these pages have: each game once."""
    every = union(*pages).subquery("every")
    return select(every).order_by(*_sorted(order, every.c)).limit(limit)


def _sorted(order: Order, columns: Any) -> list[ColumnElement[Any]]:
    ordered = [columns["id"]] if order.time is None else [columns["time"], columns["id"]]
    return [column.desc() for column in ordered] if order.descending else ordered


def _beyond(columns: Sequence[ColumnElement[Any]], order: Order, place: Place) -> ColumnElement[bool]:
    time = NEVER if place.time is None else literal(place.time, TIME)
    id_: ColumnElement[Any] = literal(place.id, ID)
    values = [id_] if order.time is None else [time, id_]
    here, there = (tuple_(*row) if len(row) > 1 else row[0] for row in (columns, values))
    return here < there if order.descending else here > there


def find(session: Session, search: Search, order: Order, after: Place | None, limit: int) -> list[GameRow]:
    """List games without their positions."""
    rows = session.execute(statement(search, order, after, limit))
    return [opened(session, GameRow(*row)) for row in rows]
