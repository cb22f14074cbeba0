"""The results of games: the columns by which finished games are found, and the statistics of players."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import bindparam, func, not_, select

from api.store.database.session import Session
from api.store.tables.clauses import among
from api.store.tables.games import games, player_results

LOCK = 7_305_005  # an arbitrary advisory lock: only one at a time rebuilds the results
AT_ONCE = 500  # games whose results are rebuilt in one transaction

t = player_results.c
# The columns by which finished games are found, and their current players.
LIST = """
    WITH ended AS (
        UPDATE games SET ended_at = updated_at, reason = result::jsonb ->> 'reason'
        WHERE id = ANY (%(games)s) AND status IN ('finished', 'cancelled')
    ), gone AS (
        DELETE FROM player_games p WHERE p.game_id = ANY (%(games)s) AND NOT EXISTS (
            SELECT FROM game_seats s
            WHERE s.game_id = p.game_id AND s.game_id = ANY (%(games)s) AND s.player_id = p.player_id)
    )
    INSERT INTO player_games
    SELECT g.id, s.player_id, g.app_id, g.status, g.ruleset, g.visibility, g.imported,
        g.result::jsonb ->> 'reason', g.created_at,
        CASE WHEN g.status IN ('finished', 'cancelled') THEN g.updated_at ELSE 'infinity' END,
        bool_or(coalesce(g.result::jsonb -> 'winners' @> to_jsonb(s.seat), false))
    FROM games g JOIN game_seats s ON s.game_id = g.id
    WHERE g.id = ANY (%(games)s) AND s.game_id = ANY (%(games)s) AND s.player_id IS NOT NULL
    GROUP BY g.id, s.player_id
    ON CONFLICT (game_id, player_id) DO UPDATE SET status = excluded.status, reason = excluded.reason,
        ended_at = excluded.ended_at, won = excluded.won
"""
KEEP = "INSERT INTO player_results SELECT r.* FROM results_of(%(games)s) AS r"
NEXT = select(games.c.id).where(games.c.id > bindparam("after")).order_by(games.c.id).limit(AT_ONCE)
# A single statement sees one moment: a game that ends meanwhile is in both parts or in neither. The results
# of archived games stay as they are, because the database can no longer read their logs.
WRONG = """
    WITH made AS (SELECT r.* FROM results_of(%(games)s) AS r),
        kept AS (SELECT * FROM player_results WHERE game_id = ANY (%(games)s))
    SELECT DISTINCT game_id
    FROM ((TABLE made EXCEPT TABLE kept) UNION ALL (TABLE kept EXCEPT TABLE made)) AS differing
    WHERE NOT EXISTS (
        SELECT FROM archived_games g JOIN archives a ON a.file = g.file
        WHERE g.game_id = differing.game_id AND a.archived_at IS NOT NULL)
"""


class Tally(NamedTuple):
    """The statistics of a player in a ruleset, and of another player for comparison."""

    ruleset: str
    games: int
    wins: int
    points: int
    timeouts: int
    their_wins: int = 0
    their_points: int = 0
    their_timeouts: int = 0


def list_all(session: Session, games: Sequence[UUID]) -> None:
    """Update the columns by which games are found, and their current players."""
    session.execute(LIST, {"games": list(games)})


def keep_all(session: Session, games: Sequence[UUID]) -> None:
    """Store the results of players in games that have just ended, from the logs."""
    session.execute(KEEP, {"games": list(games)})


def of_player(session: Session, player_id: UUID) -> list[Tally]:
    """Count a player's games by ruleset."""
    played, won = func.count().filter(t.seats > 0), func.count().filter(t.won)
    sums = func.sum(t.points), func.sum(t.timeouts)
    statement = select(t.ruleset, played, won, *sums).where(t.player_id == player_id)
    return [_tally(*row) for row in session.execute(statement.group_by(t.ruleset).order_by(t.ruleset))]


def of_two(session: Session, player_id: UUID, other_id: UUID) -> list[Tally]:
    """Count the games that two players have both finished, by ruleset.

    A game counts as won only if just one of them has won it.
    """
    my, their = player_results.alias("mine"), player_results.alias("theirs")
    mine, theirs = my.c, their.c
    counts = [
        func.count(),
        *(func.count().filter(mine.won, not_(theirs.won)), func.sum(mine.points), func.sum(mine.timeouts)),
        *(
            func.count().filter(theirs.won, not_(mine.won)),
            func.sum(theirs.points),
            func.sum(theirs.timeouts),
        ),
    ]
    statement = (
        select(mine.ruleset, *counts)
        .join_from(my, their, mine.game_id == theirs.game_id)
        .where(mine.player_id == player_id, theirs.player_id == other_id, mine.seats > 0, theirs.seats > 0)
    )
    rows = session.execute(statement.group_by(mine.ruleset).order_by(mine.ruleset))
    return [_tally(*row) for row in rows]


def _tally(ruleset: str, *counts: int) -> Tally:
    return Tally(ruleset, *map(int, counts))


def rebuild(session: Session, after: UUID) -> tuple[UUID, int, int] | None:
    """Rebuild the results of the next games after a given one, in a separate transaction.

    Return the last of these games, their number, and how many results were different; None if there are none.
    """
    with session.transaction():
        session.execute(select(func.pg_advisory_xact_lock(LOCK)))
        ids = [row[0] for row in session.execute(NEXT, {"after": after})]
        if not ids:
            return None
        wrong = [row[0] for row in session.execute(WRONG, {"games": ids})]
        if wrong:
            session.execute(player_results.delete().where(among(t.game_id, wrong)))
            session.execute(KEEP, {"games": wrong})
        return ids[-1], len(ids), len(wrong)
