"""Notices for webhooks: which are due, and how a worker claims and orders them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement

from api.core.shares import Party
from api.features.notices.outbox import COLUMNS, DELIVERED, PENDING, WEBHOOK, Outgoing, read
from api.features.notices.tables import outbox
from api.store.database.session import Session

t = outbox.c
# About one game. Handwritten: with SQLAlchemy it would be longer.
SAME_GAME = """
    {0}.receiver_id = {1}.receiver_id AND {0}.game_id = {1}.game_id AND {0}.in_order AND {1}.in_order
"""
IS_FIRST = f"""
    NOT EXISTS (SELECT FROM outbox e
        WHERE {SAME_GAME.format("e", "o")} AND e.number < o.number AND e.next_at IS NOT NULL)
"""
WAITING = f"FROM outbox o WHERE o.channel = '{WEBHOOK}' AND o.next_at IS NOT NULL"
DUE = f"""
WITH RECURSIVE receivers AS (
    (SELECT o.receiver_id {WAITING} ORDER BY o.receiver_id, o.next_at LIMIT 1)
    UNION ALL
    SELECT (
        SELECT o.receiver_id {WAITING} AND o.receiver_id > r.receiver_id
        ORDER BY o.receiver_id, o.next_at LIMIT 1
    ) FROM receivers r WHERE r.receiver_id IS NOT NULL
)
SELECT due.id, w.id, w.app_id, w.host FROM receivers r JOIN webhooks w ON w.id = r.receiver_id
CROSS JOIN LATERAL (
    SELECT o.id, o.next_at, o.number, row_number() OVER (ORDER BY o.next_at, o.number) AS turn
    {WAITING} AND o.receiver_id = w.id AND o.next_at <= %(now)s AND {IS_FIRST}
    ORDER BY o.next_at, o.number LIMIT %(of_each)s
) AS due
WHERE w.app_id <> ALL (%(apps)s::uuid[]) AND w.host <> ALL (%(hosts)s::text[])
ORDER BY due.turn, due.next_at, due.number LIMIT %(in_all)s
"""
CLAIM = f"""
WITH taken AS (
    SELECT o.* FROM outbox o JOIN webhooks w ON w.id = o.receiver_id
    WHERE o.id = ANY (%(ids)s) AND o.next_at <= %(now)s AND {IS_FIRST}
    FOR UPDATE OF o SKIP LOCKED FOR SHARE OF w SKIP LOCKED
), following AS (
    SELECT later.id FROM taken CROSS JOIN LATERAL (
        SELECT o.id FROM outbox o
        WHERE {SAME_GAME.format("o", "taken")} AND o.number > taken.number AND o.next_at IS NOT NULL
        ORDER BY o.number LIMIT %(behind)s
    ) AS later
)
UPDATE outbox SET next_at = %(lease)s
WHERE id IN (SELECT id FROM taken UNION ALL SELECT id FROM following)
RETURNING {", ".join(f"outbox.{column.name}" for column in COLUMNS)}
"""


class Candidate(NamedTuple):
    """A notice that is due and first in its game, and where it goes."""

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
    """Return notices that are due, a few of each webhook in turn, and none of these apps and hosts."""
    limits = {"now": now, "of_each": of_each, "in_all": in_all, "apps": list(apps), "hosts": list(hosts)}
    return [Candidate(*row) for row in session.execute(DUE, limits)]


def claim(
    session: Session, now: datetime, lease: datetime, ids: Sequence[UUID], behind: int
) -> list[Outgoing]:
    """Claim these notices until `lease`, if they are still due, and those behind them in their games.

    At most `behind` follow each; all are returned in order. Nobody else can claim those that follow, because
    the first one's holder also locks its webhook. They are found first (`due`) and locked afterwards, because
    Citus cannot plan both in one statement.
    """
    values = {"now": now, "lease": lease, "ids": list(ids), "behind": behind}
    return sorted(read(session.execute(CLAIM, values)), key=lambda notice: notice.number)


BEHIND = f"{SAME_GAME.format('before', 'later')} AND later.number > before.number"
POSTPONE = f"""
UPDATE outbox later SET next_at = before.next_at FROM outbox before
WHERE before.id = ANY (%s) AND {BEHIND} AND later.next_at < before.next_at
"""
RELEASE = f"""
UPDATE outbox later SET next_at = before.next_at FROM outbox before
WHERE before.id = %s AND {BEHIND} AND later.next_at > before.next_at
"""


def postpone(session: Session, failed: Sequence[UUID]) -> None:
    """Make what is queued behind these notices wait as long as they do."""
    session.execute(POSTPONE, (list(failed),))


def retry(session: Session, notice: Outgoing) -> None:
    """Store a notice for another try, and make nothing behind it wait longer than it does."""
    again = {name: getattr(notice, name) for name in ("tries", "next_at", "in_order")}
    session.execute(outbox.update().where(t.id == notice.id).values(again))
    session.execute(RELEASE, (notice.id,))
    session.wake_workers()


HURRY = """
UPDATE outbox SET next_at = %(now)s, tries = greatest(tries - 1, 0)
WHERE receiver_id = %(webhook)s AND next_at > %(leased)s AND created_at > %(oldest)s
"""
HURRIED_FOR = timedelta(days=2)  # then a notice keeps its own times, so that all are given up some day


def hurry(session: Session, webhook_id: UUID, now: datetime, leased: datetime) -> None:
    """Make everything that waits for a webhook due, because it works again. This counts as no try.

    What is due before `leased` may be in a worker's hands, or comes soon.
    """
    values = {"now": now, "webhook": webhook_id, "leased": leased, "oldest": now - HURRIED_FOR}
    session.execute(HURRY, values)
    session.wake_workers()


def give_up(session: Session, webhook_id: UUID) -> None:
    """Give up everything that is queued for a webhook; repetitions count as failed, like the rest."""
    queued = (t.receiver_id == webhook_id, t.next_at.is_not(None))
    session.execute(outbox.update().where(*queued).values(next_at=None, delivered_at=None))


class DeliveryFilters(NamedTuple):
    """The filters for deliveries; None: no filter."""

    status: str | None = None
    event: str | None = None

    def conditions(self) -> Sequence[ColumnElement[bool]]:
        """Return the conditions for rows."""
        made = {
            None: [],
            PENDING: [t.next_at.is_not(None)],
            DELIVERED: [t.next_at.is_(None), t.delivered_at.is_not(None)],
        }.get(self.status, [t.next_at.is_(None), t.delivered_at.is_(None)])
        return made if self.event is None else [*made, t.event == self.event]


def delete_words(session: Session, player: str) -> None:
    """Delete notices of entries with a text in which this player is named."""
    named = t.payload.contains('"all":'), t.payload.contains(player)
    session.execute(outbox.delete().where(t.channel == WEBHOOK, *named))
