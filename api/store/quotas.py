"""Whether an app has as many games, players, tokens or keys as it may have.

Each statement reads an index up to the limit, and no further.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BindParameter, Select, bindparam, or_, select, text

from api.store.database.session import Session
from api.store.tables.accounts import credentials, players
from api.store.tables.games import games

OF_APP: BindParameter[Any] = bindparam("app_id")
BEFORE: BindParameter[Any] = bindparam("before")
VALID = (
    credentials.c.revoked_at.is_(None),
    or_(credentials.c.expires_at.is_(None), credentials.c.expires_at > bindparam("now")),
)


def _nth(statement: Select[Any]) -> Select[Any]:
    return statement.offset(BEFORE).limit(1)


GAMES = _nth(select(games.c.id).where(games.c.app_id == OF_APP, games.c.ended_at == text("'infinity'")))
PLAYERS = _nth(select(players.c.id).where(players.c.app_id == OF_APP, players.c.deleted_at.is_(None)))
TOKENS = _nth(select(credentials.c.id).where(credentials.c.player_id == bindparam("player_id"), *VALID))
KEYS = _nth(
    select(credentials.c.id).where(credentials.c.app_id == OF_APP, credentials.c.player_id.is_(None), *VALID)
)


def has_games(session: Session, app_id: UUID, count: int) -> bool:
    """Return whether an app has so many games that are not over."""
    return _has(session, GAMES, count, app_id=app_id)


def has_players(session: Session, app_id: UUID, count: int) -> bool:
    """Return whether an app has so many players."""
    return _has(session, PLAYERS, count, app_id=app_id)


def has_tokens(session: Session, player_id: UUID, count: int, now: datetime) -> bool:
    """Return whether a player has so many valid tokens."""
    return _has(session, TOKENS, count, player_id=player_id, now=now)


def has_keys(session: Session, app_id: UUID, count: int, now: datetime) -> bool:
    """Return whether an app has so many valid keys."""
    return _has(session, KEYS, count, app_id=app_id, now=now)


def _has(session: Session, statement: Select[Any], count: int, **values: Any) -> bool:
    return session.execute(statement, {**values, "before": count - 1}).fetchone() is not None
