"""How players are reached: an address, preferences, and the key of the links that need no login."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import ARRAY, Select, Uuid, any_, bindparam, func, select

from api.store.database.encryption import CONTACT_EMAIL, CONTACT_KEY, Cipher
from api.store.database.session import Session
from api.store.tables.accounts import players
from api.store.tables.clauses import among
from api.store.tables.outbox import contacts

t = contacts.c


class Contact(NamedTuple):
    """How a player is reached; `preferences` is JSON.

    No mail goes to an address that is not confirmed, or was refused as one that nobody has. `mailed_at`: a
    mail was sent then, and the player has not been here since.
    """

    player_id: UUID
    app_id: UUID
    key: bytes
    email: str | None = None
    confirmed_at: datetime | None = None
    refused_at: datetime | None = None
    preferences: str = "{}"
    awaited: bool = False
    mailed_at: datetime | None = None
    calendar: int | None = None

    @property
    def has_mail(self) -> bool:
        """Whether mail goes to the player's address."""
        return self.email is not None and self.confirmed_at is not None and self.refused_at is None


COLUMNS = tuple(t[name] for name in Contact._fields)


def _opened(cipher: Cipher, row: Sequence[Any]) -> Contact:
    """Return a contact out of the columns that are stored. Raises Undecipherable."""
    found = Contact(*row)
    place = found.player_id.bytes
    email: Any = found.email
    return found._replace(
        key=cipher.open(found.key, place, CONTACT_KEY),
        email=None if email is None else cipher.open(email, place, CONTACT_EMAIL).decode(),
    )


def _one(session: Session, statement: Select[Any]) -> Contact | None:
    row = session.execute(statement).fetchone()
    return _opened(session.cipher, row) if row else None


def get(session: Session, player_id: UUID, *, lock: bool = False) -> Contact | None:
    """Find how a player is reached; None where it has never said so."""
    statement = select(*COLUMNS).where(t.player_id == player_id)
    return _one(session, statement.with_for_update() if lock else statement)


# Every move of an app with contacts runs it, so it is compiled once.
OF_PLAYERS = (
    select(*COLUMNS).where(t.player_id == any_(bindparam("players", type_=ARRAY(Uuid)))).order_by(t.player_id)
)


def of_players(session: Session, player_ids: Sequence[UUID]) -> list[Contact]:
    """Find how these players are reached, those of them that have said so."""
    rows = session.execute(OF_PLAYERS, {"players": list(player_ids)})
    return [_opened(session.cipher, row) for row in rows]


def insert(session: Session, contact: Contact) -> None:
    """Keep a new contact."""
    session.execute(contacts.insert().values(_sealed(session.cipher, contact)))


def update(session: Session, contact: Contact) -> None:
    """Keep a contact as it is now."""
    values = _sealed(session.cipher, contact)
    for name in ("player_id", "app_id"):
        del values[name]
    session.execute(contacts.update().where(t.player_id == contact.player_id).values(values))


def _sealed(cipher: Cipher, contact: Contact) -> dict[str, Any]:
    place = contact.player_id.bytes
    sealed = {
        "key": cipher.seal(contact.key, place, CONTACT_KEY),
        "email": cipher.seal_text(contact.email, place, CONTACT_EMAIL),
    }
    return {**contact._asdict(), **sealed}


def delete(session: Session, player_id: UUID) -> None:
    """Forget how a player is reached."""
    session.execute(contacts.delete().where(t.player_id == player_id))


def await_visits(session: Session, player_ids: Sequence[UUID]) -> None:
    """Note that mail is about to go to these players, unless they come by."""
    session.execute(contacts.update().where(among(t.player_id, player_ids), ~t.awaited).values(awaited=True))


def note_mailed(session: Session, player_id: UUID, at: datetime) -> None:
    """Note that a mail goes to a player now."""
    session.execute(contacts.update().where(t.player_id == player_id).values(awaited=True, mailed_at=at))


def note_refused(session: Session, player_id: UUID, at: datetime) -> None:
    """Note that a player's address is one that nobody has."""
    session.execute(contacts.update().where(t.player_id == player_id).values(refused_at=at))


def note_visit(session: Session, player_id: UUID) -> bool:
    """Note that a player is here; returns whether it was awaited."""
    visited = contacts.update().where(t.player_id == player_id, t.awaited)
    return session.execute(visited.values(awaited=False, mailed_at=None)).rowcount == 1


def app_of(session: Session, player_id: UUID) -> UUID | None:
    """Find the app of a player that can be reached, for any caller."""
    row = session.execute(select(func.app_of_player(player_id))).fetchone()
    return row[0] if row else None


def name_of(session: Session, player_id: UUID) -> str:
    """Return a player's name."""
    row = session.execute(select(players.c.name).where(players.c.id == player_id)).fetchone()
    return str(row[0]) if row else ""
