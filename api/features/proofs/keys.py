"""The keys that sign receipts and the heads of the log of all games: created at the first start.

Private keys are stored encrypted in the database, where every web process finds them. A command retires the
newest, and so does a restored backup, so that receipts of what was lost are told apart; the private part of a
retired key is deleted.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy import select

import referee.proofs
from api.core.config import Settings
from api.features import opened
from api.features.proofs.tables import LOG_KEY, log_keys
from api.games import answers_of_logs as answers
from api.http.answers import shown
from api.store.database.encryption import Undecipherable
from api.store.database.locks import Lock
from api.store.database.session import Session, scalar
from referee.clocks import timestamp

log = logging.getLogger("card_referee.receipts")

OVERLAP = timedelta(minutes=1)  # a web process may use a retired key for half as long
REFRESH = timedelta(seconds=30)  # a retired key is not used for longer than that
MOST_NOTES = 4096
SIGNATURE = 64  # bytes, after the id of the key
# Whenever that was: the database may have been restored while this feature was left out.
RESTORED = """
    SELECT FROM log_keys WHERE valid_until IS NULL AND valid_from < (SELECT max(at) FROM restorations)
"""


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


def _current(session: Session) -> tuple[str, bytes, bytes] | None:
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


def show_all(session: Session) -> list[answers.LogKey]:
    """List the current and former keys, newest first, as answers show them."""
    return [_show(key) for key in listing(session)]


def _show(key: LogKey) -> answers.LogKey:
    return shown(answers.LogKey, key, vkey=referee.proofs.Key(key.name, key.public_key).vkey)


class Signer:
    """Signs with the server's newest key, for all requests of a process; checks regularly which it is.

    `keys` is a session that may read the key, where that of the work may not.
    """

    def __init__(self, keys: Session | None = None) -> None:
        self._keys = keys
        self._key: tuple[referee.proofs.Key, Ed25519PrivateKey] | None = None
        self._until: datetime | None = None
        self._notes: dict[str, str] = {}  # signed a moment ago: signing is a tenth of what a view costs

    def checkpoint(
        self, session: Session, now: datetime, name: str, size: int, root: bytes, *extensions: str
    ) -> str | None:
        """Sign the length and the root of one of the server's logs, or return None without a key.

        Games continue without a key: moves are valid even if they cannot be signed.
        """
        if self._until is None or not now < self._until:
            self._key = _read_key(self._keys or session)
            self._notes.clear()
            self._until = now + REFRESH
        if self._key is None:
            return None
        key, private = self._key
        text = referee.proofs.checkpoint(f"{key.name}/{name}", size, root, *extensions)
        note = self._notes.get(text)
        if note is None:
            if len(self._notes) >= MOST_NOTES:
                self._notes.clear()
            note = self._notes[text] = referee.proofs.signed_note(text, key, private.sign(text.encode()))
        return note


def _read_key(session: Session) -> tuple[referee.proofs.Key, Ed25519PrivateKey] | None:
    try:
        stored = _current(session)
    except Undecipherable as error:
        log.error("the key to sign receipts with cannot be read: %s", error)
        return None
    if stored is None:
        log.error("there is no key to sign receipts with; run: referee-api migrate")
        return None
    name, public, private = stored
    return referee.proofs.Key(name, public), Ed25519PrivateKey.from_private_bytes(private)


def prepare(settings: Settings) -> None:
    """Create the first key; replace it if SERVER_NAME has changed, or if a backup was restored since then."""
    with _owner(settings) as session:
        current = _current_name(session)
        restored = session.execute(RESTORED).fetchone() is not None
        if current is None or restored or settings.server_name not in ("", current):
            _replace(session, _new_name(settings, current), restored)


def rotate(settings: Settings) -> str:
    """Retire the newest key and create another one; return it in C2SP's form. Raises StartError."""
    with _owner(settings) as session:
        return _replace(session, _new_name(settings, _current_name(session)))


def lines(settings: Settings) -> list[str]:
    """Return a line for each key, newest first: the key in C2SP's form, and its time of use."""
    with _owner(settings) as session:
        keys = listing(session)
    return [
        " ".join(
            [
                referee.proofs.Key(key.name, key.public_key).vkey,
                *map(timestamp, filter(None, (key.valid_from, key.valid_until))),
            ]
        )
        for key in keys
    ]


@contextmanager
def _owner(settings: Settings) -> Iterator[Session]:
    """Open a transaction as the owner; two of them take turns."""
    with opened(settings.for_owner()) as context, context.session.transaction():
        context.session.execute("SELECT pg_advisory_xact_lock(%s)", (Lock.LOG_KEYS.value,))
        yield context.session


def _current_name(session: Session) -> str | None:
    row = session.execute("SELECT name FROM log_keys WHERE valid_until IS NULL").fetchone()
    return row[0] if row else None


def _new_name(settings: Settings, current: str | None) -> str:
    return settings.server_name or current or f"card-referee-{secrets.token_hex(4)}"


def _replace(session: Session, name: str, restored: bool = False) -> str:
    now: datetime = scalar(session, "SELECT now()")  # by the same clock as restorations
    old = _current(session)
    key = Ed25519PrivateKey.generate()
    new = referee.proofs.Key(name, key.public_key().public_bytes_raw())
    private = session.cipher.seal(key.private_bytes_raw(), new.public, LOG_KEY)
    session.execute(
        "UPDATE log_keys SET valid_until = %s, private_key = NULL, restored = %s WHERE valid_until IS NULL",
        (now + OVERLAP, restored),
    )
    session.execute(
        "INSERT INTO log_keys (public_key, name, private_key, valid_from, endorsement)"
        " VALUES (%s, %s, %s, %s, %s)",
        (new.public, name, private, now, old and _endorse(new, *old)),
    )
    return new.vkey


def _endorse(new: referee.proofs.Key, name: str, public: bytes, private: bytes) -> str:
    """Let the newest key sign which key follows it; return the note."""
    old = referee.proofs.Key(name, public)
    text = referee.proofs.succession(old, new)
    signature = Ed25519PrivateKey.from_private_bytes(private).sign(text.encode())
    return referee.proofs.signed_note(text, old, signature)
