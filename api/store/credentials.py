"""Apps, and the hashes of app keys and player tokens."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, and_, any_, func, literal, or_, select
from sqlalchemy.dialects import postgresql

from api.store.database.session import Session, scalar
from api.store.tables.accounts import apps, credentials
from api.store.tables.columns import GUESTS as GUESTS
from api.store.tables.columns import among, newest_first

t = credentials.c
COLUMNS = (
    *(t.id, t.scopes, t.created_at, t.expires_at, t.revoked_at, t.parent_id, t.device),
    *(t.name, t.prefix),
)


class Credential(NamedTuple):
    """A key or token in lists; the secret itself is not stored."""

    id: UUID
    scopes: list[str]
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None = None
    parent_id: UUID | None = None
    device: str | None = None
    name: str | None = None
    prefix: str | None = None


class Holder(NamedTuple):
    """The owner of a key or token; `player_id` is None for an app key."""

    credential_id: UUID
    app_id: UUID
    player_id: UUID | None
    scopes: list[str]
    expires_at: datetime | None
    revoked_at: datetime | None


def holder(session: Session, digest: bytes) -> Holder | None:
    """Find the owner of the key or token with this hash, including revoked and expired ones.

    From here on, the session sees the rows of that app, or of no app if there is no such token. Handwritten
    SQL, because it is two statements in one: a second one would cost 75 µs more.
    """
    _, *row = session.enter(
        "app_id", "id, app_id, player_id, scopes, expires_at, revoked_at FROM token_holder(%s)", (digest,)
    )
    return Holder(*row) if row[0] else None


def ensure_app(session: Session, app_id: UUID, name: str, at: datetime) -> UUID:
    """Create an app of this name unless there is one; return its id."""
    statement = postgresql.insert(apps).values(id=app_id, name=name, created_at=at)
    same = statement.on_conflict_do_update(index_elements=["name"], set_={"name": statement.excluded.name})
    created: UUID = scalar(session, same.returning(apps.c.id))
    return created


def app_named(session: Session, name: str) -> UUID | None:
    """Return the app of a name, if there is one."""
    found: UUID | None = scalar(session, select(apps.c.id).where(apps.c.name == name))
    return found


def app_name(session: Session, app_id: UUID) -> str:
    """Return the name of an app."""
    return str(scalar(session, select(apps.c.name).where(apps.c.id == app_id)))


def insert(session: Session, new: Credential, app_id: UUID, player_id: UUID | None, digest: bytes) -> None:
    """Store a new key or token by its hash; the parent of a token is the key that creates it."""
    values = {**new._asdict(), "app_id": app_id, "player_id": player_id, "hash": digest}
    session.execute(credentials.insert().values(values))


def created_at(session: Session, credential_id: UUID) -> datetime:
    """Return when a key or token was created."""
    created: datetime = scalar(session, select(t.created_at).where(t.id == credential_id))
    return created


def lock(session: Session, credential_id: UUID) -> bool:
    """Prevent a key from being revoked during this transaction; return whether it is still valid."""
    statement = select(t.id).where(t.id == credential_id, t.revoked_at.is_(None))
    return session.execute(statement.with_for_update(read=True)).fetchone() is not None


def page(session: Session, whose: ColumnElement[bool], before: UUID | None, limit: int) -> list[Credential]:
    """List keys or tokens, newest first."""
    statement = newest_first(select(*COLUMNS).where(whose), t.id, before, limit)
    return [Credential(*row) for row in session.execute(statement)]


def of_player(session: Session, player_id: UUID, before: UUID | None, limit: int) -> list[Credential]:
    """List a player's tokens, newest first."""
    return page(session, t.player_id == player_id, before, limit)


def of_app(session: Session, app_id: UUID, before: UUID | None, limit: int) -> list[Credential]:
    """List an app's own keys, newest first."""
    return page(session, and_(t.app_id == app_id, t.player_id.is_(None)), before, limit)


def all_keys(session: Session) -> list[dict[str, Any]]:
    """List every app key of every app, oldest first."""
    names = (
        *("id", "name", "scopes", "created_at", "expires_at", "revoked_at"),
        *("key_name", "prefix"),
    )
    rows = session.execute(
        select(t.id, apps.c.name, t.scopes, t.created_at, t.expires_at, t.revoked_at)
        .add_columns(t.name, t.prefix)
        .join_from(credentials, apps)
        .where(t.player_id.is_(None))
        .order_by(t.id)
    )
    return [dict(zip(names, row, strict=True)) for row in rows]


def app_key(session: Session, credential_id: UUID, app_id: UUID | None) -> Credential | None:
    """Find an app key of this app, or of any app if None."""
    statement = select(*COLUMNS).where(t.id == credential_id, t.player_id.is_(None))
    if app_id is not None:
        statement = statement.where(t.app_id == app_id)
    row = session.execute(statement).fetchone()
    return Credential(*row) if row else None


def revoke_key(session: Session, key_id: UUID, at: datetime, keep_tokens: bool) -> None:
    """Revoke a key and, unless `keep_tokens`, the tokens that were created with it; in a transaction.

    Whoever creates a token holds the key, so none is created afterwards. With a token go the links to watch
    that it has made.
    """
    revoking = credentials.update().where(t.revoked_at.is_(None)).values(revoked_at=at)
    session.execute(revoking.where(t.id == key_id))
    if not keep_tokens:
        made = credentials.alias("made").c
        tokens = select(made.id).where(made.parent_id == key_id)
        session.execute(revoking.where(or_(t.parent_id == key_id, t.parent_id.in_(tokens))))


def revoke_token(session: Session, credential_id: UUID, player_id: UUID, at: datetime) -> bool:
    """Revoke one token of a player; return whether it exists."""
    statement = credentials.update().where(t.id == credential_id, t.player_id == player_id)
    return session.execute(statement.values(revoked_at=func.coalesce(t.revoked_at, at))).rowcount == 1


def revoke_all_tokens(session: Session, player_id: UUID, at: datetime) -> None:
    """Revoke every token of a player."""
    statement = credentials.update().where(t.player_id == player_id, t.revoked_at.is_(None))
    session.execute(statement.values(revoked_at=at))


def expire_tokens(session: Session, player_ids: Sequence[UUID], scope: str, at: datetime) -> None:
    """Make the tokens of these players with this scope expire at this time at the latest."""
    statement = credentials.update().where(among(t.player_id, player_ids), literal(scope) == any_(t.scopes))
    session.execute(statement.values(expires_at=func.least(t.expires_at, at)))
