"""Records brought in from elsewhere: what each was, so that it comes in once."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from api.store.database.session import Session
from api.store.games import NewEntry, sealed


def lock(session: Session, fingerprint: bytes) -> None:
    """Let one transaction at a time bring this record in."""
    number = int.from_bytes(fingerprint[:8], "big", signed=True)
    session.execute("SELECT pg_advisory_xact_lock(%s)", (number,))


def find(session: Session, app_id: UUID, fingerprint: bytes) -> UUID | None:
    """Find the game that an app's record became."""
    statement = "SELECT game_id FROM imports WHERE app_id = %s AND fingerprint = %s"
    row = session.execute(statement, (app_id, fingerprint)).fetchone()
    return row[0] if row else None


def keep(session: Session, app_id: UUID, fingerprint: bytes, game_id: UUID) -> None:
    """Note which game a record became."""
    statement = "INSERT INTO imports (app_id, fingerprint, game_id) VALUES (%s, %s, %s)"
    session.execute(statement, (app_id, fingerprint, game_id))


def append_all(session: Session, game_id: UUID, entries: Sequence[NewEntry]) -> None:
    """Write the whole log of a new game."""
    statement = "INSERT INTO entries (game_id, seq, public, private, hash) VALUES (%s, %s, %s, %s, %s)"
    with session.connection.cursor() as cursor:
        cursor.executemany(statement, [(game_id, *sealed(session.cipher, game_id, e)) for e in entries])


def wait_for(session: Session, game_id: UUID, seats: Sequence[int], since: datetime) -> None:
    """Note that a new game waits for these seats."""
    session.execute(
        "UPDATE game_seats SET since = %s WHERE game_id = %s AND seat = ANY(%s)",
        (since, game_id, list(seats)),
    )
