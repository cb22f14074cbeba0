"""Rebuilds the statistics of players from all games."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

import psycopg

from api.context import Context
from api.core.config import Settings, StartError
from api.game import results
from api.store.database.session import Database, Session

FIRST = UUID(int=0)


def rebuild(settings: Settings, report: Callable[[str], None]) -> None:
    """Rebuild them, some games at a time, while the service runs. Raises StartError."""
    database = Database(settings.for_worker())
    try:
        session = Session(database)
        context = Context(settings, session)
        after, read, wrong = FIRST, 0, 0
        while done := results.rebuild(context, after):
            after, read, wrong = done[0], read + done[1], wrong + done[2]
        session.close()
    except psycopg.Error as error:
        raise StartError(f"The database refused: {str(error).strip().splitlines()[0].rstrip('.')}.") from None
    finally:
        database.close()
    report(f"read {read} games; what was kept of {wrong} differed, and is put right")
