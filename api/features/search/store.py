"""Finds games by properties that do not change with a move, so that an index serves every query.

A list is read in the order of an index (`api.store.tables`: games_of_app and similar ones), which also
contains all columns of the filters, or begins with a player's seats. The time of a game's last move is in no
index; but a finished game does not change again, and no game changes before it is created.

Labels of games (`labels.py`) have their own indexes. If few games have a label, these are looked
up. Otherwise, the first games of the same list without this filter are tried. If that does not fill the page,
the ids of all games with the label are read once, and the rest of the list once, whatever the planner
expects.
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
    not_,
    null,
    or_,
    select,
    tuple_,
    union,
)

from api.features.search.labels import Label, known_as, noted, on_clocks, titled
from api.ops.queue import with_pauses
from api.store.database.session import Session
from api.store.game.games import SUMMARY, GameRow, opened
from api.store.labels import LabelFilter
from api.store.tables.columns import TIME, among
from api.store.tables.games import games, player_games, turns

FINISHED = "finished"
OVER = frozenset((FINISHED, "cancelled"))
ID = games.c.id.type
HASHING = "SELECT set_config('enable_nestloop', 'off', true), set_config('enable_mergejoin', 'off', true)"
NEVER: ColumnElement[datetime] = literal_column("'infinity'::timestamptz", TIME)


class Search(NamedTuple):
    """The filters for games. None means no filter; one of several values must match."""

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
    title: Sequence[str] | None = None
    created_after: datetime | None = None
    created_before: datetime | None = None
    updated_after: datetime | None = None
    updated_before: datetime | None = None
    finished_after: datetime | None = None
    finished_before: datetime | None = None
    labels: LabelFilter = LabelFilter()

    def required(self) -> list[Label]:
        """Return the required labels and test clocks of the games."""
        external_id, pairs = self.labels
        return [
            *([] if external_id is None else [known_as(self.app_id, external_id)]),
            *(noted(self.app_id, *pair) for pair in pairs),
            *([] if self.title is None else [titled(self.app_id, self.title)]),
            *([] if self.test_clock is None else [on_clocks(self.test_clock)]),
        ]

    def over(self) -> bool | None:
        """Return whether all these games are over or all running, or None if both are possible."""
        if self.reason or self.winner or self.finished_after or self.finished_before:
            return True
        ended = {status in OVER for status in self.status or ()}
        return ended.pop() if len(ended) == 1 else None

    def unlabelled(self) -> Search:
        """Return the same filters without labels and test clocks."""
        return self._replace(title=None, test_clock=None, labels=LabelFilter())


class Sorting(NamedTuple):
    """The order of a list: by the time in a column and then by id, or by id alone."""

    time: str | None = None
    descending: bool = True


class SortedPlace(NamedTuple):
    """The place of a game in an order; without a time, the game has not ended."""

    id: UUID
    time: datetime | None = None


ORDERS = {
    "newest": Sorting(),
    "created_at": Sorting("created_at", descending=False),
    "-created_at": Sorting("created_at"),
    "finished_at": Sorting("ended_at", descending=False),
    "-finished_at": Sorting("ended_at"),
}


def _any(column: ColumnElement[Any], values: Sequence[Any]) -> ColumnElement[bool]:
    return column == values[0] if len(values) == 1 else among(column, values)


def _plays(id_: ColumnElement[UUID], players: Sequence[UUID]) -> ColumnElement[bool]:
    return exists().where(seat.game_id == id_, _any(seat.player_id, players))


def _wins(id_: ColumnElement[UUID], players: Sequence[UUID]) -> ColumnElement[bool]:
    return exists().where(seat.game_id == id_, _any(seat.player_id, players), seat.won)


def _waits(id_: ColumnElement[UUID], players: Sequence[UUID]) -> ColumnElement[bool]:
    """Return the condition that a game waits for one of these; they are few, so they are looked up first."""
    waiting = select(turns.c.game_id).where(_any(turns.c.player_id, players))
    return id_ == any_(func.array(waiting.scalar_subquery()))


p, seat = player_games.c, player_games.alias("seat").c
# Conditions on columns that both games and player_games have.
_CHOICES: dict[str, Callable[[Any, Any], ColumnElement[bool]]] = {
    "app_id": lambda t, value: t.app_id == value,
    "visibility": lambda t, values: _any(t.visibility, values),
    "origin": lambda t, values: _any(t.imported, sorted({value != "dealt" for value in values})),
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
# Conditions on the players, by the game's id.
_PEOPLE: dict[str, Callable[[ColumnElement[UUID], Any], ColumnElement[bool]]] = {
    "seated": lambda id_, player: _plays(id_, [player]),
    "player": _plays,
    "winner": _wins,
    "to_act": _waits,
}
# Conditions on columns that only games has.
_OF_GAMES: dict[str, Callable[[Any], ColumnElement[bool]]] = {
    "updated_after": lambda value: games.c.updated_at >= value,
    "updated_before": lambda value: games.c.updated_at < value,
}


def _imported_or_forked(origins: Sequence[str]) -> list[ColumnElement[bool]]:
    """Return the condition that tells imported and forked games apart, if only one of the two is sought."""
    if ("imported" in origins) == ("forked" in origins):
        return []
    forked = games.c.forked_from.is_not(None)
    return [or_(not_(games.c.imported), forked if "forked" in origins else not_(forked))]


def _keys(search: Search, order: Sorting, after: SortedPlace | None, limit: int | None) -> FromClause:
    """Return the query for ids of games with or without labels, and their times in the order.

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
    if search.seated is not None:
        return Whose("seated", [search.seated])
    persons = [Whose(name, [*set(ids)]) for name in ("winner", "player") if (ids := getattr(search, name))]
    return min(persons, key=lambda whose: len(whose.ids), default=None)


def _page(
    search: Search,
    order: Sorting,
    after: SortedPlace | None,
    limit: int | None,
    whose: Whose | None = None,
    player: UUID | None = None,
) -> Select[Any]:
    """Return the query for the ids of a page of games, and their times in the order."""
    conditions = {name: value for name, value in search._asdict().items() if value is not None}
    t, id_ = (games.c, games.c.id) if whose is None else (p, p.game_id)
    source: FromClause = games if whose is None else player_games
    named = {"id": id_} if order.time is None else {"time": t[order.time], "id": id_}
    of_games = [asks(conditions[name]) for name, asks in _OF_GAMES.items() if name in conditions]
    of_games += _imported_or_forked(conditions.get("origin", ()))
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
        *(asks(t, conditions[name]) for name, asks in _CHOICES.items() if name in conditions),
        *(asks(id_, conditions[name]) for name, asks in _PEOPLE.items() if name in conditions),
        *of_games,
    )
    if after is not None:
        chosen = chosen.where(_beyond([*named.values()], order, after))
    return chosen if limit is None else chosen.order_by(*_sorted(order, named)).limit(limit)


def _merged(pages: Sequence[Select[Any]], order: Sorting, limit: int | None) -> Select[Any]:
    """Return the first games of all these pages, each game once."""
    every = union(*pages).subquery("every")
    return select(every) if limit is None else select(every).order_by(*_sorted(order, every.c)).limit(limit)


def _sorted(order: Sorting, columns: Any) -> list[ColumnElement[Any]]:
    ordered = [columns["id"]] if order.time is None else [columns["time"], columns["id"]]
    return [column.desc() for column in ordered] if order.descending else ordered


def _beyond(columns: Sequence[ColumnElement[Any]], order: Sorting, place: SortedPlace) -> ColumnElement[bool]:
    time = NEVER if place.time is None else literal(place.time, TIME)
    id_: ColumnElement[Any] = literal(place.id, ID)
    values = [id_] if order.time is None else [time, id_]
    here, there = (tuple_(*row) if len(row) > 1 else row[0] for row in (columns, values))
    return here < there if order.descending else here > there


def find(
    session: Session, search: Search, order: Sorting, after: SortedPlace | None, limit: int
) -> list[GameRow]:
    """List games without their positions."""
    labels, unlabelled = search.required(), search.unlabelled()
    if not labels:
        keys = _keys(search, order, after, limit)
    elif (few := _few(session, labels)) is not None:
        has = (label.on(games.c.id) for label in labels)
        keys = _page(unlabelled, order, after, limit).where(among(games.c.id, few), *has).subquery("found")
    else:
        ids = _of_many(session, labels, unlabelled, order, after, limit)
        keys = _page(Search(), order, None, None).where(among(games.c.id, ids)).subquery("found")
    chosen = select(*SUMMARY).join_from(keys, games, games.c.id == keys.c.id)
    rows = session.execute(chosen.order_by(*_sorted(order, keys.c)))
    return [opened(session, GameRow(*row)) for row in with_pauses(rows)]


def _few(session: Session, labels: Sequence[Label]) -> list[UUID] | None:
    """Return the games with a rare label among these, or None if all labels are frequent."""
    return next((ids for label in labels if (ids := label.few(session)) is not None), None)


def _of_many(
    session: Session,
    labels: Sequence[Label],
    unlabelled: Search,
    order: Sorting,
    after: SortedPlace | None,
    limit: int,
) -> list[UUID]:
    """Return the games of a page, among the many with each of these labels."""
    looked_at = _keys(unlabelled, order, after, 2 * limit)
    time: ColumnElement[Any] = null() if order.time is None else func.nullif(looked_at.c.time, NEVER)
    rows = session.execute(select(looked_at.c.id, time).order_by(*_sorted(order, looked_at.c))).fetchall()
    # Separately, because Citus plans no subqueries about the rows of another one.
    here = among(games.c.id, [id_ for id_, _ in rows])
    has = (label.on(games.c.id) for label in labels)
    labelled = {id_ for (id_,) in session.execute(select(games.c.id).where(here, *has))}
    ids = [id_ for id_, _ in rows if id_ in labelled]
    if len(ids) < limit and len(rows) == 2 * limit:
        rest = _keys(unlabelled, order, SortedPlace(*rows[-1]), None)
        chosen = select(rest.c.id).where(*(label.among(rest.c.id) for label in labels))
        with session.transaction():
            # Avoids looking up all of them, and reading all games in the order of their ids.
            session.execute(HASHING)
            ids += [id_ for (id_,) in session.execute(chosen.order_by(*_sorted(order, rest.c)).limit(limit))]
    return ids[:limit]
