"""Cursors of feeds: a place in an app's feed, and the epoch in which it was read.

A restored backup, or a standby that takes over, begins another epoch. A cursor of another one is refused with
the cursor from which to read: entries before it may have been lost, and others have their places. Cursors
sort as text in the order of the feed: so a reader finds which of its entries come after one of another epoch.
"""

from __future__ import annotations

from struct import Struct
from struct import error as StructError
from uuid import UUID

from api.core.errors import BadRequest, Restored
from api.store import feed
from api.store.database.session import Session
from api.store.feed import Place

FORM = Struct(">q16siq")  # tick, game, seq, as the columns have them, and the epoch
KEPT = "SELECT min(tick) FROM restorations WHERE epoch > %s"


def write(session: Session, place: Place) -> str:
    """Return the cursor of a place."""
    return FORM.pack(place.tick, place.game_id.bytes, place.seq, session.epoch).hex()


def read(session: Session, app_id: UUID, cursor: str) -> Place:
    """Return the place that a cursor of an app's feed names. Raises BadRequest, Restored."""
    try:
        tick, game, seq, epoch = FORM.unpack(bytes.fromhex(cursor))
    except (StructError, ValueError):
        raise BadRequest({"cursor": ["Must be a cursor of this feed."]}) from None
    place = Place(tick, UUID(bytes=game), seq)
    require_epoch(session, app_id, epoch, place)
    return place


def require_epoch(session: Session, app_id: UUID, epoch: int, place: Place) -> None:
    """Raise Restored if a place was read in another epoch."""
    if epoch == session.epoch:
        return
    (kept,) = session.execute(KEPT, (epoch,)).fetchone() or (None,)
    if kept is None:  # of a history that this one does not know
        raise Restored(
            "The cursor is of a time that was lost when a backup was restored: begin without one.",
            cursor=None,
        )
    raise Restored(
        "A backup was restored, and entries before this cursor may be lost; continue after `cursor`.",
        cursor=write(session, place if place.tick <= kept else feed.last(session, app_id, kept)),
    )
