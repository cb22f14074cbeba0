"""An app's players."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from itertools import chain
from typing import NamedTuple
from uuid import UUID

from psycopg.types.json import Jsonb
from sqlalchemy import ColumnElement, LargeBinary, and_, func, literal_column, select

from api.store.database.session import Session
from api.store.labels import named
from api.store.layout import layout_of
from api.store.tables import metadata
from api.store.tables.accounts import players
from api.store.tables.columns import access_of, among, newest_first


class Player(NamedTuple):
    """A player."""

    id: UUID
    name: str
    created_at: datetime
    external_id: str | None = None
    metadata: Mapping[str, str] = {}


COLUMNS = tuple(players.c[name] for name in Player._fields)


def _of(app_id: UUID, *conditions: ColumnElement[bool]) -> ColumnElement[bool]:
    return and_(players.c.app_id == app_id, players.c.deleted_at.is_(None), *conditions)


def insert(session: Session, player: Player, app_id: UUID, made_by: bytes | None = None) -> None:
    """Store a new player; `made_by` is the path of a guest's networks (see quotas)."""
    values = {**player._asdict(), "app_id": app_id, "metadata": Jsonb(player.metadata), "made_by": made_by}
    session.execute(players.insert().values(values))


def get(session: Session, app_id: UUID, player_id: UUID, *, lock: bool = False) -> Player | None:
    """Find a player of an app."""
    statement = select(*COLUMNS).where(_of(app_id, players.c.id == player_id))
    if lock:
        statement = statement.with_for_update(key_share=True)
    row = session.execute(statement).fetchone()
    return Player(*row) if row else None


def several(session: Session, app_id: UUID, ids: Sequence[UUID]) -> dict[UUID, Player]:
    """Find players of an app by their ids, and prevent their deletion during this transaction."""
    statement = select(*COLUMNS).where(_of(app_id, among(players.c.id, ids)))
    if not layout_of(session).lock(session, *ids):
        statement = statement.with_for_update(read=True)
    return {row[0]: Player(*row) for row in session.execute(statement)}


def deleted(session: Session, app_id: UUID, ids: Collection[UUID]) -> set[UUID]:
    """Return those players that an app had and has deleted."""
    c = players.c
    gone = select(c.id).where(c.app_id == app_id, among(c.id, [*ids]), c.deleted_at.is_not(None))
    return {row[0] for row in session.execute(gone)}


def page(
    session: Session, app_id: UUID, external_id: str | None, before: UUID | None, limit: int
) -> list[Player]:
    """List an app's players, newest first."""
    whole = select(*COLUMNS).where(_of(app_id, *named(players, external_id)))
    return [Player(*row) for row in session.execute(newest_first(whole, players.c.id, before, limit))]


def rows_of(session: Session, player_id: UUID) -> dict[str, list[dict[str, object]]]:
    """Return the rows of all tables that name a player in `player_id`, by table, without sealed columns."""
    found = {}
    for table in (each for each in metadata.sorted_tables if "player_id" in each.c):
        if access_of(table).service is None:
            continue
        columns = [column for column in table.c if not isinstance(column.type, LargeBinary)]
        row = func.jsonb_build_object(
            *chain(*((literal_column(f"'{column.name}'"), column) for column in columns))
        )
        rows = session.execute(select(row).where(table.c.player_id == player_id))
        if shown := [row[0] for row in rows]:
            found[table.name] = shown
    return found


def update(session: Session, app_id: UUID, player: Player) -> None:
    """Store the changes of a player of an app."""
    changed = {
        "name": player.name,
        "external_id": player.external_id,
        "metadata": Jsonb(player.metadata),
    }
    session.execute(players.update().where(players.c.id == player.id).values(changed))


def forget_networks(session: Session, player_id: UUID) -> None:
    """Count a guest no longer among those of its networks."""
    session.execute(players.update().where(players.c.id == player_id).values(made_by=None))


def delete(session: Session, app_id: UUID, player_id: UUID, at: datetime) -> bool:
    """Mark a player as deleted. Return whether the player existed."""
    layout_of(session).lock_alone(session, player_id)
    gone = {"deleted_at": at, "name": "", "external_id": None, "metadata": Jsonb({}), "made_by": None}
    statement = players.update().where(_of(app_id, players.c.id == player_id)).values(gone)
    return session.execute(statement).rowcount == 1
