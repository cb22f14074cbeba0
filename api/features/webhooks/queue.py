"""Deliveries to webhooks: queue, claim, update and list them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, and_, or_, select

from api.core.shares import Party
from api.features.webhooks.tables import deliveries
from api.store import removal
from api.store.database.session import Session
from api.store.tables.columns import newest_first

PENDING, DELIVERED, FAILED = "pending", "delivered", "failed"
STATUSES = (PENDING, DELIVERED, FAILED)


class NewDelivery(NamedTuple):
    """A delivery to queue; it is due at once unless the webhook is disabled. `payload` is JSON."""

    id: UUID
    webhook_id: UUID
    game_id: UUID | None
    event: str
    payload: str
    due_now: bool = True


def enqueue(session: Session, rows: Sequence[NewDelivery], at: datetime) -> None:
    """Queue deliveries, in this order, in this transaction; workers are woken after the commit.

    Handwritten SQL, because it is one statement for any number of rows: SQLAlchemy would compile it for each
    number, which takes 300 µs.
    """
    session.execute(
        "INSERT INTO deliveries"
        " (id, webhook_id, game_id, event, payload, created_at, next_at)"
        " SELECT id, webhook, game, event, payload, %s,"
        " CASE WHEN due_now THEN %s::timestamptz END"
        " FROM unnest(%s::uuid[], %s::uuid[], %s::uuid[], %s::text[], %s::text[],"
        " %s::boolean[]) AS n (id, webhook, game, event, payload, due_now)",
        (at, at, *map(list, zip(*rows, strict=True))),
    )
    session.wake_workers()


class Delivery(NamedTuple):
    """A delivery, sent or waiting; `payload` and `attempts` are JSON."""

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
    in_order: bool
    """It waits for what came before it in its game, and keeps what came later waiting."""

    @property
    def status(self) -> str:
        """Return its status."""
        if self.next_at is not None:
            return PENDING
        return DELIVERED if self.delivered_at is not None else FAILED


DELIVERY = tuple(deliveries.c[name] for name in Delivery._fields)


# Of one game. Handwritten: with SQLAlchemy it would be longer.
SAME_GAME = """
    {0}.webhook_id = {1}.webhook_id AND {0}.game_id = {1}.game_id AND {0}.in_order AND {1}.in_order
"""
IS_FIRST = f"""
    NOT EXISTS (SELECT FROM deliveries e
        WHERE {SAME_GAME.format("e", "d")} AND e.number < d.number AND e.next_at IS NOT NULL)
"""
DUE = f"""
WITH RECURSIVE receivers AS (
    (SELECT webhook_id FROM deliveries WHERE next_at IS NOT NULL ORDER BY webhook_id, next_at LIMIT 1)
    UNION ALL
    SELECT (
        SELECT d.webhook_id FROM deliveries d
        WHERE d.next_at IS NOT NULL AND d.webhook_id > r.webhook_id ORDER BY d.webhook_id, d.next_at LIMIT 1
    ) FROM receivers r WHERE r.webhook_id IS NOT NULL
)
SELECT due.id, w.id, w.app_id, w.host FROM receivers r JOIN webhooks w ON w.id = r.webhook_id
CROSS JOIN LATERAL (
    SELECT d.id, d.next_at, d.number, row_number() OVER (ORDER BY d.next_at, d.number) AS turn
    FROM deliveries d WHERE d.webhook_id = w.id AND d.next_at <= %(now)s AND {IS_FIRST}
    ORDER BY d.next_at, d.number LIMIT %(of_each)s
) AS due
WHERE w.app_id <> ALL (%(apps)s::uuid[]) AND w.host <> ALL (%(hosts)s::text[])
ORDER BY due.turn, due.next_at, due.number LIMIT %(in_all)s
"""
CLAIM = f"""
WITH taken AS (
    SELECT d.* FROM deliveries d JOIN webhooks w ON w.id = d.webhook_id
    WHERE d.id = ANY (%(ids)s) AND d.next_at <= %(now)s AND {IS_FIRST}
    FOR UPDATE OF d SKIP LOCKED FOR SHARE OF w SKIP LOCKED
), following AS (
    SELECT later.id FROM taken CROSS JOIN LATERAL (
        SELECT d.id FROM deliveries d
        WHERE {SAME_GAME.format("d", "taken")} AND d.number > taken.number AND d.next_at IS NOT NULL
        ORDER BY d.number LIMIT %(behind)s
    ) AS later
)
UPDATE deliveries SET next_at = %(lease)s
WHERE id IN (SELECT id FROM taken UNION ALL SELECT id FROM following)
RETURNING {{columns}}
"""


class Candidate(NamedTuple):
    """A delivery that is due and first in its game, and where it goes."""

    id: UUID
    webhook_id: UUID
    app_id: UUID
    host: str

    @property
    def parties(self) -> Sequence[Party]:
        """Return the app with its webhook, and the host."""
        return (self.app_id, self.webhook_id), (self.host,)


def due(
    session: Session, now: datetime, of_each: int, in_all: int, apps: Sequence[Any], hosts: Sequence[Any]
) -> list[Candidate]:
    """Return deliveries that are due, a few of each webhook in turn, and none of these apps and hosts."""
    limits = {"now": now, "of_each": of_each, "in_all": in_all, "apps": list(apps), "hosts": list(hosts)}
    return [Candidate(*row) for row in session.execute(DUE, limits)]


def claim(
    session: Session, now: datetime, lease: datetime, ids: Sequence[UUID], behind: int
) -> list[Delivery]:
    """Claim these deliveries until `lease`, if they are still due, and those behind them in their games.

    At most `behind` follow each. Nobody else can claim those that follow, because the first one's holder also
    locks its webhook. They are found first (`due`) and locked afterwards, because Citus cannot plan both in
    one statement.
    """
    values = {"now": now, "lease": lease, "ids": list(ids), "behind": behind}
    columns = ", ".join(f"deliveries.{name}" for name in Delivery._fields)
    rows = session.execute(CLAIM.format(columns=columns), values)
    return sorted(Delivery(*row) for row in rows)


def get_delivery(
    session: Session, webhook_id: UUID, delivery_id: UUID, *, lock: bool = False
) -> Delivery | None:
    """Find a delivery of a webhook."""
    statement = select(*DELIVERY).where(deliveries.c.id == delivery_id, deliveries.c.webhook_id == webhook_id)
    row = session.execute(statement.with_for_update() if lock else statement).fetchone()
    return Delivery(*row) if row else None


class Noted(NamedTuple):
    """The progress of a leased delivery; `lease` is the end of the lease."""

    id: UUID
    lease: datetime
    tries: int
    next_at: datetime | None
    delivered_at: datetime | None
    attempts: str


NOTE = """
UPDATE deliveries d SET tries = n.tries, attempts = n.attempts,
    next_at = CASE WHEN d.next_at IS NULL THEN NULL ELSE n.next_at END,
    delivered_at = coalesce(n.delivered_at, CASE WHEN d.next_at IS NULL THEN d.delivered_at END)
FROM unnest(%s::uuid[], %s::timestamptz[], %s::int[], %s::timestamptz[], %s::timestamptz[], %s::text[])
    AS n (id, lease, tries, next_at, delivered_at, attempts)
WHERE d.id = n.id AND (d.next_at = n.lease OR d.next_at IS NULL AND d.delivered_at IS NULL)
"""


def note(session: Session, rows: Sequence[Noted]) -> None:
    """Store the progress of deliveries, except those that another worker has claimed since.

    Deliveries that were given up or delivered in the meantime are not changed. Handwritten, like
    `enqueue`.
    """
    session.execute(NOTE, tuple(map(list, zip(*rows, strict=True))))


BEHIND = f"{SAME_GAME.format('before', 'later')} AND later.number > before.number"
POSTPONE = f"""
UPDATE deliveries later SET next_at = before.next_at FROM deliveries before
WHERE before.id = ANY (%s) AND {BEHIND} AND later.next_at < before.next_at
"""
RELEASE = f"""
UPDATE deliveries later SET next_at = %(at)s FROM deliveries before
WHERE before.id = %(id)s AND {BEHIND} AND later.next_at > %(at)s
"""


def postpone(session: Session, failed: Sequence[UUID]) -> None:
    """Make what is queued behind these deliveries wait as long as they do."""
    session.execute(POSTPONE, (list(failed),))


def retry(session: Session, delivery: Delivery) -> None:
    """Store a delivery for another try, and make nothing behind it wait longer than it does."""
    values = {name: getattr(delivery, name) for name in ("tries", "next_at", "in_order")}
    session.execute(deliveries.update().where(deliveries.c.id == delivery.id).values(values))
    session.execute(RELEASE, {"id": delivery.id, "at": delivery.next_at})
    session.wake_workers()


HURRY = """
UPDATE deliveries SET next_at = %(now)s, tries = greatest(tries - 1, 0)
WHERE webhook_id = %(webhook)s AND next_at > %(leased)s AND created_at > %(oldest)s
"""
HURRIED_FOR = timedelta(days=2)  # then a delivery keeps its own times, so that all are given up some day


def hurry(session: Session, webhook_id: UUID, now: datetime, leased: datetime) -> None:
    """Make everything that waits for a webhook due, because it works again. This counts as no try.

    What is due before `leased` may be in a worker's hands, or comes soon.
    """
    values = {"now": now, "webhook": webhook_id, "leased": leased, "oldest": now - HURRIED_FOR}
    session.execute(HURRY, values)
    session.wake_workers()


def _not_made() -> tuple[ColumnElement[bool], ...]:
    return deliveries.c.next_at.is_(None), deliveries.c.delivered_at.is_(None)


def retry_missed(
    session: Session, webhook_id: UUID, since: datetime | None, at: datetime, leased: datetime
) -> int:
    """Queue again, in order, what was created since a time and not delivered; return how many.

    What waits for its next attempt after `leased` is due at once, too.
    """
    t = deliveries.c
    missed = [t.webhook_id == webhook_id, or_(and_(*_not_made()), t.next_at > leased)]
    if since is not None:
        missed.append(t.created_at >= since)
    queued = session.execute(deliveries.update().where(*missed).values(next_at=at, tries=0)).rowcount
    session.wake_workers()
    return queued


def give_up(session: Session, webhook_id: UUID) -> None:
    """Give up everything that is queued for a webhook; repetitions count as missed, like the rest."""
    queued = (deliveries.c.webhook_id == webhook_id, deliveries.c.next_at.is_not(None))
    session.execute(deliveries.update().where(*queued).values(next_at=None, delivered_at=None))


class DeliveryFilters(NamedTuple):
    """The filters for deliveries; None: no filter."""

    status: str | None = None
    event: str | None = None


def _with_status(status: str) -> Sequence[ColumnElement[bool]]:
    t = deliveries.c
    if status == PENDING:
        return [t.next_at.is_not(None)]
    if status == DELIVERED:
        return [t.next_at.is_(None), t.delivered_at.is_not(None)]
    return _not_made()


def page_of_deliveries(
    session: Session, webhook_id: UUID, chosen: DeliveryFilters, before: UUID | None, limit: int
) -> list[Delivery]:
    """List a webhook's deliveries, newest first."""
    whole = select(*DELIVERY).where(deliveries.c.webhook_id == webhook_id)
    if chosen.status is not None:
        whole = whole.where(*_with_status(chosen.status))
    if chosen.event is not None:
        whole = whole.where(deliveries.c.event == chosen.event)
    return [Delivery(*row) for row in session.execute(newest_first(whole, deliveries.c.id, before, limit))]


def delete_words(session: Session, player: str) -> None:
    """Delete deliveries of entries with a text in which this player is named."""
    t = deliveries.c
    session.execute(deliveries.delete().where(t.payload.contains('"all":'), t.payload.contains(player)))


def prune(session: Session, made_before: datetime) -> int:
    """Delete old deliveries that are done; return how many."""
    t = deliveries.c
    return removal.prune(session, deliveries, t.created_at, t.next_at.is_(None), t.created_at < made_before)
