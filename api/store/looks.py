"""Looks at private cards of running games: the first of each kind, by whom, and when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from api.store.database.session import Session

ALL = -1  # seats
MOST = 1000  # listed


RUNNING = """
    SELECT p.game_id, g.test_clock FROM player_games p JOIN games g ON g.id = p.game_id
    WHERE p.player_id = %s AND p.status = 'running' ORDER BY p.game_id
"""
INSERT_TOKEN = """
    INSERT INTO looks (game_id, what, seat, credential_id, by, at)
    SELECT %s::uuid, %s::text, s.seat, %s::uuid, %s::text, %s::timestamptz
    FROM games g JOIN game_seats s ON s.game_id = g.id
    WHERE g.id = %s AND s.game_id = %s AND s.player_id = %s AND g.status = 'running'
"""


class Look(NamedTuple):
    """A first look: what was seen, of which seat (`ALL`), and by whom."""

    what: str
    seat: int
    by: str
    at: datetime


def insert(session: Session, game_id: UUID, credential_id: UUID, looks: Sequence[Look]) -> None:
    """Store looks at a running game."""
    session.execute(
        "WITH game AS (SELECT id FROM games WHERE id = %s AND status = 'running')"
        " INSERT INTO looks (game_id, what, seat, credential_id, by, at)"
        " SELECT %s::uuid, l.what, l.seat, %s, l.by, l.at"
        " FROM game, unnest(%s::text[], %s::int[], %s::text[], %s::timestamptz[]) AS l(what, seat, by, at)"
        " ON CONFLICT DO NOTHING",
        (game_id, game_id, credential_id, *map(list, zip(*looks, strict=True))),
    )


def running(session: Session, player_id: UUID) -> list[tuple[UUID, UUID | None]]:
    """List the running games in which a player has a seat, each with the test clock that it follows."""
    return [(*row,) for row in session.execute(RUNNING, (player_id,))]


def insert_token(
    session: Session, player_id: UUID, token_id: UUID, what: str, by: str, games: Mapping[UUID, datetime]
) -> None:
    """Store that a token was created for a player, for its seats in these games, at the time of each."""
    values = [(game, what, token_id, by, at, game, game, player_id) for game, at in games.items()]
    if values:
        session.execute_all(INSERT_TOKEN, values)


def of_game(session: Session, game_id: UUID) -> list[Look]:
    """Read the looks at a game, the earliest first."""
    rows = session.execute(
        "SELECT what, seat, by, at FROM looks WHERE game_id = %s ORDER BY at, what, seat, credential_id"
        f" LIMIT {MOST}",
        (game_id,),
    )
    return [Look(*row) for row in rows]
