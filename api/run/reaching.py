"""Names the database in messages, and says at the start of a process why it cannot be reached."""

from __future__ import annotations

import re

import psycopg
from sqlalchemy import make_url

from api.core.config import Settings, libpq
from api.core.lines import logger

log = logger("card_referee.start")

TIMEOUT = 10  # seconds for a connection


def place(address: str) -> str:
    """Return which database it is, without user or password."""
    url = make_url(address)
    where = url.host or url.query.get("host") or "the local socket"
    return f"{where}{f':{url.port}' if url.port else ''}/{url.database or ''}"


def words(error: BaseException | None) -> str:
    """Return the driver's reason on one line, without its questions, as the end of a sentence."""
    text = re.sub(r"\s*Is the server running .*?\?", "", str(error).replace("\n", " "))
    return re.sub(r"\s+", " ", text).strip().rstrip(".") + "."


def as_owner(settings: Settings, autocommit: bool = False) -> psycopg.Connection:
    """Connect as the owner of the tables; a `with` block closes the connection."""
    address = libpq(settings.owner_database_url)
    return psycopg.connect(address, autocommit=autocommit, connect_timeout=TIMEOUT)


def say_if_not(*addresses: str) -> None:
    """Print why a database cannot be reached. The process starts all the same, and goes on trying."""
    for address in dict.fromkeys(filter(None, addresses)):
        try:
            psycopg.connect(libpq(address), connect_timeout=TIMEOUT).close()
        except psycopg.Error as error:
            log.error("The database at %s cannot be reached yet: %s", place(address), words(error))
