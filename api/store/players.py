"""An app's players."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from api.store.database.session import Session

COLUMNS = "id, name, created_at"


class Player(NamedTuple):
    """A player."""

    id: UUID
    name: str
    created_at: datetime


def insert(session: Session, player: Player, app_id: UUID) -> None:
    """Keep a new player."""
    session.execute(
        "INSERT INTO players (id, app_id, name, created_at) VALUES (%s, %s, %s, %s)",
        (player.id, app_id, player.name, player.created_at),
    )


def get(session: Session, app_id: UUID, player_id: UUID) -> Player | None:
    """Find a player of an app."""
    row = session.execute(
        f"SELECT {COLUMNS} FROM players WHERE id = %s AND app_id = %s AND deleted_at IS NULL",
        (player_id, app_id),
    ).fetchone()
    return Player(*row) if row else None


def several(session: Session, app_id: UUID, ids: Sequence[UUID]) -> dict[UUID, Player]:
    """Find players of an app by their ids, and keep them from being deleted in this transaction."""
    rows = session.execute(
        f"SELECT {COLUMNS} FROM players WHERE id = ANY(%s) AND app_id = %s AND deleted_at IS NULL FOR SHARE",
        (list(ids), app_id),
    )
    return {row[0]: Player(*row) for row in rows}


def page(session: Session, app_id: UUID, before: UUID | None, limit: int) -> list[Player]:
    """List an app's players, newest first."""
    rows = session.execute(
        f"SELECT {COLUMNS} FROM players WHERE app_id = %s AND deleted_at IS NULL"
        " AND (%s::uuid IS NULL OR id < %s) ORDER BY id DESC LIMIT %s",
        (app_id, before, before, limit),
    )
    return [Player(*row) for row in rows]


def rename(session: Session, app_id: UUID, player_id: UUID, name: str) -> Player | None:
    """Return a player another name."""
    row = session.execute(
        "UPDATE players SET name = %s WHERE id = %s AND app_id = %s AND deleted_at IS NULL"
        f" RETURNING {COLUMNS}",
        (name, player_id, app_id),
    ).fetchone()
    return Player(*row) if row else None


def delete(session: Session, app_id: UUID, player_id: UUID, at: datetime) -> bool:
    """Mark a player as gone (the logs of games keep the name); returns whether there was one."""
    cursor = session.execute(
        "UPDATE players SET deleted_at = %s WHERE id = %s AND app_id = %s AND deleted_at IS NULL",
        (at, player_id, app_id),
    )
    return cursor.rowcount == 1
