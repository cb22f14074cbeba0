"""Webhooks, and what is delivered to them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from api.store.database.encryption import WEBHOOK_SECRET, Cipher
from api.store.database.session import Session

CHAT = "message.posted"
SAME_ORDER = f"(e.event = '{CHAT}') = (d.event = '{CHAT}')"  # messages are apart from the rest of a game

COLUMNS = (
    "id, app_id, url, events, secret, secret_before, secret_before_until, created_at, failing_since,"
    " disabled_at"
)


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


def insert(session: Session, webhook: Webhook) -> None:
    """Keep a new webhook."""
    values = _sealed(session.cipher, webhook)
    session.execute(f"INSERT INTO webhooks ({COLUMNS}) VALUES ({', '.join(['%s'] * len(values))})", values)


def _sealed(cipher: Cipher, webhook: Webhook) -> Sequence[Any]:
    """Return the columns of a webhook as they are stored."""
    secrets = {
        name: cipher.seal_text(getattr(webhook, name), webhook.id.bytes, WEBHOOK_SECRET)
        for name in ("secret", "secret_before")
    }
    return list({**webhook._asdict(), **secrets}.values())


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
    _, _, _, _, secret, secret_before, *_ = _sealed(session.cipher, webhook)
    session.execute(
        "UPDATE webhooks SET url = %s, events = %s, secret = %s, secret_before = %s,"
        " secret_before_until = %s, failing_since = %s, disabled_at = %s WHERE id = %s",
        (
            webhook.url,
            webhook.events,
            secret,
            secret_before,
            webhook.secret_before_until,
            webhook.failing_since,
            webhook.disabled_at,
            webhook.id,
        ),
    )


def get(session: Session, app_id: UUID, webhook_id: UUID, *, lock: bool = False) -> Webhook | None:
    """Find a webhook of an app."""
    row = session.execute(
        f"SELECT {COLUMNS} FROM webhooks WHERE id = %s AND app_id = %s{' FOR NO KEY UPDATE' if lock else ''}",
        (webhook_id, app_id),
    ).fetchone()
    return _opened(session.cipher, row) if row else None


def page(session: Session, app_id: UUID, before: UUID | None, limit: int) -> list[Webhook]:
    """List an app's webhooks, newest first."""
    rows = session.execute(
        f"SELECT {COLUMNS} FROM webhooks WHERE app_id = %s AND (%s::uuid IS NULL OR id < %s)"
        " ORDER BY id DESC LIMIT %s",
        (app_id, before, before, limit),
    )
    return [_opened(session.cipher, row) for row in rows]


def count(session: Session, app_id: UUID) -> int:
    """Count an app's webhooks; another one waits until this transaction has ended."""
    session.execute("SELECT FROM apps WHERE id = %s FOR NO KEY UPDATE", (app_id,))
    row = session.execute("SELECT count(*) FROM webhooks WHERE app_id = %s", (app_id,)).fetchone()
    assert row is not None
    return int(row[0])


def delete(session: Session, app_id: UUID, webhook_id: UUID) -> bool:
    """Delete a webhook with its deliveries; returns whether there was one."""
    cursor = session.execute("DELETE FROM webhooks WHERE id = %s AND app_id = %s", (webhook_id, app_id))
    return cursor.rowcount == 1


def listening(session: Session, app_id: UUID) -> list[tuple[UUID, list[str]]]:
    """List an app's webhooks that are told things: id and events. In a transaction none can be deleted."""
    rows = session.execute(
        "SELECT id, events FROM webhooks WHERE app_id = %s AND disabled_at IS NULL ORDER BY id FOR KEY SHARE",
        (app_id,),
    )
    return [(row[0], row[1]) for row in rows]


def set_health(
    session: Session, webhook_id: UUID, failing_since: datetime | None, disabled_at: datetime | None
) -> None:
    """Keep since when a webhook has been failing, and when that was too long."""
    session.execute(
        "UPDATE webhooks SET failing_since = %s, disabled_at = %s WHERE id = %s",
        (failing_since, disabled_at, webhook_id),
    )


class NewDelivery(NamedTuple):
    """Something to tell; `payload` is JSON."""

    id: UUID
    webhook_id: UUID
    game_id: UUID | None
    event: str
    payload: str


def enqueue(session: Session, rows: Sequence[NewDelivery], at: datetime) -> None:
    """Queue what is to be told, in this order, in this transaction; workers hear of it after the commit."""
    session.execute(
        "INSERT INTO deliveries (id, webhook_id, game_id, event, payload, created_at, next_at)"
        " SELECT n.*, %s, %s FROM unnest(%s::uuid[], %s::uuid[], %s::uuid[], %s::text[], %s::text[]) AS n",
        (at, at, *map(list, zip(*rows, strict=True))),
    )
    session.wake_workers()


DELIVERY = (
    "number, id, webhook_id, game_id, event, payload, created_at, tries, next_at, delivered_at, attempts"
)


class Delivery(NamedTuple):
    """Something to be told or told already; `payload` and `attempts` are JSON."""

    number: int
    id: UUID
    webhook_id: UUID
    game_id: UUID | None
    event: str
    payload: str
    created_at: datetime
    tries: int
    next_at: datetime | None
    delivered_at: datetime | None
    attempts: str


def claim(
    session: Session, now: datetime, lease: datetime, busy: Sequence[UUID]
) -> tuple[Delivery, Webhook] | None:
    """Take the delivery that has been due the longest, until `lease`, leaving `busy` webhooks alone.

    Of one game only the earliest that is still to be told is ever taken: that keeps them in order. Messages
    are in order among themselves only.
    """
    row = session.execute(
        f"UPDATE deliveries d SET next_at = %s FROM webhooks w WHERE w.id = d.webhook_id AND d.id = ("
        " SELECT d.id FROM deliveries d WHERE d.next_at <= %s AND d.webhook_id <> ALL(%s) AND NOT EXISTS ("
        " SELECT FROM deliveries e WHERE e.webhook_id = d.webhook_id AND e.game_id = d.game_id"
        f" AND e.number < d.number AND e.next_at IS NOT NULL AND {SAME_ORDER})"
        " ORDER BY d.next_at, d.number LIMIT 1 FOR UPDATE SKIP LOCKED)"
        f" RETURNING {_of('d', DELIVERY)}, {_of('w', COLUMNS)}",
        (lease, now, list(busy)),
    ).fetchone()
    if row is None:
        return None
    width = len(Delivery._fields)
    return Delivery(*row[:width]), _opened(session.cipher, row[width:])


def _of(table: str, columns: str) -> str:
    return ", ".join(f"{table}.{name}" for name in columns.split(", "))


def get_delivery(
    session: Session, webhook_id: UUID, delivery_id: UUID, *, lock: bool = False
) -> Delivery | None:
    """Find a delivery of a webhook."""
    row = session.execute(
        f"SELECT {DELIVERY} FROM deliveries WHERE id = %s AND webhook_id = %s{' FOR UPDATE' if lock else ''}",
        (delivery_id, webhook_id),
    ).fetchone()
    return Delivery(*row) if row else None


def keep_delivery(session: Session, delivery: Delivery) -> None:
    """Keep how far a delivery has come."""
    session.execute(
        "UPDATE deliveries SET tries = %s, next_at = %s, delivered_at = %s, attempts = %s WHERE id = %s",
        (delivery.tries, delivery.next_at, delivery.delivered_at, delivery.attempts, delivery.id),
    )


def postpone(session: Session, delivery: Delivery, until: datetime) -> None:
    """Let what is queued behind a delivery of its game wait as long as that does."""
    session.execute(
        "UPDATE deliveries e SET next_at = %s FROM deliveries d"
        " WHERE d.id = %s AND e.webhook_id = d.webhook_id AND e.game_id = d.game_id"
        f" AND e.number > d.number AND e.next_at < %s AND {SAME_ORDER}",
        (until, delivery.id, until),
    )


def give_up(session: Session, webhook_id: UUID) -> None:
    """Try nothing more that is queued for a webhook."""
    session.execute(
        "UPDATE deliveries SET next_at = NULL WHERE webhook_id = %s AND next_at IS NOT NULL", (webhook_id,)
    )


def deliveries(session: Session, webhook_id: UUID, before: UUID | None, limit: int) -> list[Delivery]:
    """List a webhook's deliveries, newest first."""
    rows = session.execute(
        f"SELECT {DELIVERY} FROM deliveries WHERE webhook_id = %s AND (%s::uuid IS NULL OR id < %s)"
        " ORDER BY id DESC LIMIT %s",
        (webhook_id, before, before, limit),
    )
    return [Delivery(*row) for row in rows]


def prune(session: Session, made_before: datetime) -> int:
    """Delete old deliveries with which nothing more is to be done; returns how many."""
    return session.execute(
        "DELETE FROM deliveries WHERE next_at IS NULL AND created_at < %s", (made_before,)
    ).rowcount
