"""Cursors of feeds: places that only the server can read, and that end with a history.

A place contains the number of a transaction, which all apps share: two of them would tell how much everybody
wrote in between. So a cursor is encrypted (AES-SIV, always in the same way) for its app, with a key that is
stored in the database. With the place it contains the epoch of the entry: which restoration of a backup that
came after. So the cursor of an entry that was not lost stays the same.
Entries that were lost in a later restoration are in no feed any more, so a cursor among them is refused.
"""

from __future__ import annotations

from functools import lru_cache
from struct import Struct
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV

from api.core.errors import BadRequest, Restored
from api.store import feed
from api.store.database.session import Session
from api.store.feed import Place

FORM = Struct(">qQ16sI")  # epoch, tick, game, seq


def write(session: Session, app_id: UUID, place: Place) -> str:
    """Return the cursor of a place in an app's feed."""
    history = session.history
    packed = FORM.pack(history.epoch_of(place.tick), place.tick, place.game_id.bytes, place.seq)
    return _siv(history.secret).encrypt(packed, [app_id.bytes]).hex()


def read(session: Session, app_id: UUID, cursor: str) -> Place:
    """Return the place that a cursor names. Raises BadRequest, Restored."""
    try:
        packed = _siv(session.history.secret).decrypt(bytes.fromhex(cursor), [app_id.bytes])
    except InvalidTag:
        raise BadRequest({"cursor": ["Must be a cursor of this feed."]}) from None
    of, tick, game, seq = FORM.unpack(packed)
    place = Place(tick, UUID(bytes=game), seq)
    require_kept(session, app_id, of, place)
    return place


def require_kept(session: Session, app_id: UUID, of: int, place: Place) -> None:
    """Raise Restored if a place of an epoch was lost in a restoration of a backup."""
    history = session.history
    if of == history.epoch:
        return
    if of not in history.epochs:  # of a history that has no restored beginning which we know
        raise Restored(
            "The cursor is of a time that was lost when a backup was restored: begin without one.",
            cursor=None,
        )
    oldest = min(tick for _, tick in history.restorations[history.epochs.index(of) :])
    if place.tick > oldest:
        raise Restored(
            "Entries before this cursor were lost when a backup was restored; continue after `cursor`.",
            cursor=write(session, app_id, feed.last(session, app_id, oldest)),
        )


@lru_cache(4)
def _siv(secret: bytes) -> AESSIV:
    return AESSIV(secret)
