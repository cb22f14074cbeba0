"""Test clocks: the time of the games bound to one, and what is due by it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import false, func, select, true, union_all

from api.features.test_clocks.tables import test_clocks
from api.store.database.session import Session, scalar
from api.store.tables.accounts import apps
from api.store.tables.columns import among, newest_first
from api.store.tables.games import games, turns


class TestClock(NamedTuple):
    """A clock of an app that stands still except when it is advanced."""

    id: UUID
    name: str | None
    time: datetime
    created_at: datetime


COLUMNS = tuple(test_clocks.c[name] for name in TestClock._fields)


def insert(session: Session, app_id: UUID, clock: TestClock) -> None:
    """Store a new clock."""
    session.execute(test_clocks.insert().values({**clock._asdict(), "app_id": app_id}))


def get(session: Session, app_id: UUID, clock_id: UUID, *, lock: bool = False) -> TestClock | None:
    """Find a clock of an app; with `lock`, nobody else advances it or creates games with it meanwhile."""
    statement = select(*COLUMNS).where(
        test_clocks.c.id == clock_id, test_clocks.c.app_id == app_id, test_clocks.c.deleted_at.is_(None)
    )
    row = session.execute(statement.with_for_update(key_share=True) if lock else statement).fetchone()
    return TestClock(*row) if row else None


def is_free(session: Session, clock_id: UUID) -> bool:
    """Return whether a clock exists and is not locked by others; if so, lock it."""
    there = (test_clocks.c.id == clock_id, test_clocks.c.deleted_at.is_(None))
    statement = select(test_clocks.c.id).where(*there).with_for_update(key_share=True, skip_locked=True)
    return session.execute(statement).fetchone() is not None


def page(session: Session, app_id: UUID, before: UUID | None, limit: int) -> list[TestClock]:
    """List an app's clocks, newest first."""
    whole = select(*COLUMNS).where(test_clocks.c.app_id == app_id, test_clocks.c.deleted_at.is_(None))
    return [TestClock(*row) for row in session.execute(newest_first(whole, test_clocks.c.id, before, limit))]


def count(session: Session, app_id: UUID) -> int:
    """Count an app's clocks; another one waits until this transaction has ended."""
    session.execute(select(apps.c.id).where(apps.c.id == app_id).with_for_update(key_share=True))
    counted = select(func.count()).where(test_clocks.c.app_id == app_id, test_clocks.c.deleted_at.is_(None))
    return int(scalar(session, counted))


def count_games(session: Session, clock_id: UUID) -> int:
    """Count the games that are bound to a clock, including finished ones."""
    return int(scalar(session, select(func.count()).where(games.c.test_clock == clock_id)))


def time(session: Session, clock_id: UUID) -> datetime:
    """Return the time of a clock."""
    moment: datetime | None = scalar(session, select(test_clocks.c.time).where(test_clocks.c.id == clock_id))
    if moment is None:
        raise LookupError(f"test clock {clock_id} is not of the app whose rows are seen")
    return moment


def set_time(session: Session, clock_id: UUID, time: datetime) -> None:
    """Set the time of a clock."""
    session.execute(test_clocks.update().where(test_clocks.c.id == clock_id).values(time=time))


def delete(session: Session, clock_id: UUID, at: datetime) -> None:
    """Mark a clock as deleted; its games, which keep its time, must be over."""
    session.execute(test_clocks.update().where(test_clocks.c.id == clock_id).values(deleted_at=at))


class NextDue(NamedTuple):
    """The next event that is due by a clock: a deadline, or else a warning."""

    game_id: UUID
    at: datetime
    is_deadline: bool


def next_due(session: Session, clock_id: UUID, until: datetime, exclude: Sequence[UUID]) -> NextDue | None:
    """Return what is due first by a clock, up to and including a time, in games that are not excluded."""
    t = turns.c
    of_clock = (t.test_clock == clock_id, ~among(t.game_id, exclude))
    moments = union_all(
        select(t.game_id, t.deadline.label("at"), true().label("deadline")).where(
            *of_clock, t.deadline <= until
        ),
        select(t.game_id, t.warn_at, false()).where(*of_clock, t.warn_at <= until),
    ).subquery("moments")
    first = select(moments.c.game_id, moments.c.at, moments.c.deadline)
    row = session.execute(first.order_by(moments.c.at, moments.c.game_id).limit(1)).fetchone()
    return NextDue(*row) if row else None


def games_under_way(session: Session, clock_id: UUID) -> Sequence[UUID]:
    """List the games of a clock that are not over, in the order of their ids."""
    statement = select(games.c.id).where(
        games.c.test_clock == clock_id, games.c.status.in_(("open", "running"))
    )
    return [row[0] for row in session.execute(statement.order_by(games.c.id))]
