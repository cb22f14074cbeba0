"""The keys that sign receipts; only the owner creates and retires them (`api.run.log_keys`)."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import select

from api.store.database.encryption import LOG_KEY
from api.store.database.session import Session
from api.store.tables.audit import log_keys


class LogKey(NamedTuple):
    """A server's public key, and the time during which it signs receipts (end None: still in use).

    `restored`: it was retired because a backup was restored.
    """

    public_key: bytes
    name: str
    valid_from: datetime
    valid_until: datetime | None
    restored: bool
    endorsement: str | None


def listing(session: Session) -> list[LogKey]:
    """List all keys, including retired ones, newest first."""
    t = log_keys.c
    statement = select(*(t[name] for name in LogKey._fields))
    rows = session.execute(statement.order_by(t.valid_until.is_(None).desc(), t.valid_until.desc()))
    return [LogKey(bytes(public), *more) for public, *more in rows]


def current(session: Session) -> tuple[str, bytes, bytes] | None:
    """Return the current key: name, public and private part; None before there is one.

    Raises Undecipherable.
    """
    t = log_keys.c
    statement = select(t.name, t.public_key, t.private_key).where(t.valid_until.is_(None))
    row = session.execute(statement).fetchone()
    if row is None:
        return None
    name, public, private = row[0], bytes(row[1]), bytes(row[2])
    return name, public, session.cipher.open(private, public, LOG_KEY)
