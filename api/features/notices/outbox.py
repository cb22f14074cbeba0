"""What is sent to webhooks and players, or was: queued, tried again with growing pauses, kept for a while.

A receiver is a webhook, or a player by mail or push. Each channel claims what is due in its own way: a claim
is a lease, whose end is in `next_at`. Nothing is planned where that is null.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, select

from api.context import Context
from api.core.json import loads, stored
from api.features.notices.tables import outbox
from api.store import removal
from api.store.database.session import Session
from api.store.tables.columns import newest_first

t = outbox.c
WEBHOOK, MAIL, PUSH = "webhook", "mail", "push"
PENDING, DELIVERED, FAILED, HELD = "pending", "delivered", "failed", "held"
# 32 hours altogether; a receiver that works again is noticed within a twelfth of the time it did not, or an
# hour.
PAUSES = [timedelta(seconds=min(5 * 1.08**tries, 3600)) for tries in range(105)]
KEPT_ATTEMPTS = 20


class Outgoing(NamedTuple):
    """A notice for a receiver, sent or waiting.

    One that is `in_order` waits for what came before it to its receiver about its game, and keeps what came
    later waiting. An `urgent` one waits for no visit. One that is `held` was no longer needed. Only tests of
    webhooks and the mail that asks to confirm an address are about no game.
    """

    id: UUID
    app_id: UUID
    channel: str
    receiver_id: UUID
    game_id: UUID | None
    event: str
    payload: dict[str, Any]
    created_at: datetime
    next_at: datetime | None
    in_order: bool = False
    urgent: bool = False
    tries: int = 0
    delivered_at: datetime | None = None
    held: bool = False
    attempts: Sequence[dict[str, Any]] = ()
    number: int = 0

    @property
    def status(self) -> str:
        """Return its status."""
        if self.next_at is not None:
            return PENDING
        return DELIVERED if self.delivered_at else HELD if self.held else FAILED

    @property
    def is_last_try(self) -> bool:
        """Whether it is given up if it fails now."""
        return self.tries >= len(PAUSES)

    def after(self, attempt: dict[str, Any], now: datetime, *, good: bool, final: bool = False) -> Outgoing:
        """Return it after an attempt: delivered, to be tried again, or given up."""
        again = not (good or final or self.is_last_try)
        return self._replace(
            tries=self.tries + 1,
            attempts=[*self.attempts, attempt][-KEPT_ATTEMPTS:],
            next_at=now + PAUSES[self.tries] if again else None,
            # While it is tried again it stays delivered, if it ever was; what failed for good was not.
            delivered_at=now if good else self.delivered_at if again else None,
        )


COLUMNS = tuple(t[name] for name in Outgoing._fields)
NEW = Outgoing._fields[: Outgoing._fields.index("urgent") + 1]
PAYLOAD = NEW.index("payload")
# Handwritten, because it is one statement for any number of rows: SQLAlchemy would compile it for each
# number, which takes 300 µs.
ENQUEUE = f"""
INSERT INTO outbox ({", ".join(NEW)}) SELECT * FROM unnest(%s::uuid[], %s::uuid[], %s::text[], %s::uuid[],
    %s::uuid[], %s::text[], %s::text[], %s::timestamptz[], %s::timestamptz[], %s::boolean[], %s::boolean[])
"""


def enqueue(session: Session, notices: Sequence[Outgoing]) -> None:
    """Queue notices, in this order, in this transaction; workers are woken after the commit."""
    rows = [(*each[:PAYLOAD], stored(each.payload), *each[PAYLOAD + 1 : len(NEW)]) for each in notices]
    session.execute(ENQUEUE, tuple(map(list, zip(*rows, strict=True))))
    session.wake_workers()


def read(rows: Iterable[Sequence[Any]]) -> list[Outgoing]:
    """Return the notices of rows with `COLUMNS`."""
    named = (dict(zip(Outgoing._fields, row, strict=True)) for row in rows)
    return [Outgoing(**{**of, **{name: loads(of[name]) for name in ("payload", "attempts")}}) for of in named]


def get(session: Session, receiver_id: UUID, notice_id: UUID, *, lock: bool = False) -> Outgoing | None:
    """Find a notice of a receiver."""
    statement = select(*COLUMNS).where(t.id == notice_id, t.receiver_id == receiver_id)
    rows = session.execute(statement.with_for_update() if lock else statement)
    return next(iter(read(rows)), None)


def page(
    session: Session, receiver_id: UUID, before: UUID | None, limit: int, *chosen: ColumnElement[bool]
) -> list[Outgoing]:
    """List a receiver's notices, newest first; only the `chosen` ones."""
    whole = select(*COLUMNS).where(t.receiver_id == receiver_id, *chosen)
    return read(session.execute(newest_first(whole, t.id, before, limit)))


COUNT_TRY = "UPDATE outbox SET tries = tries + 1 WHERE id = ANY (%s)"


def count_try(session: Session, notices: Sequence[Outgoing]) -> None:
    """Count an attempt before it is made, so that it counts even if this process dies in it."""
    session.execute(COUNT_TRY, ([each.id for each in notices],))


RECORD = """
UPDATE outbox o SET tries = n.tries, attempts = n.attempts,
    next_at = CASE WHEN o.next_at IS NULL THEN NULL ELSE n.next_at END,
    delivered_at = coalesce(n.delivered_at, CASE WHEN o.next_at IS NULL THEN o.delivered_at END)
FROM unnest(%s::uuid[], %s::timestamptz[], %s::int[], %s::timestamptz[], %s::timestamptz[], %s::text[])
    AS n (id, lease, tries, next_at, delivered_at, attempts)
WHERE o.id = n.id AND (o.next_at = n.lease OR o.next_at IS NULL AND o.delivered_at IS NULL)
RETURNING o.id
"""


def record(session: Session, changed: Sequence[tuple[Outgoing, Outgoing]]) -> set[UUID]:
    """Store the progress of notices that were leased, each as it was claimed and as it is now; return whose.

    Those that another worker has claimed since are not changed, and no others that were delivered. What was
    given up or held meanwhile is not tried again. Whoever calls this has locked the receivers, as all do who
    change several of their notices: so there are no deadlocks.
    """
    rows = [
        (now.id, before.next_at, now.tries, now.next_at, now.delivered_at, stored(now.attempts))
        for before, now in changed
    ]
    return {row[0] for row in session.execute(RECORD, tuple(map(list, zip(*rows, strict=True))))}


def forget(session: Session, receiver_id: UUID) -> None:
    """Delete all that was queued for a receiver."""
    session.execute(outbox.delete().where(t.receiver_id == receiver_id))


def prune(context: Context) -> int:
    """Delete old notices that are done; return how many."""
    made_before = context.now() - timedelta(days=context.settings.delivery_days)
    return removal.prune(
        context.session, outbox, t.created_at, t.next_at.is_(None), t.created_at < made_before
    )
