"""How much of an allowance is used: one row for each hash of who or what it is for."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import insert

from api.features.mail.tables import allowances
from api.store.database.session import Session, scalar

t = allowances.c


def take(session: Session, bucket: bytes, now: datetime, each: timedelta, whole: timedelta) -> bool:
    """Use `each` of an allowance that is restored in `whole`; return False if too little of it is left.

    `used_until` is when all of it will be restored. Requests at the same time wait for each other.
    """
    first = insert(allowances).values(bucket=bucket, used_until=now + each)
    until = func.greatest(t.used_until, now) + each
    again = first.on_conflict_do_update(
        index_elements=[t.bucket], set_={"used_until": until}, where=until <= now + whole
    )
    return session.execute(again.returning(t.bucket)).fetchone() is not None


def used_until(session: Session, bucket: bytes) -> datetime | None:
    """Return when all of an allowance is restored; None if nothing was used."""
    until: datetime | None = scalar(session, select(t.used_until).where(t.bucket == bucket))
    return until


def prune(session: Session, now: datetime) -> int:
    """Delete what is restored; return how many rows."""
    return session.execute(allowances.delete().where(t.used_until < now)).rowcount
