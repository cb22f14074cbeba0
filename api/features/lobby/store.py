"""Seeks of players for others to play with on the same terms, and rematches."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, select

from api.features.lobby.tables import seeks
from api.store import removal
from api.store.database.locks import Lock
from api.store.database.session import Session
from api.store.games import SUMMARY, GameRow
from api.store.tables.accounts import players
from api.store.tables.columns import among, newest_first
from api.store.tables.games import games, player_games

t = seeks.c


class Seek(NamedTuple):
    """A seek; `request` is what was asked for, as JSON, and `terms` its fingerprint."""

    id: UUID
    app_id: UUID
    player_id: UUID
    terms: bytes
    request: str
    ruleset: str
    pool: str | None
    created_at: datetime
    expires_at: datetime
    game_id: UUID | None = None
    name: str = ""
    """The player's."""


COLUMNS = (*(t[column] for column in Seek._fields[:-1]), players.c.name)
SEEKS = select(*COLUMNS).join_from(seeks, players, players.c.id == t.player_id)
LOCK = f"SELECT pg_advisory_xact_lock({Lock.SEEKS.value}, hashtext(encode(%s::bytea, 'hex')))"


def take_turns(session: Session, terms: bytes, now: datetime) -> None:
    """Let only this transaction match seeks with these terms, and delete those that have expired."""
    session.execute(LOCK, (terms,))
    session.execute(seeks.delete().where(t.terms == terms, t.game_id.is_(None), t.expires_at <= now))


def insert(session: Session, seek: Seek) -> None:
    """Store a new seek."""
    values = seek._asdict()
    del values["name"]
    session.execute(seeks.insert().values(values))


def waiting(session: Session, app_id: UUID, terms: bytes, limit: int) -> list[Seek]:
    """List and lock the open seeks with these terms, oldest first."""
    mine = (t.app_id == app_id, t.terms == terms, t.game_id.is_(None))
    rows = session.execute(SEEKS.where(*mine).order_by(t.id).limit(limit).with_for_update(of=seeks))
    return [Seek(*row) for row in rows]


def match(session: Session, matched: list[UUID], game_id: UUID) -> None:
    """Store that these seeks have led to a game."""
    session.execute(seeks.update().where(t.id.in_(matched)).values(game_id=game_id))


def count_open(session: Session, player_id: UUID, now: datetime) -> int:
    """Count a player's open seeks."""
    rows = session.execute(
        select(t.id).where(t.player_id == player_id, t.game_id.is_(None), t.expires_at > now)
    )
    return len(rows.fetchall())


def get(session: Session, app_id: UUID, seek_id: UUID) -> Seek | None:
    """Find a seek of an app."""
    row = session.execute(SEEKS.where(t.app_id == app_id, t.id == seek_id)).fetchone()
    return Seek(*row) if row else None


def page(
    session: Session,
    app_id: UUID,
    now: datetime,
    filters: dict[str, str | UUID],
    before: UUID | None,
    limit: int,
) -> list[Seek]:
    """List an app's open seeks whose columns have the `filters` values, newest first."""
    conditions: list[ColumnElement[bool]] = [t[name] == value for name, value in filters.items()]
    statement = SEEKS.where(t.app_id == app_id, t.game_id.is_(None), t.expires_at > now, *conditions)
    return [Seek(*row) for row in session.execute(newest_first(statement, t.id, before, limit))]


def withdraw(session: Session, app_id: UUID, seek_id: UUID) -> bool:
    """Delete an open seek; return whether there was one."""
    mine = (t.app_id == app_id, t.id == seek_id, t.game_id.is_(None))
    return session.execute(seeks.delete().where(*mine)).rowcount == 1


def delete_of_player(session: Session, player_id: UUID) -> None:
    """Delete the seeks of a player."""
    session.execute(seeks.delete().where(t.player_id == player_id))


def prune(session: Session, before: datetime) -> int:
    """Delete the seeks that expired before this time; return how many."""
    return removal.prune(session, seeks, t.expires_at, t.expires_at < before)


def link_rematch(session: Session, game_id: UUID, rematch: UUID) -> None:
    """Store the rematch of this game."""
    session.execute(games.update().where(games.c.id == game_id).values(rematch=rematch))


MOST_ENDED = 200  # the newest finished games of a player that have a rematch


def open_rematches(session: Session, player_id: UUID) -> list[GameRow]:
    """List the open rematches of a player's last games, newest first; their seeds are not `opened`.

    Two statements, because a game and its rematch may be on different machines.
    """
    p = player_games.c
    ids = session.execute(
        select(games.c.rematch)
        .join_from(player_games, games, p.game_id == games.c.id)
        .where(p.player_id == player_id, p.status == "finished", games.c.rematch.is_not(None))
        .order_by(p.game_id.desc())
        .limit(MOST_ENDED)
    ).fetchall()
    if not ids:
        return []
    still_open = (among(games.c.id, [row[0] for row in ids]), games.c.status == "open")
    rows = session.execute(select(*SUMMARY).where(*still_open).order_by(games.c.id.desc()))
    return [GameRow(*row) for row in rows]
