"""Games of an app that are not over and in which nothing has happened for long."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import and_, or_, select, text

from api.store.database.session import Session
from api.store.tables.columns import among
from api.store.tables.games import games

g = games.c


class Idle(NamedTuple):
    """For how long nothing has happened: in a game that waits for players, one without a pace, one with."""

    open: timedelta
    running: timedelta
    timed: timedelta


def lock(
    session: Session, app_id: UUID, now: datetime, idle: Idle, exclude: Sequence[UUID], limit: int
) -> list[UUID]:
    """Lock some of these games, of real time, that nobody else has locked; return their ids."""
    is_idle = or_(
        and_(g.status == "open", g.updated_at < now - idle.open),
        and_(g.status == "running", g.pace.is_(None), g.updated_at < now - idle.running),
        and_(g.status == "running", g.pace.is_not(None), g.updated_at < now - idle.timed),
    )
    of_app = and_(g.app_id == app_id, g.ended_at == text("'infinity'"), g.test_clock.is_(None))
    found = select(g.id).where(of_app, is_idle, ~among(g.id, exclude)).order_by(g.id).limit(limit)
    return [row[0] for row in session.execute(found.with_for_update(skip_locked=True))]
