"""Apps, and the hashes of app keys and player tokens."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from api.store.database.session import SET_APP, Session

GUESTS = "guests"  # the app that guests of the server belong to
COLUMNS = "id, scopes, created_at, expires_at, revoked_at, parent_id"


class Credential(NamedTuple):
    """A key or token as it is listed; itself it is nowhere."""

    id: UUID
    scopes: list[str]
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    parent_id: UUID | None = None


class Holder(NamedTuple):
    """Whose a key or token is; `player_id` is None for an app key."""

    credential_id: UUID
    app_id: UUID
    player_id: UUID | None
    scopes: list[str]
    expires_at: datetime | None
    revoked_at: datetime | None


def holder(session: Session, digest: bytes) -> Holder | None:
    """Find whose key or token has this hash, revoked and expired ones included.

    From here on the session sees that app's rows, and no app's where there is no such token.
    """
    _, *found = session.enter(
        f"SELECT {SET_APP.format('app_id')}, id, app_id, player_id, scopes, expires_at, revoked_at"
        " FROM token_holder(%s)",
        (digest,),
    )
    return Holder(*found) if found[0] else None


def ensure_app(session: Session, app_id: UUID, name: str, at: datetime) -> UUID:
    """Make an app of this name unless there is one; returns its id."""
    row = session.execute(
        "INSERT INTO apps (id, name, created_at) VALUES (%s, %s, %s)"
        " ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING id",
        (app_id, name, at),
    ).fetchone()
    assert row is not None
    found: UUID = row[0]
    return found


def app_name(session: Session, app_id: UUID) -> str:
    """Return the name of an app."""
    row = session.execute("SELECT name FROM apps WHERE id = %s", (app_id,)).fetchone()
    assert row is not None
    return str(row[0])


def insert(
    session: Session,
    credential_id: UUID,
    app_id: UUID,
    player_id: UUID | None,
    digest: bytes,
    scopes: list[str],
    at: datetime,
    expires_at: datetime | None,
    parent_id: UUID | None = None,
) -> None:
    """Keep the hash of a new key or token; `parent_id` is the key that makes it."""
    session.execute(
        "INSERT INTO credentials (id, app_id, player_id, hash, scopes, created_at, expires_at, parent_id)"
        " VALUES (%s, %s, %s, %s, %s, %s, %s, %s)",
        (credential_id, app_id, player_id, digest, scopes, at, expires_at, parent_id),
    )


def hold(session: Session, credential_id: UUID) -> bool:
    """Keep a key from being revoked in this transaction; returns whether it still counts."""
    statement = "SELECT FROM credentials WHERE id = %s AND revoked_at IS NULL FOR SHARE"
    return session.execute(statement, (credential_id,)).fetchone() is not None


def of_player(session: Session, player_id: UUID, before: UUID | None, limit: int) -> list[Credential]:
    """List a player's tokens, newest first."""
    rows = session.execute(
        f"SELECT {COLUMNS} FROM credentials WHERE player_id = %s AND (%s::uuid IS NULL OR id < %s)"
        " ORDER BY id DESC LIMIT %s",
        (player_id, before, before, limit),
    )
    return [Credential(*row) for row in rows]


def of_app(session: Session, app_id: UUID, before: UUID | None, limit: int) -> list[Credential]:
    """List an app's own keys, newest first."""
    rows = session.execute(
        f"SELECT {COLUMNS} FROM credentials WHERE app_id = %s AND player_id IS NULL"
        " AND (%s::uuid IS NULL OR id < %s) ORDER BY id DESC LIMIT %s",
        (app_id, before, before, limit),
    )
    return [Credential(*row) for row in rows]


def all_keys(session: Session) -> list[dict[str, Any]]:
    """List every app key of every app, oldest first."""
    rows = session.execute(
        "SELECT c.id, a.name, c.scopes, c.created_at, c.expires_at, c.revoked_at"
        " FROM credentials c JOIN apps a ON a.id = c.app_id WHERE c.player_id IS NULL ORDER BY c.id"
    )
    names = ("id", "name", "scopes", "created_at", "expires_at", "revoked_at")
    return [dict(zip(names, row, strict=True)) for row in rows]


def app_key(session: Session, credential_id: UUID, app_id: UUID | None) -> Credential | None:
    """Find an app key, of this app or (None) of any."""
    row = session.execute(
        f"SELECT {COLUMNS} FROM credentials"
        " WHERE id = %s AND player_id IS NULL AND (%s::uuid IS NULL OR app_id = %s)",
        (credential_id, app_id, app_id),
    ).fetchone()
    return Credential(*row) if row else None


def revoke_with_descendants(session: Session, key_id: UUID, at: datetime, keep_tokens: bool) -> None:
    """Revoke a key and every key and player token made with it, directly or not; within a transaction.

    Repeated until there is none left: a descendant may be making one more while the first round runs.
    """
    while session.execute(
        "WITH RECURSIVE family AS ("
        " SELECT id FROM credentials WHERE id = %s"
        " UNION ALL SELECT c.id FROM credentials c JOIN family f ON c.parent_id = f.id"
        " WHERE c.player_id IS NULL OR NOT %s)"
        " UPDATE credentials SET revoked_at = %s WHERE id IN (SELECT id FROM family) AND revoked_at IS NULL",
        (key_id, keep_tokens, at),
    ).rowcount:
        pass


def revoke_token(session: Session, credential_id: UUID, player_id: UUID, at: datetime) -> bool:
    """Revoke one token of a player; returns whether there is such a token."""
    cursor = session.execute(
        "UPDATE credentials SET revoked_at = coalesce(revoked_at, %s) WHERE id = %s AND player_id = %s",
        (at, credential_id, player_id),
    )
    return cursor.rowcount == 1


def revoke_all_tokens(session: Session, player_id: UUID, at: datetime) -> None:
    """Revoke every token of a player."""
    session.execute(
        "UPDATE credentials SET revoked_at = %s WHERE player_id = %s AND revoked_at IS NULL",
        (at, player_id),
    )


def expire_tokens(session: Session, player_ids: Sequence[UUID], at: datetime) -> None:
    """Let every token of these players expire at this time at the latest."""
    session.execute(
        "UPDATE credentials SET expires_at = least(expires_at, %s) WHERE player_id = ANY(%s)",
        (at, list(player_ids)),
    )
