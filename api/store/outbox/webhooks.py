"""Webhooks: where apps want to be told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from psycopg.types.json import Jsonb
from sqlalchemy import bindparam, func, select

from api.store.database.encryption import WEBHOOK_SECRET, Cipher
from api.store.database.session import Session
from api.store.labels import LabelFilter
from api.store.tables.accounts import apps
from api.store.tables.clauses import among, newest_first
from api.store.tables.outbox import webhooks


class Webhook(NamedTuple):
    """Where an app wants to be told what happens; no `events` means all of them."""

    id: UUID
    app_id: UUID
    url: str
    events: list[str]
    secret: str
    secret_before: str | None
    secret_before_until: datetime | None
    created_at: datetime
    failing_since: datetime | None
    disabled_at: datetime | None
    external_id: str | None
    metadata: Mapping[str, str]


COLUMNS = tuple(webhooks.c[name] for name in Webhook._fields)


def insert(session: Session, webhook: Webhook) -> None:
    """Keep a new webhook."""
    session.execute(webhooks.insert().values(_sealed(session.cipher, webhook)))


def _sealed(cipher: Cipher, webhook: Webhook) -> dict[str, Any]:
    """Return the columns of a webhook as they are stored."""
    secrets = {
        name: cipher.seal_text(getattr(webhook, name), webhook.id.bytes, WEBHOOK_SECRET)
        for name in ("secret", "secret_before")
    }
    return {**webhook._asdict(), **secrets, "metadata": Jsonb(webhook.metadata)}


def _opened(cipher: Cipher, row: Sequence[Any]) -> Webhook:
    """Return a webhook out of the columns that are stored. Raises Undecipherable."""
    webhook = Webhook(*row)
    secret, before = (
        sealed and cipher.open(sealed, webhook.id.bytes, WEBHOOK_SECRET).decode()
        for sealed in (row[4], row[5])
    )
    return webhook._replace(secret=secret, secret_before=before)


def update(session: Session, webhook: Webhook) -> None:
    """Keep a webhook as it is now."""
    values = _sealed(session.cipher, webhook)
    for name in ("id", "app_id", "created_at"):  # which never change, and may not be
        del values[name]
    session.execute(webhooks.update().where(webhooks.c.id == webhook.id).values(values))


def get(session: Session, app_id: UUID, webhook_id: UUID, *, lock: bool = False) -> Webhook | None:
    """Find a webhook of an app."""
    statement = select(*COLUMNS).where(webhooks.c.id == webhook_id, webhooks.c.app_id == app_id)
    if lock:
        statement = statement.with_for_update(key_share=True)
    row = session.execute(statement).fetchone()
    return _opened(session.cipher, row) if row else None


def page(
    session: Session, app_id: UUID, wanted: LabelFilter, before: UUID | None, limit: int
) -> list[Webhook]:
    """List an app's webhooks, newest first."""
    whole = select(*COLUMNS).where(webhooks.c.app_id == app_id, *wanted.conditions(webhooks))
    rows = session.execute(newest_first(whole, webhooks.c.id, before, limit))
    return [_opened(session.cipher, row) for row in rows]


def count(session: Session, app_id: UUID) -> int:
    """Count an app's webhooks; another one waits until this transaction has ended."""
    session.execute(select(apps.c.id).where(apps.c.id == app_id).with_for_update(key_share=True))
    counted = select(func.count()).select_from(webhooks).where(webhooks.c.app_id == app_id)
    row = session.execute(counted).fetchone()
    assert row is not None
    return int(row[0])


def delete(session: Session, app_id: UUID, webhook_id: UUID) -> bool:
    """Delete a webhook with its deliveries; returns whether there was one."""
    statement = webhooks.delete().where(webhooks.c.id == webhook_id, webhooks.c.app_id == app_id)
    return session.execute(statement).rowcount == 1


LISTENING = (
    select(webhooks.c.id, webhooks.c.events, webhooks.c.disabled_at)
    .where(webhooks.c.app_id == bindparam("app"))
    .order_by(webhooks.c.id)
    .with_for_update(read=True, key_share=True)
)


def listening(session: Session, app_id: UUID) -> list[tuple[UUID, list[str], datetime | None]]:
    """List an app's webhooks: id, events, since when it is off. In a transaction none can be deleted."""
    return [(row[0], row[1], row[2]) for row in session.execute(LISTENING, {"app": app_id})]


def by_ids(session: Session, wanted: Sequence[UUID]) -> dict[UUID, Webhook]:
    """Return those of these webhooks that there are, whoever's they are."""
    rows = session.execute(select(*COLUMNS).where(among(webhooks.c.id, wanted)))
    return {row[0]: _opened(session.cipher, row) for row in rows}


class Health(NamedTuple):
    """How a webhook is doing."""

    app_id: UUID
    failing_since: datetime | None
    disabled_at: datetime | None


def lock(session: Session, wanted: Sequence[UUID], *, to_change: bool) -> dict[UUID, Health]:
    """Let nobody change or delete these webhooks in this transaction; return how those are that there are.

    Whoever changes deliveries of a webhook holds it, in one way or the other, so that none of them wait for
    each other in a circle.
    """
    t = webhooks.c
    statement = select(t.id, t.app_id, t.failing_since, t.disabled_at).where(among(t.id, wanted))
    ordered = statement.order_by(t.id).with_for_update(read=not to_change, key_share=to_change)
    return {row[0]: Health(*row[1:]) for row in session.execute(ordered)}


SET_HEALTH = (
    webhooks.update()
    .where(webhooks.c.id == bindparam("webhook"))
    .values(failing_since=bindparam("failing"), disabled_at=bindparam("disabled"))
)


def set_health(session: Session, webhook_id: UUID, health: Health) -> None:
    """Keep since when a webhook has been failing, and when that was too long."""
    values = {"failing": health.failing_since, "disabled": health.disabled_at}
    session.execute(SET_HEALTH, {"webhook": webhook_id, **values})
