"""Looks at private cards of running games: the first of each kind, by whom, and when."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import cache
from typing import NamedTuple
from uuid import UUID

import psycopg

from api.core.json import Json
from api.store.database.session import Session
from referee.clocks import timestamp

ALL = -1  # seats
MOST = 1000  # listed in the last entry


# It waits for a transaction that is about to end the game.
INSERT_TOKEN = """
    INSERT INTO looks (game_id, what, seat, credential_id, by, at)
    SELECT %s::uuid, %s::text, s.seat, %s::uuid, %s::text, coalesce(c.time, %s::timestamptz)
    FROM games g JOIN game_seats s ON s.game_id = g.id LEFT JOIN test_clocks c ON c.id = g.test_clock
    WHERE g.id = %s AND s.game_id = %s AND s.player_id = %s AND g.status = 'running' FOR KEY SHARE OF g
"""

# Divides by zero if the game has another head, or other looks than these.
REQUIRE = f"""
    SELECT 1 / count(*) FROM games WHERE id = %s AND head = %s
        AND (SELECT least(count(*), {MOST}) FROM looks WHERE game_id = %s) = %s
"""
Unlisted = psycopg.errors.DivisionByZero


class Look(NamedTuple):
    """A first look: what was seen, of which seat (`ALL`), and by whom."""

    what: str
    seat: int
    by: str
    at: datetime

    def to_json(self) -> Json:
        """Return its form in the last entry of the game."""
        seat = None if self.seat == ALL else self.seat
        return {"what": self.what, "by": self.by, "seat": seat, "at": timestamp(self.at)}


def insert(session: Session, game_id: UUID, credential_id: UUID, looks: Sequence[Look]) -> None:
    """Store looks at a running game, after waiting for a transaction that is about to end it."""
    session.execute(
        "WITH game AS (SELECT id FROM games WHERE id = %s AND status = 'running' FOR KEY SHARE)"
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


def of_games(session: Session, game_ids: Sequence[UUID]) -> dict[UUID, list[Look]]:
    """Read the looks at games, the earliest of each first."""
    looks: dict[UUID, list[Look]] = {game_id: [] for game_id in game_ids}
    rows = session.execute(
        "SELECT game_id, what, seat, by, at FROM looks WHERE game_id = ANY(%s)"
        " ORDER BY game_id, at, what, seat, credential_id",
        (list(game_ids),),
    )
    for game_id, *look in rows:
        if len(looks[game_id]) < MOST:
            looks[game_id].append(Look(*look))
    return looks


def ask(session: Session, game_id: UUID) -> Callable[[], list[Look]]:
    """Send the query for the looks at a game; return a function that reads them, the earliest first."""
    rows = session.execute(
        "SELECT what, seat, by, at FROM looks WHERE game_id = %s ORDER BY at, what, seat, credential_id"
        f" LIMIT {MOST}",
        (game_id,),
    )
    return cache(lambda: [Look(*row) for row in rows])


def require_listed(session: Session, game_id: UUID, head: bytes, number: int) -> None:
    """Undo the open transaction, unless it has written the entry with this hash, which lists all looks.

    Raises Unlisted, in a pipelined transaction later: nothing waits for the answer.
    """
    session.execute(REQUIRE, (game_id, head, game_id, number))
