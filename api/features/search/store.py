"""Finds games by properties that do not change with a move, so that an index serves every query.

A list is read in the order of an index (`api.store.tables`: games_of_app and similar ones), which also
contains all columns of the filters, or begins with a player's seats. The time of a game's last move is in no
index; but a finished game does not change again, and no game changes before it is created.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    FromClause,
    Select,
    literal,
    literal_column,
    select,
    tuple_,
)

from api.features.search.filters import FILTERS, FINISHED, TimedPlace
from api.store.database.session import Session
from api.store.games import SUMMARY, GameRow
from api.store.tables.columns import TIME
from api.store.tables.games import games, player_games

OVER = frozenset((FINISHED, "cancelled"))
ID = games.c.id.type
p = player_games.c
NEVER: ColumnElement[datetime] = literal_column("'infinity'::timestamptz", TIME)


class Search(dict[str, Any]):
    """The filters for games that are set, by their names; one of several values must match."""

    def over(self) -> bool | None:
        """Return whether all these games are over or all running, or None if both are possible."""
        if self.keys() & {"reason", "winner", "finished_after", "finished_before"}:
            return True
        ended = {status in OVER for status in self.get("status", ())}
        return ended.pop() if len(ended) == 1 else None


class Sorting(NamedTuple):
    """The order of a list: by the time in a column and then by id, or by id alone."""

    time: str | None = None
    descending: bool = True


ORDERS = {
    "newest": Sorting(),
    "created_at": Sorting("created_at", descending=False),
    "-created_at": Sorting("created_at"),
    "finished_at": Sorting("ended_at", descending=False),
    "-finished_at": Sorting("ended_at"),
}


def _keys(search: Search, order: Sorting, after: TimedPlace | None, limit: int | None) -> FromClause:
    """Return the query for ids of games, and their times in the order.

    Indexes are enough to find the games; only those that are shown are then read.
    """
    whose = _whose(search)
    if whose is None:
        return _page(search, order, after, limit).subquery("found")
    # Each of several players separately: then the index gives the order, and the statistics fit the player.
    pages = [_page(search, order, after, limit, whose, player) for player in whose.ids]
    return (pages[0] if len(pages) == 1 else _merged(pages, order, limit)).subquery("found")


class Whose(NamedTuple):
    """The filter by players whose games are read one player after the other, and those players."""

    filter: str
    ids: Sequence[UUID]


def _whose(search: Search) -> Whose | None:
    """Return the filter with the fewest players."""
    if "seated" in search:
        return Whose("seated", [search["seated"]])
    persons = [Whose(name, [*set(search[name])]) for name in ("winner", "player") if name in search]
    return min(persons, key=lambda whose: len(whose.ids), default=None)


def _page(
    search: Search,
    order: Sorting,
    after: TimedPlace | None,
    limit: int | None,
    whose: Whose | None = None,
    player: UUID | None = None,
) -> Select[Any]:
    """Return the query for the ids of a page of games, and their times in the order."""
    t, id_ = (games.c, games.c.id) if whose is None else (p, p.game_id)
    source: FromClause = games if whose is None else player_games
    named = {"id": id_} if order.time is None else {"time": t[order.time], "id": id_}
    conditions = dict(search)
    of_games = [f.of_games(search[name]) for name, f in FILTERS.items() if f.of_games and name in search]
    if whose is not None:
        del conditions[whose.filter]
        if set(whose.ids) <= set(conditions.get("player", ())):
            del conditions["player"]  # one of them has a seat there anyway
        if of_games and limit is None:  # for many, each is looked up by id, so that never all games are read
            each = select(literal(True)).where(games.c.id == id_, *of_games)
            of_games = [each.scalar_subquery().is_(True)]
        elif of_games:
            source = source.join(games, id_ == games.c.id)
    chosen = select(*(column.label(name) for name, column in named.items())).select_from(source)
    over = search.over() if order.time == "ended_at" else None
    chosen = chosen.where(
        *([] if player is None else [p.player_id == player]),
        # Running games are together at one end of the order, and need not be read in vain.
        *([] if over is None else [t.ended_at < NEVER if over else t.ended_at == NEVER]),
        *([p.won] if whose is not None and whose.filter == "winner" else []),
        *(f.both(t, conditions[name]) for name, f in FILTERS.items() if f.both and name in conditions),
        *(f.by_id(id_, conditions[name]) for name, f in FILTERS.items() if f.by_id and name in conditions),
        *of_games,
    )
    if after is not None:
        chosen = chosen.where(_beyond([*named.values()], order, after))
    return chosen if limit is None else chosen.order_by(*_sorted(order, named)).limit(limit)


def _merged(pages: Sequence[Select[Any]], order: Sorting, limit: int | None) -> Select[Any]:
    """Return the first games of all these pages, each game once."""
    every = pages[0].union(*pages[1:]).subquery("every")
    return select(every) if limit is None else select(every).order_by(*_sorted(order, every.c)).limit(limit)


def _sorted(order: Sorting, columns: Any) -> list[ColumnElement[Any]]:
    ordered = [columns["id"]] if order.time is None else [columns["time"], columns["id"]]
    return [column.desc() for column in ordered] if order.descending else ordered


def _beyond(columns: Sequence[ColumnElement[Any]], order: Sorting, place: TimedPlace) -> ColumnElement[bool]:
    time = NEVER if place.time is None else literal(place.time, TIME)
    id_: ColumnElement[Any] = literal(place.id, ID)
    values = [id_] if order.time is None else [time, id_]
    here, there = (tuple_(*row) if len(row) > 1 else row[0] for row in (columns, values))
    return here < there if order.descending else here > there


def find(
    session: Session, search: Search, order: Sorting, after: TimedPlace | None, limit: int
) -> list[GameRow]:
    """List games without their positions; their seeds are not `opened`."""
    keys = _keys(search, order, after, limit)
    chosen = select(*SUMMARY).join_from(keys, games, games.c.id == keys.c.id)
    rows = session.execute(chosen.order_by(*_sorted(order, keys.c)))
    return [GameRow(*row) for row in rows]
