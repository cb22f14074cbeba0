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
    Select,
    and_,
    any_,
    exists,
    func,
    literal,
    literal_column,
    select,
    tuple_,
)

from api.store.database.session import Session
from api.store.game.games import SUMMARY, GameRow, opened
from api.store.labels import LabelFilter
from api.store.tables.clauses import among
from api.store.tables.columns import TIME
from api.store.tables.games import game_seats, games, player_games

FINISHED = "finished"
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


def _plays(players: Sequence[UUID], *more: ColumnElement[bool]) -> ColumnElement[bool]:
    return exists().where(seat.game_id == games.c.id, _any(seat.player_id, players), *more)


def _waits(players: Sequence[UUID]) -> ColumnElement[bool]:
    """Return the condition that a game waits for one of these: they are few, so they are looked up first."""
    t = game_seats.c
    turns = select(t.game_id).where(_any(t.player_id, players), t.since.is_not(None))
    return games.c.id == any_(func.array(turns.scalar_subquery()))


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
# Conditions on columns of games alone, or of other tables.
_FILTERS: dict[str, Callable[[Any], ColumnElement[bool]]] = {
    "test_clock": lambda values: _any(games.c.test_clock, values),
    "seated": lambda value: _plays([value]),
    "player": _plays,
    "winner": lambda values: _plays(values, seat.won),
    "to_act": _waits,
    "updated_after": lambda value: games.c.updated_at >= value,
    "updated_before": lambda value: games.c.updated_at < value,
}


def statement(search: Search, order: Order, after: Place | None, limit: int) -> Select[Any]:
    """Return what lists games without their positions, in an order, from beyond a place.

    Where all of them are one player's, it begins with those.
    """
    given = {name: value for name, value in search._asdict().items() if value is not None}
    chosen, t, id_ = select(*SUMMARY), games.c, games.c.id
    if (name := _one_players(search)) is not None:
        (player,) = [given.pop(name)] if name == "seated" else given.pop(name)
        chosen = chosen.join_from(player_games, games, p.game_id == games.c.id).where(p.player_id == player)
        chosen = chosen.where(p.won) if name == "winner" else chosen
        t, id_ = p, p.game_id
    chosen = chosen.where(
        *(asks(t, given[name]) for name, asks in _CHOICES.items() if name in given),
        *(asks(given[name]) for name, asks in _FILTERS.items() if name in given),
        *search.labels.conditions(games),
    )
    columns = [id_] if order.time is None else [t[order.time], id_]
    if after is not None:
        chosen = chosen.where(_beyond(columns, order, after))
    return chosen.order_by(*(c.desc() if order.descending else c for c in columns)).limit(limit)


def _one_players(search: Search) -> str | None:
    """Return which filter, if any, asks for the games of one player alone."""
    if search.seated is not None:
        return "seated"
    return next((name for name in ("winner", "player") if len(getattr(search, name) or ()) == 1), None)


def _beyond(columns: Sequence[ColumnElement[Any]], order: Order, place: Place) -> ColumnElement[bool]:
    time = NEVER if place.time is None else literal(place.time, TIME)
    id_: ColumnElement[Any] = literal(place.id, games.c.id.type)
    values = [id_] if order.time is None else [time, id_]
    here, there = (tuple_(*row) if len(row) > 1 else row[0] for row in (columns, values))
    return here < there if order.descending else here > there


def find(session: Session, search: Search, order: Order, after: Place | None, limit: int) -> list[GameRow]:
    """List games without their positions."""
    rows = session.execute(statement(search, order, after, limit))
    return [opened(session, GameRow(*row)) for row in rows]
