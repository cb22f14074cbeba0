"""Open games to which players are invited: rematches of games that they have finished."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import select

from api.store.database.session import Session
from api.store.game.games import SUMMARY, GameRow, opened
from api.store.tables.columns import among
from api.store.tables.games import games, player_games

MOST = 200  # the newest finished games that have a rematch


def open_rematches(session: Session, player_id: UUID) -> list[GameRow]:
    """List the open rematches of a player's last games, newest first.

    Two statements, because a game and its rematch may be on different machines.
    """
    p = player_games.c
    ids = session.execute(
        select(games.c.rematch)
        .join_from(player_games, games, p.game_id == games.c.id)
        .where(p.player_id == player_id, p.status == "finished", games.c.rematch.is_not(None))
        .order_by(p.game_id.desc())
        .limit(MOST)
    ).fetchall()
    if not ids:
        return []
    still_open = (among(games.c.id, [row[0] for row in ids]), games.c.status == "open")
    rows = session.execute(select(*SUMMARY).where(*still_open).order_by(games.c.id.desc()))
    return [opened(session, GameRow(*row)) for row in rows]
