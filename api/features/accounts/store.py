"""Requests to sign in by mail: queued, claimed by one worker, and used once."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import ARRAY, LargeBinary, cast, func, select

from api.core.languages import ENGLISH
from api.features.accounts.tables import ADDRESS, sign_ins
from api.store.database.session import Session

t = sign_ins.c


class SignIn(NamedTuple):
    """A request to sign in with an address; `codes` are the hashes of the codes that were mailed.

    `restores`: the player whose account had this address, and has it again when the link is used.
    """

    id: UUID
    address: str
    created_at: datetime
    expires_at: datetime
    language: str = ENGLISH
    codes: Sequence[bytes] = ()
    used_at: datetime | None = None
    tries: int = 0
    restores: UUID | None = None


COLUMNS = tuple(t[name] for name in SignIn._fields)


def insert(session: Session, asked: SignIn) -> None:
    """Store a request, whose mail is due at once."""
    address = session.cipher.seal_text(asked.address, asked.id.bytes, ADDRESS)
    session.execute(
        sign_ins.insert().values(
            id=asked.id,
            address=address,
            created_at=asked.created_at,
            expires_at=asked.expires_at,
            language=asked.language,
            next_at=asked.created_at,
            restores=asked.restores,
        )
    )


def get(session: Session, sign_in_id: UUID, *, lock: bool = False) -> SignIn | None:
    """Return a request, or None if there is none."""
    statement = select(*COLUMNS).where(t.id == sign_in_id)
    row = session.execute(statement.with_for_update() if lock else statement).fetchone()
    if row is None:
        return None
    address = session.cipher.open(row[1], sign_in_id.bytes, ADDRESS).decode()
    return SignIn(*row)._replace(address=address)


def use(session: Session, sign_in_id: UUID, at: datetime) -> None:
    """Store that a request was used."""
    session.execute(sign_ins.update().where(t.id == sign_in_id).values(used_at=at, next_at=None))


def can_be_restored(session: Session, player_id: UUID, now: datetime) -> bool:
    """Return whether an address can still be given back to an account."""
    waiting = select(t.id).where(t.restores == player_id, t.used_at.is_(None), t.expires_at > now).limit(1)
    return session.execute(waiting).fetchone() is not None


def delete_restoring(session: Session, player_id: UUID) -> None:
    """Delete the addresses that an account had."""
    session.execute(sign_ins.delete().where(t.restores == player_id))


def claim(session: Session, code: bytes, now: datetime, lease: datetime) -> SignIn | None:
    """Claim until `lease` the request whose mail has been due longest, and add the hash of a code to it.

    Return None if none is due. In a transaction.
    """
    due = select(t.id).where(t.next_at <= now).order_by(t.next_at).limit(1).with_for_update(skip_locked=True)
    row = session.execute(due).fetchone()
    if row is None:
        return None
    codes = func.array_append(t.codes, cast(code, LargeBinary))
    claimed = sign_ins.update().where(t.id == row[0])
    session.execute(claimed.values(next_at=lease, tries=t.tries + 1, codes=cast(codes, ARRAY(LargeBinary))))
    return get(session, row[0])


def plan(session: Session, sign_in_id: UUID, next_at: datetime | None) -> None:
    """Store when to try again to mail a code; None: not any more."""
    session.execute(sign_ins.update().where(t.id == sign_in_id).values(next_at=next_at))


def prune(session: Session, before: datetime) -> int:
    """Delete requests that expired before this time; return how many."""
    return session.execute(sign_ins.delete().where(t.expires_at < before)).rowcount
