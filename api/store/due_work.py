"""What games are waiting for: turns of players and bots, deadlines and warnings."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import (
    ARRAY,
    ColumnElement,
    Select,
    Uuid,
    all_,
    and_,
    bindparam,
    exists,
    func,
    literal,
    or_,
    select,
    tuple_,
)

from api.store.database.session import Session
from api.store.layout import layout_of
from api.store.tables.games import game_seats, games
from api.store.tables.games import turns as table


class Waiting(NamedTuple):
    """A seat of a player that its game is waiting for."""

    game_id: UUID
    ruleset: str
    seat: int
    version: int
    since: datetime
    deadline: datetime | None
    title: str | None


OF_SEATS = "turns WHERE {} <= now() AND test_clock IS NULL"
PEOPLE = "EXISTS (SELECT FROM game_seats s WHERE s.game_id = turns.game_id AND s.player_id IS NOT NULL)"
BOTS = f"turns WHERE automatic AND {PEOPLE}"
BOTS_ALONE = f"turns WHERE automatic AND NOT {PEOPLE}"
"""What follows FROM to find out whether anything is due, see `api.feature.Due`."""


def turns(
    session: Session,
    player_id: UUID,
    after: tuple[datetime | None, datetime, UUID, int] | None,
    limit: int,
) -> list[Waiting]:
    """List the seats of a player that games wait for: the earliest deadline first, those without last."""
    t = table.c
    order = (t.deadline, t.since, t.game_id, t.seat)
    statement = (
        select(
            *(t.game_id, games.c.ruleset, t.seat, games.c.version, t.since, t.deadline),
            games.c.title,
        )
        .join_from(table, games)
        .where(t.player_id == player_id)
        .order_by(*order)
        .limit(limit)
    )
    if after is not None:
        last = [literal(value, column.type) for value, column in zip(after, order, strict=True)]
        beyond = and_(t.deadline.is_(None), tuple_(*order[1:]) > tuple_(*last[1:]))
        if after[0] is not None:
            # An index can begin with the first of both conditions.
            beyond = or_(t.deadline.is_(None), and_(t.deadline >= last[0], tuple_(*order) > tuple_(*last)))
        statement = statement.where(beyond)
    return [Waiting(*row) for row in session.execute(statement)]


def automatic(session: Session, exclude: Sequence[UUID], limit: int, *, people: bool) -> list[UUID]:
    """List games that wait for a bot or for a seat with orders, without those to exclude.

    Only those in which `people` play, or only the others. The game with the earliest deadline comes first,
    then the one that has waited longest.
    """
    t, seats = table.c, game_seats.c
    has_people = exists().where(seats.game_id == t.game_id, seats.player_id.is_not(None))
    rows = session.execute(
        select(t.game_id)
        .where(t.automatic, has_people if people else ~has_people)
        .where(t.game_id != all_(literal(list(exclude), ARRAY(Uuid))))
        .group_by(t.game_id)
        .order_by(func.min(t.deadline), func.min(t.since), t.game_id)
        .limit(limit)
    )
    return [row[0] for row in rows]


DEADLINES, WARNINGS = "deadline", "warn_at"
TO_REVEAL = "reveal_by"


def _first_due(due: str) -> Select[Any]:
    """Return the query for the games that have been due longest; a game may be found for several seats."""
    t, game = table.c, table.c.game_id
    of_time: tuple[ColumnElement[bool], ...] = (t.test_clock.is_(None),)
    if due == TO_REVEAL:
        t, game, of_time = games.c, games.c.id, ()
    return (
        select(game)
        .where(t[due] <= bindparam("now"), game != all_(bindparam("exclude", type_=ARRAY(Uuid))), *of_time)
        .order_by(t[due])
        .limit(bindparam("limit"))
    )


AHEAD = 4  # times as many games as wanted are found at once, because others may have locked the first ones

_FIRST_DUE = {due: _first_due(due) for due in (DEADLINES, WARNINGS, TO_REVEAL)}
# The first of those found. What others have done meanwhile is not locked.
_FIRST = "ORDER BY array_position(%(games)s, g.id) LIMIT %(limit)s FOR UPDATE SKIP LOCKED"
_OF_SEAT = f"""
    SELECT g.id FROM games g WHERE g.id = ANY (%(games)s) AND EXISTS (
        SELECT FROM turns t WHERE t.game_id = g.id AND t.game_id = ANY (%(games)s)
            AND t.{{due}} <= %(now)s AND t.test_clock IS NULL)
    {_FIRST}
"""
_OF_GAME = f"SELECT g.id FROM games g WHERE g.id = ANY (%(games)s) AND g.{{due}} <= %(now)s {_FIRST}"
_LOCK = {due: _OF_SEAT.format(due=due) for due in (DEADLINES, WARNINGS)}
_LOCK[TO_REVEAL] = _OF_GAME.format(due=TO_REVEAL)


def next_due(session: Session, due: str, now: datetime, exclude: Sequence[UUID]) -> UUID | None:
    """Find and lock the game whose deadline (or warning, reveals) has been due longest."""
    ids = take_due(session, due, now, exclude, 1)
    return ids[0] if ids else None


def take_due(session: Session, due: str, now: datetime, exclude: Sequence[UUID], limit: int) -> list[UUID]:
    """Find and lock the games whose deadlines (or warnings, reveals) have been due longest.

    Games that are locked by others or named in `exclude` are skipped, and so are games on a test clock, which
    wait only for that clock. They are found without a lock, and then locked by their ids.
    """
    taken, tried, more = list[UUID](), list(exclude), True
    while more and len(taken) < limit:
        some = AHEAD * limit
        rows = session.execute(_FIRST_DUE[due], {"now": now, "exclude": tried, "limit": some}).fetchall()
        ids = list(dict.fromkeys(game_id for (game_id,) in rows))
        if not ids:
            break
        taken += _locked(session, due, now, ids, limit - len(taken))
        tried += ids
        more = len(rows) == some
    return taken


def _locked(session: Session, due: str, now: datetime, ids: Sequence[UUID], limit: int) -> list[UUID]:
    """Lock the first games of those found that are still due and that nobody else has locked."""
    taken: list[UUID] = []
    for group in layout_of(session).lockable(ids):
        if len(taken) < limit:
            values = {"games": list(group), "now": now, "limit": limit - len(taken)}
            taken += [game_id for (game_id,) in session.execute(_LOCK[due], values)]
    return taken


def still_due(session: Session, game_id: UUID, now: datetime) -> bool:
    """Return whether a deadline of a game has passed, by its rows; called after locking it."""
    t = table.c
    statement = select(t.seat).where(t.game_id == game_id, t.deadline <= now).limit(1)
    return session.execute(statement).fetchone() is not None
