"""What the database holds of a game, opened with the service's keys."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

from api.core.config import Settings
from api.store import games
from api.store.database.session import Database, Session
from api.store.games import GameRow


def stored_game(settings: Settings, game_id: UUID) -> GameRow:
    """A game's row as the owner of the tables reads it."""
    database = Database(replace(settings, database_url=settings.owner_database_url))
    session = Session(database)
    try:
        row = games.get(session, game_id)
    finally:
        session.close()
        database.close()
    assert row is not None
    return row
