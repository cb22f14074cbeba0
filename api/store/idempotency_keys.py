"""First answers, kept for repeated requests with the same Idempotency-Key."""

from __future__ import annotations

from datetime import datetime
from hashlib import sha256
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import bindparam, select, true
from sqlalchemy.dialects.postgresql import insert

from api.store.database.encryption import ANSWER, Cipher, answer_row
from api.store.database.session import Session
from api.store.layout import layout_of
from api.store.tables.accounts import idempotency


def digest(key: str) -> UUID:
    """Return the stored form of a key: the start of its SHA-256, as keys may be long or meaningful."""
    return UUID(bytes=sha256(key.encode()).digest()[:16])


def _sealed(cipher: Cipher, owner: UUID, key: UUID, body: bytes) -> bytes:
    """Return the stored form of a body, which may show a hand, or a secret that is shown only once."""
    return body and cipher.seal(body, answer_row(owner, key), ANSWER)


class StoredKey(NamedTuple):
    """An answer (JSON, or empty) with the fingerprint of its request."""

    fingerprint: bytes
    body: bytes


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
KEPT = select(t.fingerprint, t.body).where(*OF_KEY)
EXPIRE = idempotency.delete().where(*OF_KEY, t.created_at < bindparam("expired"))
KEEP = idempotency.update().where(*OF_KEY).values(body=bindparam("new_body"))


def keep_new(session: Session, owner: UUID, key: str, fingerprint: bytes, at: datetime, body: bytes) -> None:
    """Keep an answer under an unused key. Raises UniqueViolation, then or at the end of the transaction."""
    named = digest(key)
    values = {"owner": owner, "key": named, "fingerprint": fingerprint, "created_at": at}
    sealed = _sealed(session.cipher, owner, named, body)
    session.execute(idempotency.insert().values(**values, body=sealed))


def claim(
    session: Session, owner: UUID, key: str, fingerprint: bytes, at: datetime, expired: datetime
) -> StoredKey | None:
    """Claim a key in this transaction and return None, or return the answer that is kept under it.

    Other requests with the same key wait here until this transaction ends. Answers from before `expired` are
    ignored.
    """
    of_key = {"of": owner, "named": digest(key)}
    values = {**of_key, "of_request": fingerprint, "at": at, "expired": expired}
    if session.execute(CLAIM, values).fetchone():
        return None
    kept = _get(session, owner, key)
    assert kept is not None
    return kept


def find(session: Session, owner: UUID, key: str, expired: datetime) -> StoredKey | None:
    """Return the answer that is kept under a key; one from before `expired` is deleted instead."""
    session.execute(EXPIRE, {"of": owner, "named": digest(key), "expired": expired})
    return _get(session, owner, key)


def _get(session: Session, owner: UUID, key: str) -> StoredKey | None:
    """Return what is kept under a key. Raises Undecipherable."""
    row = session.execute(KEPT, {"of": owner, "named": digest(key)}).fetchone()
    if row is None:
        return None
    return StoredKey(bytes(row[0]), session.cipher.open(row[1], answer_row(owner, digest(key)), ANSWER))


def keep(session: Session, owner: UUID, key: str, body: bytes) -> None:
    """Store the answer under a key that was claimed, or instead of the one that is kept there."""
    named = digest(key)
    values = {"of": owner, "named": named, "new_body": _sealed(session.cipher, owner, named, body)}
    session.execute(KEEP, values)


def prune(session: Session, expired: datetime) -> int:
    """Delete the answers from before `expired`; return how many.

    It reads all kept responses, because an index by age would cost each request with a key more.
    """
    return layout_of(session).prune(session, idempotency, idempotency.c.created_at < expired)
