"""Idle games of an app, in which nothing has happened for long, and guests whose stay is over."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from psycopg.types.json import Jsonb
from sqlalchemy import and_, exists, or_, select, text

from api.store.database.session import Session
from api.store.tables.accounts import credentials, players
from api.store.tables.columns import among
from api.store.tables.games import games, player_games

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


def expire(session: Session, app_id: UUID, at: datetime, most: int) -> int:
    """Delete guests of networks whose tokens are all over, and who have no game; return how many.

    Who has an account is no guest any more (`players.forget_networks`). What they are called and say in games
    is erased later: until then their networks are known (`gone`).
    """
    c, tokens, mine = players.c, credentials.c, player_games.c
    valid = exists().where(
        tokens.player_id == c.id,
        tokens.revoked_at.is_(None),
        or_(tokens.expires_at.is_(None), tokens.expires_at > at),
    )
    plays = exists().where(mine.player_id == c.id, mine.ended_at == text("'infinity'"))
    guests = and_(c.app_id == app_id, c.deleted_at.is_(None), c.made_by.is_not(None), ~valid, ~plays)
    some = select(c.id).where(guests).order_by(c.id).limit(most)
    gone = {"deleted_at": at, "name": "", "external_id": None, "metadata": Jsonb({})}
    return session.execute(players.update().where(c.id.in_(some)).values(gone)).rowcount


def gone(session: Session, most: int) -> list[tuple[UUID, UUID]]:
    """List guests who have expired and are not erased yet, each with the app."""
    c = players.c
    expired = (c.made_by.is_not(None), c.deleted_at.is_not(None))
    return [(*row,) for row in session.execute(select(c.app_id, c.id).where(*expired).limit(most))]
