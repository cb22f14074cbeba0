"""Whether an app has as many games, players, tokens or keys as it may have.

Each statement reads an index up to the limit, and no further.
"""

from __future__ import annotations

from typing import Any

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
NOT_OVER = games.c.ended_at == text("'infinity'")
GAMES_OF_PLAYER = _nth(select(games.c.id).where(games.c.made_by == bindparam("made_by"), NOT_OVER))
GAMES_OF_NETWORK = _nth(select(games.c.id).where(games.c.made_in == bindparam("made_in"), NOT_OVER))
PLAYERS = _nth(select(players.c.id).where(players.c.app_id == OF_APP, players.c.deleted_at.is_(None)))
TOKENS = _nth(select(credentials.c.id).where(credentials.c.player_id == bindparam("player_id"), *VALID))
KEYS = _nth(
    select(credentials.c.id).where(credentials.c.app_id == OF_APP, credentials.c.player_id.is_(None), *VALID)
)


def reached(session: Session, statement: Select[Any], count: int, **values: Any) -> bool:
    """Return whether there are so many of what one of these statements finds."""
    return session.execute(statement, {**values, "before": count - 1}).fetchone() is not None
