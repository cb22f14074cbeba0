"""Browsers that receive a player's push messages."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, exists, select

from api.core.json import loads, stored
from api.features.mail.tables import push_subscriptions
from api.store.database.encryption import PUSH_SUBSCRIPTION, Cipher
from api.store.database.session import Session
from api.store.tables.accounts import credentials
from api.store.tables.columns import among

t = push_subscriptions.c
REVOKED: ColumnElement[bool] = exists(credentials.c.id).where(
    credentials.c.id == t.credential_id, credentials.c.revoked_at.is_not(None)
)


class PushSubscription(NamedTuple):
    """A browser's own description: `endpoint`, and `keys` with which messages are encrypted for it.

    It gets messages as long as the token that subscribed it is not revoked.
    """

    id: UUID
    player_id: UUID
    subscription: dict[str, Any]
    created_at: datetime
    credential_id: UUID | None = None


COLUMNS = tuple(t[name] for name in PushSubscription._fields)


def of_player(session: Session, player_id: UUID) -> list[PushSubscription]:
    """List a player's browsers, oldest first."""
    rows = session.execute(select(*COLUMNS).where(t.player_id == player_id, ~REVOKED).order_by(t.id))
    return [_opened(session.cipher, row) for row in rows]


def _opened(cipher: Cipher, row: Sequence[Any]) -> PushSubscription:
    """Return a subscription from its stored columns. Raises Undecipherable."""
    return PushSubscription(*row)._replace(
        subscription=loads(cipher.open(row[2], row[0].bytes, PUSH_SUBSCRIPTION))
    )


def subscribed(session: Session, player_ids: Sequence[UUID]) -> set[UUID]:
    """Return which of these players have a browser to send to."""
    rows = session.execute(select(t.player_id).where(among(t.player_id, player_ids), ~REVOKED).distinct())
    return {row[0] for row in rows}


def insert(session: Session, app_id: UUID, subscription: PushSubscription) -> None:
    """Store a new browser."""
    sealed = session.cipher.seal(
        stored(subscription.subscription).encode(), subscription.id.bytes, PUSH_SUBSCRIPTION
    )
    values = {**subscription._asdict(), "app_id": app_id, "subscription": sealed}
    session.execute(push_subscriptions.insert().values(values))


def renew(session: Session, subscription_id: UUID, credential_id: UUID | None) -> None:
    """Store that a browser was subscribed again, with another token."""
    again = push_subscriptions.update().where(t.id == subscription_id)
    session.execute(again.values(credential_id=credential_id))


def delete_revoked(session: Session, player_id: UUID) -> None:
    """Delete the browsers of a player whose tokens were revoked."""
    session.execute(push_subscriptions.delete().where(t.player_id == player_id, REVOKED))


def delete(session: Session, player_id: UUID, subscription_id: UUID) -> bool:
    """Delete a browser; return whether it existed."""
    gone = push_subscriptions.delete().where(t.player_id == player_id, t.id == subscription_id)
    return session.execute(gone).rowcount == 1


def delete_all(session: Session, player_id: UUID) -> None:
    """Delete a player's browsers."""
    session.execute(push_subscriptions.delete().where(t.player_id == player_id))
