"""Receipts: signed statements of what a caller was shown, so that a changed log can be proved later."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import referee
import referee.proofs
from api.context import Context
from api.core.json import Json
from api.games.game import Game
from api.store import log_keys
from api.store.database.encryption import Undecipherable
from api.store.database.session import Session
from referee.clocks import timestamp

log = logging.getLogger("card_referee.receipts")

DELAY = timedelta(hours=24)  # within which a game is promised to be in the log of all games
REFRESH = timedelta(seconds=30)  # a retired key is not used for longer than that
MOST_NOTES = 4096


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
        stored = log_keys.current(session)
    except Undecipherable as error:
        log.error("the key to sign receipts with cannot be read: %s", error)
        return None
    if stored is None:
        log.error("there is no key to sign receipts with; run: referee-api migrate")
        return None
    name, public, private = stored
    return referee.proofs.Key(name, public), Ed25519PrivateKey.from_private_bytes(private)


def receipt(context: Context, game: Game) -> str | None:
    """Return the receipt for the current state of a game: its version, and the hash of its last entry."""
    return sign(context, game.id, game.version, game.head)


def with_promise(context: Context, game: Game) -> str | None:
    """Return the receipt of a new game, which promises that it will be in the log of all games.

    With this receipt, its owner can prove that the server has left the game out. Forks are left out.
    """
    by = (context.now() if game.test_clock else game.created_at) + DELAY
    if game.forked_from or by <= context.now():
        return receipt(context, game)
    line = referee.proofs.promise_line(referee.commitment(game.seed), by)
    return sign(context, game.id, game.version, game.head, line)


def sign(context: Context, game_id: UUID, version: int, head: bytes, *extensions: str) -> str | None:
    """Return the receipt for a game's log up to an entry."""
    assert context.signer is not None
    return context.signer.checkpoint(context.session, context.now(), str(game_id), version, head, *extensions)


def listing(context: Context) -> Json:
    """List the current and former keys of receipts, newest first."""
    return {"items": [_show(key) for key in log_keys.listing(context.session)], "next": None}


def _show(key: log_keys.LogKey) -> Json:
    return {
        "vkey": referee.proofs.Key(key.name, key.public_key).vkey,
        "valid_from": timestamp(key.valid_from),
        "valid_until": key.valid_until and timestamp(key.valid_until),
        "restored": key.restored,
        "endorsement": key.endorsement,
    }
