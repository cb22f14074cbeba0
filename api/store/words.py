"""The names and texts of people in the log, in a table of their own, from which they are erased."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple
from uuid import UUID

from psycopg.types.json import Jsonb
from sqlalchemy import and_, delete, select

from api.core.json import Json
from api.store.database.session import Session
from api.store.tables.columns import among
from api.store.tables.games import entries, games, player_games, snapshots, words

WITH_WORDS = entries.outerjoin(
    words, and_(words.c.game_id == entries.c.game_id, words.c.seq == entries.c.seq)
)

# Who talks after the end of a game has a seat.
GAMES_OF = """
    SELECT game_id FROM words WHERE app_id = %(app)s AND player_id = %(player)s
    UNION
    SELECT id FROM games JOIN player_games ON game_id = id
    WHERE player_id = %(player)s AND games.app_id = %(app)s AND jsonb_path_exists(
        chat, '$[*] ? (@.player.id == $id && (@.text != $text || @.player.name != $name))', %(erased)s
    )
    LIMIT %(most)s
"""


class Words(NamedTuple):
    """What an entry shows to everybody until it is erased (JSON), and the player whose it is."""

    seq: int
    player_id: UUID | None
    share: str


class Seated(NamedTuple):
    """The columns of a game that have names and texts, too."""

    id: UUID
    sitting: str
    chat: list[Json] | None


def insert(session: Session, game_id: UUID, app_id: UUID, said: Sequence[Words]) -> None:
    """Store what entries show to everybody."""
    rows = [{"game_id": game_id, "app_id": app_id, **one._asdict()} for one in said]
    session.execute(words.insert().values(rows))


def games_of(
    session: Session, app_id: UUID, player_id: UUID, most: int, erased: Mapping[str, str]
) -> list[UUID]:
    """List games of an app in which something of a player is not erased, in the log or after the end."""
    given = {
        "app": app_id,
        "player": player_id,
        "erased": Jsonb({"id": str(player_id), **erased}),
        "most": most,
    }
    return [row[0] for row in session.execute(GAMES_OF, given)]


def chats_of(session: Session, player_id: UUID) -> list[tuple[UUID, list[Json]]]:
    """List the games of a player in which somebody has talked after the end, with all that was said."""
    g, mine = games.c, player_games.c
    of_player = select(g.id, g.chat).join(player_games, mine.game_id == g.id)
    rows = session.execute(of_player.where(mine.player_id == player_id, g.chat.is_not(None)).order_by(g.id))
    return [(*row,) for row in rows]


def lock(session: Session, game_ids: Sequence[UUID]) -> list[Seated]:
    """Lock games whose words are about to be erased; return what else has names and texts."""
    g = games.c
    some = select(g.id, g.sitting, g.chat).where(among(g.id, game_ids)).order_by(g.id).with_for_update()
    return [Seated(*row) for row in session.execute(some)]


def erase(session: Session, player_id: UUID, rewritten: Sequence[Seated]) -> None:
    """Delete the words of a player in games that are locked, and write these games without them.

    Snapshots have names too, and are only kept to save time.
    """
    for game in rewritten:
        changed = {"sitting": game.sitting, "chat": None if game.chat is None else Jsonb(game.chat)}
        session.execute(games.update().where(games.c.id == game.id).values(changed))
    ids = [game.id for game in rewritten]
    session.execute(delete(words).where(among(words.c.game_id, ids), words.c.player_id == player_id))
    session.execute(delete(snapshots).where(among(snapshots.c.game_id, ids)))
