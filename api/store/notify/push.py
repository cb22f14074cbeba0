"""Browsers that receive a player's push messages."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import select

from api.core.json import loads, stored
from api.store.database.encryption import PUSH_SUBSCRIPTION
from api.store.database.session import Session
from api.store.tables.columns import among
from api.store.tables.notify import push_subscriptions

t = push_subscriptions.c


class Subscription(NamedTuple):
    """A browser's own description: `endpoint`, and `keys` with which messages are encrypted for it."""

    id: UUID
    player_id: UUID
    subscription: dict[str, Any]
    created_at: datetime


COLUMNS = tuple(t[name] for name in Subscription._fields)


def of_player(session: Session, player_id: UUID) -> list[Subscription]:
    """List a player's browsers, oldest first."""
    rows = session.execute(select(*COLUMNS).where(t.player_id == player_id).order_by(t.id))
    return [
        Subscription(
            row[0], row[1], loads(session.cipher.open(row[2], row[0].bytes, PUSH_SUBSCRIPTION)), row[3]
        )
        for row in rows
    ]


def subscribed(session: Session, player_ids: Sequence[UUID]) -> set[UUID]:
    """Return which of these players have a browser to send to."""
    rows = session.execute(select(t.player_id).where(among(t.player_id, player_ids)).distinct())
    return {row[0] for row in rows}


def insert(session: Session, app_id: UUID, subscription: Subscription) -> None:
    """Store a new browser."""
    sealed = session.cipher.seal(
        stored(subscription.subscription).encode(), subscription.id.bytes, PUSH_SUBSCRIPTION
    )
    values = {**subscription._asdict(), "app_id": app_id, "subscription": sealed}
    session.execute(push_subscriptions.insert().values(values))


def delete(session: Session, player_id: UUID, subscription_id: UUID) -> bool:
    """Delete a browser; return whether it existed."""
    gone = push_subscriptions.delete().where(t.player_id == player_id, t.id == subscription_id)
    return session.execute(gone).rowcount == 1


def delete_all(session: Session, player_id: UUID) -> None:
    """Delete a player's browsers."""
    session.execute(push_subscriptions.delete().where(t.player_id == player_id))
