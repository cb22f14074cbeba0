"""How players are reached: an address, preferences, and the key for links that need no login."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import ARRAY, Select, Uuid, any_, bindparam, exists, func, select

from api.features.mail.preferences import Preferences
from api.features.mail.tables import contacts
from api.features.notices import positions
from api.store.database.encryption import CONTACT_EMAIL, CONTACT_KEY, Cipher
from api.store.database.session import Session, scalar
from api.store.tables.columns import among

t = contacts.c


class Contact(NamedTuple):
    """How a player is reached.

    No mail is sent to an address that is not confirmed, or does not exist, as the mail server said.
    `mailed_at`: when the last mail was sent that waited for a visit, and `visited_at` the last visit.
    `account`: a hash of the address with which the player signs in. `mailbox`: how often links in mails have
    ended.
    `set_by`: the app key that chose the address in the player's name; its owner may read that mailbox.
    """

    player_id: UUID
    app_id: UUID
    key: bytes
    preferences: Preferences
    email: str | None = None
    confirmed_at: datetime | None = None
    refused_at: datetime | None = None
    visited_at: datetime | None = None
    mailed_at: datetime | None = None
    account: bytes | None = None
    mailbox: int | None = None
    set_by: UUID | None = None

    def moved(self) -> Contact:
        """Return the contact without what its mailbox could do: links in mails that were sent end."""
        return self._replace(mailbox=(self.mailbox or 0) + 1)

    @property
    def has_mail(self) -> bool:
        """Whether mail is sent to the player's address."""
        return self.email is not None and self.confirmed_at is not None and self.refused_at is None


COLUMNS = tuple(t[name] for name in Contact._fields)


def _opened(cipher: Cipher, row: Sequence[Any]) -> Contact:
    """Return a contact from its stored columns. Raises Undecipherable."""
    contact = Contact(*row)
    place = contact.player_id.bytes
    email: Any = contact.email
    preferences: Any = contact.preferences
    return contact._replace(
        key=cipher.open(contact.key, place, CONTACT_KEY),
        preferences=Preferences.read(preferences),
        email=None if email is None else cipher.open(email, place, CONTACT_EMAIL).decode(),
    )


def _one(session: Session, statement: Select[Any]) -> Contact | None:
    row = session.execute(statement).fetchone()
    return _opened(session.cipher, row) if row else None


def get(session: Session, player_id: UUID, *, lock: bool = False) -> Contact | None:
    """Return a player's contact, or None if there is none."""
    statement = select(*COLUMNS).where(t.player_id == player_id)
    return _one(session, statement.with_for_update() if lock else statement)


def of_account(session: Session, account: bytes) -> Contact | None:
    """Return the contact of the account with this hash of an address."""
    return _one(session, select(*COLUMNS).where(t.account == account))


# Compiled once, because every move of an app with contacts runs it. Locked, so that nothing is queued for a
# player who is being deleted.
OF_PLAYERS = (
    select(*COLUMNS)
    .where(t.player_id == any_(bindparam("players", type_=ARRAY(Uuid))))
    .order_by(t.player_id)
    .with_for_update(read=True, key_share=True)
)


def are_there(session: Session, app_id: UUID) -> bool:
    """Return whether an app has players with contacts."""
    return bool(scalar(session, select(exists().where(contacts.c.app_id == app_id))))


def of_players(session: Session, player_ids: Sequence[UUID]) -> list[Contact]:
    """Return the contacts of those of these players who have one."""
    rows = session.execute(OF_PLAYERS, {"players": list(player_ids)})
    return [_opened(session.cipher, row) for row in rows]


def insert(session: Session, contact: Contact) -> None:
    """Store a new contact."""
    session.execute(contacts.insert().values(_sealed(session.cipher, contact)))
    positions.begin(session, contact.app_id)


def update(session: Session, contact: Contact) -> None:
    """Store the changes of a contact."""
    values = _sealed(session.cipher, contact)
    for name in ("player_id", "app_id", "visited_at"):
        del values[name]
    session.execute(contacts.update().where(t.player_id == contact.player_id).values(values))


def _sealed(cipher: Cipher, contact: Contact) -> dict[str, Any]:
    place = contact.player_id.bytes
    sealed = {
        "key": cipher.seal(contact.key, place, CONTACT_KEY),
        "email": cipher.seal_text(contact.email, place, CONTACT_EMAIL),
        "preferences": contact.preferences.stored(),
    }
    return {**contact._asdict(), **sealed}


def change(session: Session, player_ids: Sequence[UUID], **values: Any) -> None:
    """Store what has changed of these players' contacts, whatever else was changed meanwhile."""
    session.execute(contacts.update().where(among(t.player_id, player_ids)).values(values))


def record_visits(session: Session, visits: Mapping[UUID, datetime]) -> None:
    """Store when players of any apps were last here, those of them who have contacts."""
    session.execute("SELECT note_visits(%s, %s)", ([*visits], [*visits.values()]))


def app_of(session: Session, player_id: UUID) -> UUID | None:
    """Return the app of a reachable player, for any caller."""
    app_id: UUID | None = scalar(session, select(func.app_of_player(player_id)))
    return app_id
