"""Notices for players, by mail or push: queued, claimed by one worker, and kept for a while."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import select

from api.context import Context
from api.core.json import loads, stored
from api.core.shares import Party
from api.features.mail.tables import contacts, notices
from api.store import removal
from api.store.database.session import Session
from api.store.tables.columns import among, newest_first

t = notices.c
MAIL, PUSH = "mail", "push"
WAITING = t.next_at.is_not(None)


class PlayerNotice(NamedTuple):
    """A notice for a player, sent or waiting.

    An `urgent` one waits for no visit. Only that which asks to confirm an address is about no game.
    """

    id: UUID
    app_id: UUID
    player_id: UUID
    game_id: UUID | None
    channel: str
    event: str
    payload: dict[str, Any]
    urgent: bool
    created_at: datetime
    next_at: datetime | None
    tries: int = 0
    delivered_at: datetime | None = None
    held: bool = False
    attempts: Sequence[dict[str, Any]] = ()


COLUMNS = tuple(t[name] for name in PlayerNotice._fields)
JSON = ("payload", "attempts")
LEASE = timedelta(seconds=120)  # a mail server has 20 seconds for each step of a conversation


def enqueue(session: Session, rows: Sequence[PlayerNotice]) -> None:
    """Queue notices, in this order, in this transaction; workers are woken after the commit."""
    session.execute(notices.insert().values([_written(row._asdict()) for row in rows]))
    session.wake_workers()


def _written(columns: dict[str, Any]) -> dict[str, Any]:
    """Return columns as they are stored."""
    return {name: stored(value) if name in JSON else value for name, value in columns.items()}


def _read(rows: Iterable[Sequence[Any]]) -> list[PlayerNotice]:
    named = [zip(PlayerNotice._fields, row, strict=True) for row in rows]
    return [PlayerNotice(**{name: loads(x) if name in JSON else x for name, x in row}) for row in named]


class Claim(NamedTuple):
    """What is claimed for a player, until when."""

    player_id: UUID
    lease: datetime
    app_id: UUID

    @property
    def parties(self) -> Sequence[Party]:
        """Return the app, whose players get one thing after another."""
        return ((self.app_id,),)


def claim(
    context: Context, channel: str, busy: Sequence[UUID] = (), crowded: Sequence[Hashable] = ()
) -> Claim | None:
    """Claim all that is due for the player who has waited longest; return None if nothing is due.

    The players who are `busy` are left out, those of `crowded` apps, and those whose contact another worker
    has locked.
    """
    now, session = context.now(), context.session
    due = (t.channel == channel, t.next_at <= now)
    first = (
        select(contacts.c.player_id, contacts.c.app_id)
        .join_from(notices, contacts, contacts.c.player_id == t.player_id)
        .where(*due, ~among(t.player_id, busy), ~among(t.app_id, crowded))
        .order_by(t.next_at)
        .limit(1)
        .with_for_update(of=contacts, skip_locked=True)
    )
    with session.transaction():
        row = session.execute(first).fetchone()
        if row is None:
            return None
        session.execute(notices.update().where(*due, t.player_id == row[0]).values(next_at=now + LEASE))
    return Claim(row[0], now + LEASE, row[1])


def claimed(session: Session, player_id: UUID, channel: str, lease: datetime) -> list[PlayerNotice]:
    """Return what was claimed until `lease` for a player and not cancelled since then, in order.

    What is `held` was cancelled during an earlier attempt.
    """
    waiting = (t.player_id == player_id, t.channel == channel, t.next_at == lease)
    return _read(session.execute(select(*COLUMNS).where(*waiting).order_by(t.number)))


def keep(session: Session, ids: Sequence[UUID], **changes: Any) -> None:
    """Store the progress of these notices."""
    session.execute(notices.update().where(t.id.in_(ids)).values(_written(changes)))


def hold_others(session: Session, claimed: Sequence[PlayerNotice], sent: Sequence[PlayerNotice]) -> None:
    """Cancel those of the claimed notices that are not sent."""
    needed = {notice.id for notice in sent}
    others = [notice.id for notice in claimed if notice.id not in needed]
    if others:
        keep(session, others, next_at=None, held=True)


def page(session: Session, player_id: UUID, before: UUID | None, limit: int) -> list[PlayerNotice]:
    """List the notices that a player was or will be sent, newest first."""
    whole = select(*COLUMNS).where(t.player_id == player_id)
    return _read(session.execute(newest_first(whole, t.id, before, limit)))


def hold(session: Session, player_id: UUID, *, urgent: bool = False) -> None:
    """Cancel the mails that wait to be sent to a player; urgent ones only with `urgent`."""
    waiting = notices.update().where(t.player_id == player_id, t.channel == MAIL, WAITING)
    if not urgent:
        waiting = waiting.where(~t.urgent)
    session.execute(waiting.values(next_at=None, held=True))


def prune(context: Context) -> int:
    """Delete old notices that are done; return how many."""
    made_before = context.now() - timedelta(days=context.settings.delivery_days)
    return removal.prune(context.session, notices, t.created_at, ~WAITING, t.created_at < made_before)
