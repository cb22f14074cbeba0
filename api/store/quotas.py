"""How many games, players, tokens or keys there are of somebody, counted no further than they may be.

What a party has made is found by where its path begins (`made_by`): of an app's player, or of a guest and the
networks around.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import BindParameter, ColumnElement, Select, bindparam, func, literal, or_, select, text

from api.store.database.session import Session, scalar
from api.store.tables.accounts import credentials, players
from api.store.tables.games import games

OF_APP: BindParameter[Any] = bindparam("app_id")
NOT_OVER = games.c.ended_at == text("'infinity'")
THERE = players.c.deleted_at.is_(None)
VALID = (
    credentials.c.revoked_at.is_(None),
    or_(credentials.c.expires_at.is_(None), credentials.c.expires_at > bindparam("now")),
)
LONGEST_PATH = 32  # bytes


def _counted(*conditions: ColumnElement[bool]) -> Select[Any]:
    some = select(literal(1)).where(*conditions).limit(bindparam("most")).subquery()
    return select(func.count()).select_from(some)


def _made(column: ColumnElement[Any]) -> ColumnElement[bool]:
    return column.between(bindparam("path"), bindparam("last"))


GAMES = _counted(games.c.app_id == OF_APP, NOT_OVER)
GAMES_MADE = _counted(_made(games.c.made_by), NOT_OVER)
PLAYERS = _counted(players.c.app_id == OF_APP, THERE)
PLAYERS_MADE = _counted(_made(players.c.made_by), THERE)
TOKENS = _counted(credentials.c.player_id == bindparam("player_id"), *VALID)
KEYS = _counted(credentials.c.app_id == OF_APP, credentials.c.player_id.is_(None), *VALID)


def count(session: Session, statement: Select[Any], most: int, **values: Any) -> int:
    """Return how many one of these statements finds, or `most`."""
    return int(scalar(session, statement, {**values, "most": most}))


def count_made(session: Session, statement: Select[Any], most: int, path: bytes) -> int:
    """Return how much was made by the party with this path, or whose paths begin with it."""
    return count(session, statement, most, path=path, last=path.ljust(LONGEST_PATH, b"\xff"))
