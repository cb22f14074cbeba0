"""First answers, kept for requests that come again with the same Idempotency-Key."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from api.store.db import Session


class Answer(NamedTuple):
    """A stored answer; `headers` is JSON; `fingerprint` tells which request it answers."""

    fingerprint: bytes
    status: int
    headers: str
    body: bytes


def claim(
    session: Session, owner: UUID, key: str, fingerprint: bytes, at: datetime, expired: datetime
) -> Answer | None:
    """Claim a key in this transaction (None), or give the answer that it got before.

    Whoever comes with the same key meanwhile waits here until this transaction ends. Answers from
    before `expired` count no more.
    """
    claimed = session.execute(
        "INSERT INTO idempotency AS i (owner, key, fingerprint, created_at) VALUES (%s, %s, %s, %s)"
        " ON CONFLICT (owner, key) DO UPDATE SET fingerprint = excluded.fingerprint,"
        " created_at = excluded.created_at WHERE i.created_at < %s RETURNING true",
        (owner, key, fingerprint, at, expired),
    ).fetchone()
    if claimed:
        return None
    row = session.execute(
        "SELECT fingerprint, status, headers, body FROM idempotency WHERE owner = %s AND key = %s",
        (owner, key),
    ).fetchone()
    assert row is not None
    return Answer(*row)


def keep(session: Session, owner: UUID, key: str, status: int, headers: str, body: bytes) -> None:
    """Keep the answer under the key claimed in this transaction."""
    session.execute(
        "UPDATE idempotency SET status = %s, headers = %s, body = %s WHERE owner = %s AND key = %s",
        (status, headers, body, owner, key),
    )


def prune(session: Session, expired: datetime) -> int:
    """Delete the answers from before `expired`; returns how many."""
    return session.execute("DELETE FROM idempotency WHERE created_at < %s", (expired,)).rowcount
