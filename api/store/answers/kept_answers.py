"""First answers, kept for requests that come again with the same Idempotency-Key."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import bindparam, select, true
from sqlalchemy.dialects.postgresql import insert

from api.store import pruning
from api.store.database.encryption import ANSWER, Cipher, answer_row
from api.store.database.session import Session
from api.store.tables.outbox import idempotency


class Answer(NamedTuple):
    """An answer as it is stored; `headers` is JSON."""

    status: int
    headers: str
    body: bytes


class NewAnswer(NamedTuple):
    """An answer to be kept together with what it answers, under a key that nobody has used."""

    owner: UUID
    key: str
    fingerprint: bytes
    at: datetime
    answer: Answer
    final: bool

    def columns(self, cipher: Cipher) -> tuple[Any, ...]:
        """Return the columns that are stored, the answer sealed."""
        status, headers, body = self.answer
        sealed = _sealed(cipher, self.owner, self.key, body)
        return (self.owner, self.key, self.fingerprint, self.at, status, headers, sealed, self.final)


def _sealed(cipher: Cipher, owner: UUID, key: str, body: bytes) -> bytes:
    """Return a body as it is stored; where it is read again from the log there is nothing to seal."""
    return body and cipher.seal(body, answer_row(owner.bytes, key), ANSWER)


class Kept(NamedTuple):
    """An answer with the fingerprint of its request; one that is not `final` may still be replaced."""

    fingerprint: bytes
    final: bool
    answer: Answer


t = idempotency.c
OF_KEY = (t.owner == bindparam("of"), t.key == bindparam("named"))
NEW = insert(idempotency).values(
    owner=bindparam("of"),
    key=bindparam("named"),
    fingerprint=bindparam("of_request"),
    created_at=bindparam("at"),
)
CLAIM = NEW.on_conflict_do_update(
    index_elements=[t.owner, t.key],
    set_={"fingerprint": NEW.excluded.fingerprint, "created_at": NEW.excluded.created_at},
    where=t.created_at < bindparam("expired"),
).returning(true())
KEPT = select(t.fingerprint, t.final, t.status, t.headers, t.body).where(*OF_KEY)
KEEP = (
    idempotency.update()
    .where(*OF_KEY)
    .values({name: bindparam(f"new_{name}") for name in ("status", "headers", "body", "final")})
)
REPLACE = KEEP.where(t.final.is_(False))
FINALISE = idempotency.update().where(*OF_KEY).values(final=True).returning(t.status, t.headers, t.body)


def claim(
    session: Session, owner: UUID, key: str, fingerprint: bytes, at: datetime, expired: datetime
) -> Kept | None:
    """Claim a key in this transaction and return None, or return the answer that is kept under it.

    Whoever comes with the same key meanwhile waits here until this transaction ends. Answers from
    before `expired` count no more.
    """
    of_key = {"of": owner, "named": key}
    values = {**of_key, "of_request": fingerprint, "at": at, "expired": expired}
    if session.execute(CLAIM, values).fetchone():
        return None
    row = session.execute(KEPT, of_key).fetchone()
    assert row is not None
    return Kept(bytes(row[0]), row[1], _opened(session, owner, key, row[2:]))


def keep(session: Session, owner: UUID, key: str, answer: Answer, final: bool) -> None:
    """Keep the answer under the key claimed in this transaction."""
    session.execute(KEEP, _kept(session, owner, key, answer, final))


def replace(session: Session, owner: UUID, key: str, answer: Answer) -> Answer:
    """Keep this answer instead, unless the kept one is final; return the one that is final now."""
    replaced = session.execute(REPLACE, _kept(session, owner, key, answer, True)).rowcount
    return answer if replaced else finalise(session, owner, key)


def finalise(session: Session, owner: UUID, key: str) -> Answer:
    """Let the kept answer be final, and return it."""
    row = session.execute(FINALISE, {"of": owner, "named": key}).fetchone()
    assert row is not None
    return _opened(session, owner, key, row)


def _kept(session: Session, owner: UUID, key: str, answer: Answer, final: bool) -> dict[str, Any]:
    """Return what keeps an answer, sealed: it may show a hand, or a secret that is shown once."""
    status, headers, body = answer
    sealed = _sealed(session.cipher, owner, key, body)
    new = {"new_status": status, "new_headers": headers, "new_body": sealed, "new_final": final}
    return {"of": owner, "named": key, **new}


def _opened(session: Session, owner: UUID, key: str, row: Sequence[Any]) -> Answer:
    """Return an answer out of the columns that are stored. Raises Undecipherable."""
    status, headers, body = row
    return Answer(status, headers, session.cipher.open(body, answer_row(owner.bytes, key), ANSWER))


def prune(session: Session, expired: datetime) -> int:
    """Delete the answers from before `expired`; returns how many."""
    made = idempotency.c.created_at
    return pruning.prune(session, idempotency, made, made < expired)
