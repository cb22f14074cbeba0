"""Snapshots: games at some of their versions, so that they need not be replayed from the deal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from api.store.database.encryption import Undecipherable, snapshot_place
from api.store.database.session import Session
from api.store.tables.games import snapshots


class Snapshot(NamedTuple):
    """The state of a game after an entry; `state` is JSON."""

    version: int
    state: str


def newest(session: Session, game_id: UUID, until: int, form: int) -> Snapshot | None:
    """Return the newest snapshot up to and including a version."""
    t = snapshots.c
    statement = select(t.version, t.state).where(t.game_id == game_id, t.version <= until, t.form == form)
    row = session.execute(statement.order_by(t.version.desc()).limit(1)).fetchone()
    if row is None:
        return None
    version, state = row
    try:
        opened = session.cipher.open(state, game_id.bytes, snapshot_place(form, version)).decode()
    except Undecipherable:  # not needed: the log has the same information
        return None
    return Snapshot(version, opened)


def keep(session: Session, game_id: UUID, form: int, snapshots_: Sequence[Snapshot]) -> None:
    """Store snapshots; existing ones are not changed."""
    seal, game = session.cipher.seal, game_id.bytes
    rows = [
        {
            "game_id": game_id,
            "form": form,
            "version": one.version,
            "state": seal(one.state.encode(), game, snapshot_place(form, one.version)),
        }
        for one in snapshots_
    ]
    session.execute(insert(snapshots).values(rows).on_conflict_do_nothing())
