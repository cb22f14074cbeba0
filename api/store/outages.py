"""Outages: when no web process was up. Web processes keep a row that says when one last was."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from api.store.database.session import Session, scalar

SHORTEST = timedelta(minutes=1)
"""Shorter outages are not noticed."""
MISLED = timedelta(days=1)
"""A heartbeat that is further ahead was written by a clock that was wrong."""


class Outage(NamedTuple):
    """An outage."""

    began_at: datetime
    ended_at: datetime


def beat(session: Session, now: datetime) -> datetime | None:
    """Write that a web process is up; return when the latest outage ended, or None if there was none.

    The first one to do so after an outage writes it down. A clock that is behind the others changes nothing.
    """
    with session.transaction():
        session.execute("INSERT INTO heartbeat (at) VALUES (%s) ON CONFLICT DO NOTHING", (now,))
        ((last,),) = session.execute("SELECT at FROM heartbeat FOR UPDATE").fetchall()
        if now > last or last - now > MISLED:
            session.execute("UPDATE heartbeat SET at = %s", (now,))
        if now - last > SHORTEST:
            record(session, last, now)
        latest: datetime | None = scalar(session, "SELECT max(ended_at) FROM outages")
        return latest


def record(session: Session, began_at: datetime, ended_at: datetime) -> None:
    """Write an outage down."""
    session.execute(
        "INSERT INTO outages (began_at, ended_at) VALUES (%s, %s) ON CONFLICT DO NOTHING",
        (began_at, ended_at),
    )


def last_beat(session: Session) -> datetime | None:
    """Return when a web process was last up, or None if none has ever said so."""
    at: datetime | None = scalar(session, "SELECT at FROM heartbeat")
    return at


def since(session: Session, at: datetime) -> list[Outage]:
    """List the outages that ended after a time, in order."""
    rows = session.execute(
        "SELECT began_at, ended_at FROM outages WHERE ended_at > %s ORDER BY ended_at", (at,)
    )
    return [Outage(*row) for row in rows]


def not_given_back(session: Session) -> datetime | None:
    """Return the end of the latest outage whose time not all games have back; None if there is none."""
    at: datetime | None = scalar(session, "SELECT max(ended_at) FROM outages WHERE NOT settled")
    return at


def mark_given_back(session: Session, ended_at: datetime) -> None:
    """Mark the outages until this one: all games have their time back."""
    session.execute("UPDATE outages SET settled = true WHERE NOT settled AND ended_at <= %s", (ended_at,))


def owed(session: Session, ended_at: datetime, exclude: Sequence[UUID], limit: int) -> list[UUID]:
    """List games with running clocks in which nothing has happened since an outage ended."""
    rows = session.execute(
        """
        SELECT t.game_id FROM turns t JOIN games g ON g.id = t.game_id
        WHERE t.deadline IS NOT NULL AND t.test_clock IS NULL AND g.updated_at < %(ended_at)s
            AND t.game_id <> ALL (%(exclude)s::uuid[])
        UNION
        SELECT id FROM games
        WHERE reveal_by IS NOT NULL AND updated_at < %(ended_at)s AND id <> ALL (%(exclude)s::uuid[])
        LIMIT %(limit)s
        """,
        {"ended_at": ended_at, "exclude": list(exclude), "limit": limit},
    )
    return [row[0] for row in rows]
