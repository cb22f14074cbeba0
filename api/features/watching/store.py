"""Who asks to watch a private game: in its row, like what is said after its end."""

from __future__ import annotations

from uuid import UUID

from psycopg.types.json import Jsonb

from api.features.watching.answers import Asker
from api.store.database.session import Session

MOST = 20  # names of a game

# One statement, so that nothing is lost when two ask at once.
ADD = """
    UPDATE games SET asked = coalesce(asked, '[]') || %s
    WHERE id = %s AND visibility <> 'public' AND NOT coalesce(asked, '[]') @> %s
        AND coalesce(jsonb_array_length(asked), 0) < %s
"""


def of(session: Session, game_id: UUID) -> list[Asker]:
    """List who has asked, the first one first."""
    row = session.execute("SELECT asked FROM games WHERE id = %s", (game_id,)).fetchone()
    return (row and row[0]) or []


def add(session: Session, game_id: UUID, name: str, at: str) -> None:
    """Store that somebody asks, unless one of this name has done so or enough have."""
    session.execute(ADD, (Jsonb([{"name": name, "at": at}]), game_id, Jsonb([{"name": name}]), MOST))
