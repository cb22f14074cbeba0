"""Imported records: the identity of each, so that it is imported only once."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import bindparam, func, select

from api.features.imports.tables import imports
from api.store.database.connections import written_out
from api.store.database.session import Session, scalar
from api.store.games import NewEntry, sealed
from api.store.tables.games import entries, games

NAMES = ("seq", "public", "private", "hash", "notice")


def lock(session: Session, fingerprint: bytes) -> None:
    """Lock a record, so that only one transaction at a time imports it."""
    number = int.from_bytes(fingerprint[:8], "big", signed=True)
    session.execute(select(func.pg_advisory_xact_lock(number)))


def knows_commitment(session: Session, commitment: str) -> bool:
    """Return whether any game here was dealt from this commitment's seed (hex), visible or not."""
    return bool(scalar(session, select(func.knows_commitment(bytes.fromhex(commitment)))))


def of_commitment(session: Session, app_id: UUID, commitment: str) -> UUID | None:
    """Find an app's own game that was dealt from this commitment's seed (hex)."""
    t = games.c
    statement = select(t.id).where(t.commitment == bytes.fromhex(commitment), t.app_id == app_id).limit(1)
    game_id: UUID | None = scalar(session, statement)
    return game_id


def find(session: Session, app_id: UUID, fingerprint: bytes) -> UUID | None:
    """Find the game that an app's record became."""
    t = imports.c
    statement = select(t.game_id).where(t.app_id == app_id, t.fingerprint == fingerprint)
    game_id: UUID | None = scalar(session, statement)
    return game_id


def keep(session: Session, app_id: UUID, fingerprint: bytes, game_id: UUID) -> None:
    """Store which game a record became."""
    session.execute(imports.insert().values(app_id=app_id, fingerprint=fingerprint, game_id=game_id))


def append_all(session: Session, game_id: UUID, app_id: UUID, new: Sequence[NewEntry]) -> None:
    """Write the whole log of a new game, with its app and tick, which a cluster does not add by itself."""
    of_all = {"game_id": game_id, "app_id": app_id, "tick": scalar(session, select(func.feed_tick()))}
    statement, _ = written_out(entries.insert().values({name: bindparam(name) for name in (*of_all, *NAMES)}))
    rows = [
        {**of_all, **dict(zip(NAMES, sealed(session.cipher, game_id, entry), strict=True))} for entry in new
    ]
    with session.connection.cursor() as cursor:
        cursor.executemany(statement, rows)
