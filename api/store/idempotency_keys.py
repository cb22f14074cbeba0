"""First answers, kept for repeated requests with the same Idempotency-Key."""

from __future__ import annotations

from datetime import datetime
from hashlib import sha256
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import bindparam, select, true
from sqlalchemy.dialects.postgresql import insert

from api.core.json import Json
from api.store.citus import layout_of
from api.store.database.encryption import ANSWER, Cipher, answer_row
from api.store.database.session import Session
from api.store.tables.accounts import idempotency


class StoredResponse(NamedTuple):
    """A kept response: the `body` is JSON, or empty; `headers` (JSON) say what else belongs to it.

    The `signature` is needed to build an answer from a reference.
    """

    headers: str
    body: bytes
    signature: bytes = b""


class Reference(NamedTuple):
    """A reference, kept instead of an answer that can be built again: JSON, and a signature."""

    place: tuple[int, int] | tuple[int, int, Json]
    signature: bytes


class NewResponse(NamedTuple):
    """An answer to be kept in the same statement as the change, under an unused key."""

    owner: UUID
    key: str
    fingerprint: bytes
    at: datetime
    answer: StoredResponse
    final: bool

    def columns(self, cipher: Cipher) -> tuple[Any, ...]:
        """Return the columns that are stored, the answer sealed."""
        headers, body, signature = self.answer
        key = digest(self.key)
        sealed = _sealed(cipher, self.owner, key, body)
        return self.owner, key, self.fingerprint, self.at, headers, sealed, signature, self.final


def digest(key: str) -> UUID:
    """Return the stored form of a key: the start of its SHA-256, as keys may be long or meaningful."""
    return UUID(bytes=sha256(key.encode()).digest()[:16])


def _sealed(cipher: Cipher, owner: UUID, key: UUID, body: bytes) -> bytes:
    """Return the stored form of a body; one that is read again from the log needs no sealing."""
    return body and cipher.seal(body, answer_row(owner, key), ANSWER)


class StoredKey(NamedTuple):
    """An answer with the fingerprint of its request; if not `final`, it may still be replaced."""

    fingerprint: bytes
    final: bool
    answer: StoredResponse


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
STORED = (t.headers, t.body, t.signature)
KEPT = select(t.fingerprint, t.final, *STORED).where(*OF_KEY)
EXPIRE = idempotency.delete().where(*OF_KEY, t.created_at < bindparam("expired"))
KEEP = (
    idempotency.update()
    .where(*OF_KEY)
    .values({name: bindparam(f"new_{name}") for name in (*StoredResponse._fields, "final")})
)
REPLACE = KEEP.where(t.final.is_(False))
FINALISE = idempotency.update().where(*OF_KEY).values(final=True).returning(*STORED)


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
    row = session.execute(KEPT, {"of": owner, "named": digest(key)}).fetchone()
    return None if row is None else StoredKey(bytes(row[0]), row[1], _opened(session, owner, key, *row[2:]))


def keep(session: Session, owner: UUID, key: str, answer: StoredResponse, final: bool) -> None:
    """Store the answer under the key claimed in this transaction."""
    session.execute(KEEP, _kept(session, owner, key, answer, final))


def replace(session: Session, owner: UUID, key: str, answer: StoredResponse) -> StoredResponse:
    """Store this answer instead, unless the kept one is final; return the one that is final now."""
    replaced = session.execute(REPLACE, _kept(session, owner, key, answer, True)).rowcount
    return answer if replaced else finalise(session, owner, key)


def finalise(session: Session, owner: UUID, key: str) -> StoredResponse:
    """Make the kept response final, and return it."""
    row = session.execute(FINALISE, {"of": owner, "named": digest(key)}).fetchone()
    assert row is not None
    return _opened(session, owner, key, *row)


def _kept(session: Session, owner: UUID, key: str, answer: StoredResponse, final: bool) -> dict[str, Any]:
    """Return an answer sealed, because it may show a hand, or a secret that is shown only once."""
    named = digest(key)
    stored = answer._replace(body=_sealed(session.cipher, owner, named, answer.body))
    new = {f"new_{name}": value for name, value in stored._asdict().items()}
    return {"of": owner, "named": named, **new, "new_final": final}


def _opened(
    session: Session,
    owner: UUID,
    key: str,
    headers: str,
    body: bytes,
    signature: bytes,
) -> StoredResponse:
    """Return an answer from its stored columns. Raises Undecipherable."""
    opened = session.cipher.open(body, answer_row(owner, digest(key)), ANSWER)
    return StoredResponse(headers, opened, bytes(signature))


def prune(session: Session, expired: datetime) -> int:
    """Delete the answers from before `expired`; return how many.

    It reads all kept responses, because an index by age would cost each request with a key more.
    """
    return layout_of(session).prune(session, idempotency, idempotency.c.created_at < expired)
