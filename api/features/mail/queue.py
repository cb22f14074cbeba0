"""Notices for players, by mail or push: all that is due for a player is claimed by one worker."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import select

from api.context import Context
from api.core.shares import Party
from api.features.mail.tables import contacts
from api.features.notices.outbox import COLUMNS, MAIL, Outgoing, read
from api.features.notices.tables import outbox
from api.store.database.session import Session
from api.store.tables.columns import among

t = outbox.c
LEASE = timedelta(seconds=120)  # a mail server has 20 seconds for each step of a conversation


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
        .join_from(outbox, contacts, contacts.c.player_id == t.receiver_id)
        .where(*due, ~among(t.receiver_id, busy), ~among(t.app_id, crowded))
        .order_by(t.next_at)
        .limit(1)
        .with_for_update(of=contacts, skip_locked=True)
    )
    with session.transaction():
        row = session.execute(first).fetchone()
        if row is None:
            return None
        session.execute(outbox.update().where(*due, t.receiver_id == row[0]).values(next_at=now + LEASE))
    return Claim(row[0], now + LEASE, row[1])


def claimed(session: Session, player_id: UUID, channel: str, lease: datetime) -> list[Outgoing]:
    """Return what was claimed until `lease` for a player and not cancelled since then, in order."""
    waiting = (t.receiver_id == player_id, t.channel == channel, t.next_at == lease)
    return read(session.execute(select(*COLUMNS).where(*waiting).order_by(t.number)))


def cancel_others(session: Session, claimed: Sequence[Outgoing], sent: Sequence[Outgoing]) -> None:
    """Cancel those of the claimed notices that are not sent."""
    others = {notice.id for notice in claimed} - {notice.id for notice in sent}
    if others:
        session.execute(outbox.update().where(among(t.id, [*others])).values(next_at=None, held=True))


def cancel(session: Session, player_id: UUID, *, urgent: bool = False) -> None:
    """Cancel the mails that wait to be sent to a player; urgent ones only with `urgent`."""
    waiting = outbox.update().where(t.receiver_id == player_id, t.channel == MAIL, t.next_at.is_not(None))
    if not urgent:
        waiting = waiting.where(~t.urgent)
    session.execute(waiting.values(next_at=None, held=True))
