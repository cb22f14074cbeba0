"""What the database knows that operators watch: processes that are up, work that is due, the last backup."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from api.store.database.session import Session

WATCHED = """
    SELECT (SELECT count(*) FROM processes WHERE kind = 'worker' AND seen_at > now() - interval '15 seconds'),
        (SELECT count(*) FROM processes WHERE kind = 'web' AND seen_at > now() - interval '15 seconds'),
        (SELECT extract(epoch FROM now() - max(started_at)) FROM processes),
        extract(epoch FROM now() - pg_postmaster_start_time()),
        (SELECT extract(epoch FROM now() - max(seen_at)) FROM processes WHERE kind = 'worker'),
        (SELECT extract(epoch FROM now() - max(written_at)) FROM backups WHERE kind = 'backup'),
        (SELECT extract(epoch FROM now() - max(written_at)) FROM backups WHERE kind = 'restore'),
        (SELECT count(*) FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
            WHERE i.inhparent = to_regclass('public.entries')
            AND c.relname > 'entries_' || to_char(now() AT TIME ZONE 'UTC', 'YYYY_MM') COLLATE "C"
            AND c.relname <> 'entries_rest')
"""
DUE = "SELECT work, waiting, extract(epoch FROM greatest(now() - since, interval '0')) FROM work_due()"


class Watched(NamedTuple):
    """How many workers and web processes are up, and for how many seconds what has been the case.

    None: never, or not known.
    """

    workers: int
    web: int
    youngest: float | None
    """Since the last start of a process."""
    database: float
    """Since the start of the database."""
    unseen: float | None
    """Since a worker was seen."""
    backup_age: float | None
    restore_age: float | None
    """Since restoring a backup was tried with success."""
    months_ahead: int
    """Partitions of the log for months to come."""


class DueCount(NamedTuple):
    """How much work of a kind is due, and for how many seconds the oldest has been (None: not known)."""

    work: str
    waiting: int
    oldest: float | None


def watched(session: Session) -> Watched:
    """Return what is known of workers, backups and partitions."""
    row = session.execute(WATCHED).fetchone()
    assert row is not None
    workers, web, youngest, database, unseen, backup_age, restore_age, ahead = row

    def seconds(value: Decimal | None) -> float | None:
        return None if value is None else float(value)

    return Watched(
        workers,
        web,
        seconds(youngest),
        float(database),
        seconds(unseen),
        seconds(backup_age),
        seconds(restore_age),
        ahead,
    )


def due(session: Session) -> list[DueCount]:
    """Return what is due of each kind of work, of all apps."""
    return [
        DueCount(work, waiting, None if oldest is None else float(oldest))
        for work, waiting, oldest in session.execute(DUE)
    ]
