"""Looks at private cards of running games: the first of each kind, by whom, and when."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from api.core.json import Json
from api.store.database.session import Session
from referee.clocks import timestamp

ALL = -1  # seats
MOST = 1000  # listed


INSERT_TOKEN = """
    INSERT INTO looks (game_id, what, seat, credential_id, by, at)
    SELECT %s::uuid, %s::text, s.seat, %s::uuid, %s::text, coalesce(c.time, %s::timestamptz)
    FROM games g JOIN game_seats s ON s.game_id = g.id LEFT JOIN test_clocks c ON c.id = g.test_clock
    WHERE g.id = %s AND s.game_id = %s AND s.player_id = %s AND g.status = 'running'
"""


class Look(NamedTuple):
    """A first look: what was seen, of which seat (`ALL`), and by whom."""

    what: str
    seat: int
    by: str
    at: datetime

    def to_json(self) -> Json:
        """Return its form in records."""
        seat = None if self.seat == ALL else self.seat
        return {"what": self.what, "by": self.by, "seat": seat, "at": timestamp(self.at)}


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


def insert_token(session: Session, player_id: UUID, token_id: UUID, what: str, by: str, at: datetime) -> None:
    """Store that a token was created for a player, for every running game in which the player has a seat."""
    rows = session.execute(
        "SELECT game_id FROM player_games WHERE player_id = %s AND status = 'running' ORDER BY game_id",
        (player_id,),
    ).fetchall()
    if rows:
        values = [(game_id, what, token_id, by, at, game_id, game_id, player_id) for (game_id,) in rows]
        session.execute_all(INSERT_TOKEN, values)


def of_game(session: Session, game_id: UUID) -> list[Look]:
    """Read the looks at a game, the earliest first."""
    rows = session.execute(
        "SELECT what, seat, by, at FROM looks WHERE game_id = %s ORDER BY at, what, seat, credential_id"
        f" LIMIT {MOST}",
        (game_id,),
    )
    return [Look(*row) for row in rows]
