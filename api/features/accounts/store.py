"""Requests to sign in by mail: queued, claimed by one worker, and used once."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import ARRAY, LargeBinary, and_, any_, cast, func, literal, or_, select, text

from api.core.callers import GUEST, SEAT_GUEST
from api.core.languages import ENGLISH
from api.features.accounts.tables import ADDRESS, sign_ins
from api.store import credentials as held
from api.store.database.session import Session, scalar
from api.store.tables.accounts import credentials
from api.store.tables.columns import among
from api.store.tables.games import games, player_games

t = sign_ins.c


class SignIn(NamedTuple):
    """A request to sign in with an address; `codes` are the hashes of the codes in the mailed links.

    `restores`: the player whose account had this address, and has it again when the link is used. `guest`:
    the guest who asked. `typed`: the hash of the code of the newest mail that can be typed; `guesses`: how
    often one was, the right one not counted.
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
    guest: UUID | None = None
    typed: bytes | None = None
    typed_until: datetime | None = None
    guesses: int = 0


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
            guest=asked.guest,
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


def count_guess(session: Session, sign_in_id: UUID, by: int) -> None:
    """Count a code that was typed for a request (1), or that it was the right one (-1)."""
    session.execute(sign_ins.update().where(t.id == sign_in_id).values(guesses=t.guesses + by))


def players_of(session: Session, app_id: UUID, digests: Sequence[bytes], now: datetime) -> dict[bytes, UUID]:
    """Return whose valid tokens of guests of an app these are, by their hashes."""
    c = credentials.c
    guests = or_(*(literal(scope) == any_(c.scopes) for scope in (GUEST, SEAT_GUEST)))
    valid = and_(c.revoked_at.is_(None), or_(c.expires_at.is_(None), c.expires_at > now))
    statement = select(c.hash, c.player_id).where(c.app_id == app_id, among(c.hash, digests), guests, valid)
    return {bytes(row[0]): row[1] for row in session.execute(statement)}


def count_games(session: Session, player_id: UUID, *, over: bool) -> int:
    """Return how many games a player has, with or without those that are over."""
    mine = player_games.c
    counted = select(func.count()).where(mine.player_id == player_id)
    if not over:
        counted = counted.where(mine.ended_at == text("'infinity'"))
    return int(scalar(session, counted))


def lock_games(session: Session, player_ids: Sequence[UUID]) -> list[UUID]:
    """Lock the games of these players that are not over, in a transaction; return their ids."""
    mine = select(player_games.c.game_id).where(
        among(player_games.c.player_id, player_ids), player_games.c.ended_at == text("'infinity'")
    )
    locked = select(games.c.id).where(games.c.id.in_(mine)).order_by(games.c.id).with_for_update()
    return [row[0] for row in session.execute(locked)]


def can_be_restored(session: Session, player_id: UUID, now: datetime) -> bool:
    """Return whether an address can still be given back to an account."""
    waiting = select(t.id).where(t.restores == player_id, t.used_at.is_(None), t.expires_at > now).limit(1)
    return session.execute(waiting).fetchone() is not None


def leave_behind(session: Session, guest: UUID) -> None:
    """Let no link that is underway carry this guest along."""
    session.execute(sign_ins.update().where(t.guest == guest).values(guest=None))


def delete_restoring(session: Session, player_id: UUID) -> None:
    """Delete the addresses that an account had."""
    session.execute(sign_ins.delete().where(t.restores == player_id))


def claim(
    session: Session, code: bytes, typed: bytes, typed_until: datetime, now: datetime, lease: datetime
) -> SignIn | None:
    """Claim until `lease` the request whose mail has been due longest, and add the hashes of its codes to it.

    Return None if none is due. In a transaction.
    """
    due = select(t.id).where(t.next_at <= now).order_by(t.next_at).limit(1).with_for_update(skip_locked=True)
    row = session.execute(due).fetchone()
    if row is None:
        return None
    codes = func.array_append(t.codes, cast(code, LargeBinary))
    claimed = sign_ins.update().where(t.id == row[0])
    session.execute(
        claimed.values(
            next_at=lease,
            tries=t.tries + 1,
            codes=cast(codes, ARRAY(LargeBinary)),
            typed=typed,
            typed_until=typed_until,
        )
    )
    return get(session, row[0])


def plan(session: Session, sign_in_id: UUID, next_at: datetime | None) -> None:
    """Store when to try again to mail a code; None: not any more."""
    session.execute(sign_ins.update().where(t.id == sign_in_id).values(next_at=next_at))


def prune(session: Session, before: datetime) -> int:
    """Delete requests that expired before this time; return how many."""
    return session.execute(sign_ins.delete().where(t.expires_at < before)).rowcount


def valid_of_player(
    session: Session, player_id: UUID, now: datetime, before: UUID | None, limit: int
) -> list[held.Credential]:
    """List the tokens of a player that are still valid, newest first."""
    c = credentials.c
    valid = and_(c.revoked_at.is_(None), or_(c.expires_at.is_(None), c.expires_at > now))
    return held.page(session, and_(c.player_id == player_id, valid), before, limit)
