"""The database as commands use it: without a request, and with its errors as one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace

import psycopg

from api.context import Context
from api.core.config import Settings, StartError
from api.features import load_features
from api.store.database.session import Database, Session


@contextmanager
def opened(settings: Settings) -> Iterator[Context]:
    """Open a context. Raises StartError if the database refuses something."""
    try:
        with closing(Database(settings)) as database, closing(Session(database)) as session:
            yield Context(settings, session, load_features(*settings.features).hooks)
    except psycopg.Error as error:
        raise StartError(f"The database refused: {str(error).strip().splitlines()[0].rstrip('.')}.") from None


def of_owner(settings: Settings) -> Settings:
    """Return the settings of a command that works as the owner, because it needs to see every app."""
    return replace(settings, database_url=settings.owner_database_url, read_database_url="")
