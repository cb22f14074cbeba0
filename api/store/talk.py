"""What is said after the end of a game: not in its log, but in its row."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from api.store.database.session import Session

OPEN_FOR = timedelta(days=1)  # as long as the tokens of guests who came for this game
MOST = 50  # messages of a seat, or of the app for no seat: a loud one leaves the others room

# One statement, so that nothing is lost when two speak at once.
ADD = """
    UPDATE games SET chat = coalesce(chat, '[]') || %s
    WHERE id = %s
        AND coalesce(jsonb_array_length(jsonb_path_query_array(chat, '$[*] ? (@.seat == $seat)', %s)), 0) < %s
    RETURNING jsonb_array_length(chat)
"""


def of(session: Session, game_id: UUID) -> list[dict[str, Any]]:
    """List the messages of a game, the first one first."""
    row = session.execute("SELECT chat FROM games WHERE id = %s", (game_id,)).fetchone()
    return (row and row[0]) or []


def add(session: Session, game_id: UUID, message: dict[str, Any]) -> int | None:
    """Store a message; return its number, from 1, or None if its seat has posted as many as it may."""
    seat = Jsonb({"seat": message["seat"]})
    row = session.execute(ADD, (Jsonb([message]), game_id, seat, MOST)).fetchone()
    return int(row[0]) if row else None
