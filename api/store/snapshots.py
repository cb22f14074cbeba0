"""Snapshots: games as they were at some of their versions, so that nobody replays them from the deal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from api.store.database.encryption import Undecipherable, snapshot_place
from api.store.database.session import Session


class Snapshot(NamedTuple):
    """A game as its log had led to it by an entry; `state` is JSON."""

    version: int
    state: str


def newest(session: Session, game_id: UUID, until: int, form: int) -> Snapshot | None:
    """Find the newest snapshot up to and including a version."""
    row = session.execute(
        "SELECT version, state FROM snapshots WHERE game_id = %s AND version <= %s AND form = %s"
        " ORDER BY version DESC LIMIT 1",
        (game_id, until, form),
    ).fetchone()
    if row is None:
        return None
    version, state = row
    try:
        opened = session.cipher.open(state, game_id.bytes, snapshot_place(form, version)).decode()
    except Undecipherable:  # nothing depends on it: the log says the same
        return None
    return Snapshot(version, opened)


def keep(session: Session, game_id: UUID, form: int, made: Sequence[Snapshot]) -> None:
    """Keep snapshots; those that there are already stay."""
    seal, game = session.cipher.seal, game_id.bytes
    states = [seal(one.state.encode(), game, snapshot_place(form, one.version)) for one in made]
    session.execute(
        "INSERT INTO snapshots (game_id, form, version, state)"
        " SELECT %s, %s, s.version, s.state FROM unnest(%s::int[], %s::bytea[]) AS s(version, state)"
        " ON CONFLICT DO NOTHING",
        (game_id, form, [one.version for one in made], states),
    )
