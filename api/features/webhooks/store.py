"""Webhooks: the addresses of apps for notices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from psycopg.types.json import Jsonb
from sqlalchemy import bindparam, exists, func, select

from api.features.notices import outbox, positions
from api.features.webhooks.tables import SECRET, webhooks
from api.store.database.encryption import Cipher
from api.store.database.session import Session, scalar
from api.store.labels import named
from api.store.layout import layout_of
from api.store.tables.accounts import apps
from api.store.tables.columns import among, newest_first


class Webhook(NamedTuple):
    """A webhook of an app; no `events` means all of them.

    `include` says what notices have in addition to ids.
    """

    id: UUID
    app_id: UUID
    url: str
    events: list[str]
    include: list[str]
    secret: str
    created_at: datetime
    secret_before: str | None = None
    secret_before_until: datetime | None = None
    failing_since: datetime | None = None
    disabled_at: datetime | None = None
    external_id: str | None = None
    metadata: Mapping[str, str] = {}


SECRETS = ("secret", "secret_before")
UNCHANGING = ("id", "app_id", "created_at")
COLUMNS = tuple(webhooks.c[name] for name in Webhook._fields)


def insert(session: Session, webhook: Webhook) -> None:
    """Store a new webhook."""
    values = {**_sealed(session.cipher, webhook), "tick": func.feed_tick()}
    session.execute(webhooks.insert().values(values))
    positions.begin(session, webhook.app_id)


def _sealed(cipher: Cipher, webhook: Webhook) -> dict[str, Any]:
    """Return the stored columns of a webhook."""
    secrets = {name: cipher.seal_text(getattr(webhook, name), webhook.id.bytes, SECRET) for name in SECRETS}
    return {**webhook._asdict(), **secrets, "metadata": Jsonb(webhook.metadata)}


def _opened(cipher: Cipher, row: Sequence[Any]) -> Webhook:
    """Return a webhook from its stored columns. Raises Undecipherable."""
    webhook = Webhook(*row)
    secret, before = (
        sealed and cipher.open(sealed, webhook.id.bytes, SECRET).decode()
        for sealed in (getattr(webhook, name) for name in SECRETS)
    )
    return webhook._replace(secret=secret, secret_before=before)


def are_there(session: Session, app_id: UUID) -> bool:
    """Return whether an app has webhooks."""
    there = select(exists().where(webhooks.c.app_id == app_id))
    return bool(scalar(session, there))


def update(session: Session, webhook: Webhook) -> None:
    """Store the changes of a webhook."""
    values = _sealed(session.cipher, webhook)
    for name in UNCHANGING:
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
    session: Session,
    app_id: UUID,
    external_id: str | None,
    before: UUID | None,
    limit: int,
) -> list[Webhook]:
    """List an app's webhooks, newest first."""
    whole = select(*COLUMNS).where(webhooks.c.app_id == app_id, *named(webhooks, external_id))
    rows = session.execute(newest_first(whole, webhooks.c.id, before, limit))
    return [_opened(session.cipher, row) for row in rows]


def count(session: Session, app_id: UUID) -> int:
    """Count an app's webhooks; another one waits until this transaction has ended."""
    _one_at_a_time(session, app_id)
    counted = select(func.count()).select_from(webhooks).where(webhooks.c.app_id == app_id)
    return int(scalar(session, counted))


def _one_at_a_time(session: Session, app_id: UUID) -> None:
    """Let others that create or delete webhooks of this app wait until this transaction has ended."""
    session.execute(select(apps.c.id).where(apps.c.id == app_id).with_for_update(key_share=True))


def delete(session: Session, app_id: UUID, webhook_id: UUID) -> bool:
    """Delete a webhook with its deliveries; return whether it existed."""
    _one_at_a_time(session, app_id)
    layout_of(session).lock_alone(session, app_id)
    statement = webhooks.delete().where(webhooks.c.id == webhook_id, webhooks.c.app_id == app_id)
    existed = session.execute(statement).rowcount == 1
    if existed:
        outbox.forget(session, webhook_id)
    return existed


class Listener(NamedTuple):
    """A webhook that may get a notice: its events, and since when it is disabled.

    It gets no notices of entries with a lower `tick`.
    """

    id: UUID
    events: list[str]
    disabled_at: datetime | None
    include: list[str]
    tick: int = 0


LISTENERS = (
    select(*(webhooks.c[name] for name in Listener._fields))
    .where(webhooks.c.app_id == bindparam("app"))
    .order_by(webhooks.c.id)
)
LOCKED_LISTENERS = LISTENERS.with_for_update(read=True, key_share=True)


def listeners(session: Session, app_id: UUID) -> list[Listener]:
    """List the webhooks of an app.

    None of them can be deleted until the transaction ends.
    """
    statement = LISTENERS if layout_of(session).lock(session, app_id) else LOCKED_LISTENERS
    return [Listener(*row) for row in session.execute(statement, {"app": app_id})]


def by_ids(session: Session, ids: Sequence[UUID]) -> dict[UUID, Webhook]:
    """Return which of these webhooks exist, of any app."""
    rows = session.execute(select(*COLUMNS).where(among(webhooks.c.id, ids)))
    return {row[0]: _opened(session.cipher, row) for row in rows}


class Health(NamedTuple):
    """The state of a webhook."""

    app_id: UUID
    failing_since: datetime | None
    disabled_at: datetime | None


def lock(session: Session, ids: Sequence[UUID], *, to_change: bool) -> dict[UUID, Health]:
    """Lock these webhooks against changes and deletion; return the states of those that exist.

    Everything that changes deliveries of a webhook locks the webhook first, so that there are no deadlocks.
    """
    t = webhooks.c
    statement = select(t.id, t.app_id, t.failing_since, t.disabled_at).where(among(t.id, ids))
    ordered = statement.order_by(t.id).with_for_update(read=not to_change, key_share=to_change)
    return {row[0]: Health(*row[1:]) for row in session.execute(ordered)}


SET_HEALTH = (
    webhooks.update()
    .where(webhooks.c.id == bindparam("webhook"))
    .values(failing_since=bindparam("failing"), disabled_at=bindparam("disabled"))
)


def set_health(session: Session, webhook_id: UUID, health: Health) -> None:
    """Store since when a webhook has been failing, and when it was disabled for that."""
    values = {"failing": health.failing_since, "disabled": health.disabled_at}
    session.execute(SET_HEALTH, {"webhook": webhook_id, **values})
