"""First answers, kept for requests that come again with the same Idempotency-Key."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from api.store.database.encryption import ANSWER, answer_row
from api.store.database.session import Session


class Answer(NamedTuple):
    """An answer as it is stored; `headers` is JSON."""

    status: int
    headers: str
    body: bytes


class Kept(NamedTuple):
    """An answer with the fingerprint of its request; one that is not `final` may still be replaced."""

    fingerprint: bytes
    final: bool
    answer: Answer


def claim(
    session: Session, owner: UUID, key: str, fingerprint: bytes, at: datetime, expired: datetime
) -> Kept | None:
    """Claim a key in this transaction and return None, or return the answer that is kept under it.

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
        "SELECT fingerprint, final, status, headers, body FROM idempotency WHERE owner = %s AND key = %s",
        (owner, key),
    ).fetchone()
    assert row is not None
    return Kept(bytes(row[0]), row[1], _opened(session, owner, key, row[2:]))


def keep(session: Session, owner: UUID, key: str, answer: Answer, final: bool) -> None:
    """Keep the answer under the key claimed in this transaction."""
    session.execute(
        "UPDATE idempotency SET status = %s, headers = %s, body = %s, final = %s"
        " WHERE owner = %s AND key = %s",
        (*_sealed(session, owner, key, answer), final, owner, key),
    )


def replace(session: Session, owner: UUID, key: str, answer: Answer) -> Answer:
    """Keep this answer instead, unless the kept one is final; return the one that is final now."""
    replaced = session.execute(
        "UPDATE idempotency SET status = %s, headers = %s, body = %s, final = true"
        " WHERE owner = %s AND key = %s AND NOT final",
        (*_sealed(session, owner, key, answer), owner, key),
    ).rowcount
    return answer if replaced else finalise(session, owner, key)


def finalise(session: Session, owner: UUID, key: str) -> Answer:
    """Let the kept answer be final, and return it."""
    row = session.execute(
        "UPDATE idempotency SET final = true WHERE owner = %s AND key = %s RETURNING status, headers, body",
        (owner, key),
    ).fetchone()
    assert row is not None
    return _opened(session, owner, key, row)


def _sealed(session: Session, owner: UUID, key: str, answer: Answer) -> Answer:
    """Return an answer as it is stored: it may show a hand, or a secret that is shown once."""
    body = session.cipher.seal(answer.body, answer_row(owner.bytes, key), ANSWER)
    return answer._replace(body=body)


def _opened(session: Session, owner: UUID, key: str, row: Sequence[Any]) -> Answer:
    """Return an answer out of the columns that are stored. Raises Undecipherable."""
    status, headers, body = row
    return Answer(status, headers, session.cipher.open(body, answer_row(owner.bytes, key), ANSWER))


def prune(session: Session, expired: datetime) -> int:
    """Delete the answers from before `expired`; returns how many."""
    return session.execute("DELETE FROM idempotency WHERE created_at < %s", (expired,)).rowcount
