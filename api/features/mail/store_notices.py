"""Notices for players, by mail or push: queued, claimed by one worker, and kept for a while."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import select

from api.features.mail import store_contacts as people
from api.features.mail.tables import notices
from api.store import removal
from api.store.database.session import Session
from api.store.tables import games as tables
from api.store.tables.accounts import contacts
from api.store.tables.columns import among, newest_first

t = notices.c
MAIL, PUSH = "mail", "push"
WAITING = t.next_at.is_not(None)


class NewNotice(NamedTuple):
    """A notice to send to a player; `payload` is JSON. An `urgent` one waits for no visit or digest."""

    id: UUID
    app_id: UUID
    player_id: UUID
    game_id: UUID | None
    channel: str
    event: str
    payload: str
    urgent: bool
    next_at: datetime


class QueuedNotice(NamedTuple):
    """A notice for a player, sent or waiting; `payload` and `attempts` are JSON."""

    id: UUID
    player_id: UUID
    game_id: UUID | None
    channel: str
    event: str
    payload: str
    urgent: bool
    created_at: datetime
    tries: int
    next_at: datetime | None
    delivered_at: datetime | None
    held: bool
    attempts: str


COLUMNS = tuple(t[name] for name in QueuedNotice._fields)


def enqueue(session: Session, rows: Sequence[NewNotice], at: datetime) -> None:
    """Queue notices, in this order, in this transaction; workers are woken after the commit."""
    session.execute(notices.insert().values([{**row._asdict(), "created_at": at} for row in rows]))
    session.wake_workers()


def claim(
    session: Session, channel: str, now: datetime, lease: datetime, busy: Collection[UUID] = ()
) -> UUID | None:
    """Claim until `lease` all that is due for the player who has waited longest; in a transaction.

    Return the player, or None if nothing is due. The players who are `busy` are left out, and so are those
    whose contact another worker has locked.
    """
    due = (t.channel == channel, t.next_at <= now)
    first = (
        select(contacts.c.player_id)
        .join_from(notices, contacts, contacts.c.player_id == t.player_id)
        .where(*due, ~among(t.player_id, list(busy)))
        .order_by(t.next_at)
        .limit(1)
        .with_for_update(of=contacts, skip_locked=True)
    )
    row = session.execute(first).fetchone()
    if row is None:
        return None
    session.execute(notices.update().where(*due, t.player_id == row[0]).values(next_at=lease))
    player_id: UUID = row[0]
    return player_id


def claimed(session: Session, player_id: UUID, channel: str, lease: datetime) -> list[QueuedNotice]:
    """Return what was claimed until `lease` for a player and not cancelled since then, in order.

    What is `held` was cancelled during an earlier attempt.
    """
    waiting = (t.player_id == player_id, t.channel == channel, t.next_at == lease)
    rows = session.execute(select(*COLUMNS).where(*waiting).order_by(t.number))
    return [QueuedNotice(*row) for row in rows]


def keep(session: Session, ids: Sequence[UUID], **changes: Any) -> None:
    """Store the progress of these notices."""
    session.execute(notices.update().where(t.id.in_(ids)).values(**changes))


def note_try(session: Session, ids: Sequence[UUID]) -> None:
    """Store that these notices are being sent, so that they count as tried even if the worker dies."""
    session.execute(notices.update().where(t.id.in_(ids)).values(tries=t.tries + 1))


def get(session: Session, player_id: UUID, notice_id: UUID) -> QueuedNotice | None:
    """Find and lock a notice of a player."""
    statement = select(*COLUMNS).where(t.id == notice_id, t.player_id == player_id).with_for_update()
    row = session.execute(statement).fetchone()
    return QueuedNotice(*row) if row else None


def page(session: Session, player_id: UUID, before: UUID | None, limit: int) -> list[QueuedNotice]:
    """List the notices that a player was or will be sent, newest first."""
    whole = select(*COLUMNS).where(t.player_id == player_id)
    return [QueuedNotice(*row) for row in session.execute(newest_first(whole, t.id, before, limit))]


def hold(session: Session, player_id: UUID, channel: str, *, urgent: bool = False) -> None:
    """Cancel what is waiting to be sent to a player; urgent notices only with `urgent`."""
    waiting = notices.update().where(t.player_id == player_id, t.channel == channel, WAITING)
    if not urgent:
        waiting = waiting.where(~t.urgent)
    session.execute(waiting.values(next_at=None, held=True))


def reschedule(session: Session, player_id: UUID, channel: str, at: datetime) -> None:
    """Set a new time for what waits for a digest or a visit."""
    waiting = (t.player_id == player_id, t.channel == channel, WAITING, ~t.urgent, t.tries == 0)
    session.execute(notices.update().where(*waiting).values(next_at=at))


def note_visit(session: Session, player_id: UUID) -> None:
    """Cancel the mails for a player who has visited."""
    if people.note_visit(session, player_id):
        hold(session, player_id, MAIL)


class MailedTurn(NamedTuple):
    """A seat's turn: whose it is, when it began, its deadline, and when a warning is due (None: never)."""

    player_id: UUID | None
    since: datetime
    deadline: datetime | None
    warn_at: datetime | None


class MailedTable(NamedTuple):
    """What notices say of a game, as it is now; `result`, `pace`, `seats` and `sitting` are JSON."""

    id: UUID
    ruleset: str
    title: str | None
    status: str
    result: str | None
    seats: str
    sitting: str
    pace: str | None
    turns: Mapping[int, MailedTurn]


def tables_of(session: Session, game_ids: Collection[UUID]) -> dict[UUID, MailedTable]:
    """Return what notices say of these games, by id."""
    ids = list(game_ids)
    g, s = tables.games.c, tables.turns.c
    turns: dict[UUID, dict[int, MailedTurn]] = {}
    columns = (s.game_id, s.seat, s.player_id, s.since, s.deadline, s.warn_at)
    for game_id, seat, *turn in session.execute(select(*columns).where(among(s.game_id, ids))):
        turns.setdefault(game_id, {})[seat] = MailedTurn(*turn)
    shown = (g.id, g.ruleset, g.title, g.status, g.result, g.seats, g.sitting, g.pace)
    rows = session.execute(select(*shown).where(among(g.id, ids)))
    members: list[list[Any]] = [[*row, turns.get(row[0], {})] for row in rows]
    return {row[0]: MailedTable(*row) for row in members}


def entries_since(session: Session, game_id: UUID, seq: int, limit: int) -> list[str]:
    """Return the public forms of a game's entries after this one, oldest first."""
    e = tables.entries.c
    later = select(e.public).where(e.game_id == game_id, e.seq > seq).order_by(e.seq).limit(limit)
    return [row[0] for row in session.execute(later)]


def delete_all(session: Session, player_id: UUID) -> None:
    """Delete the notices of a player."""
    session.execute(notices.delete().where(t.player_id == player_id))


def prune(session: Session, made_before: datetime) -> int:
    """Delete old notices that are done; return how many."""
    return removal.prune(session, notices, t.created_at, ~WAITING, t.created_at < made_before)
