"""The stored results of players in finished games."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import func, not_, select

from api.features.statistics.tables import player_results
from api.store.database.session import Session

t = player_results.c
# How often players ran out of time, by the logs of these games; not if it was undone.
LATE = """
    SELECT game_id, (public::jsonb #>> '{player,id}')::uuid AS player_id, count(*) AS timeouts
    FROM entries log
    WHERE game_id = ANY (%(games)s) AND public LIKE '%%"timed_out"%%'
        AND public::jsonb ->> 'type' = 'timed_out' AND public::jsonb #>> '{player,id}' IS NOT NULL
        AND NOT EXISTS (
            SELECT FROM entries back WHERE back.game_id = log.game_id AND back.game_id = ANY (%(games)s)
                AND back.public LIKE '%%"timeout_undone"%%'
                AND (back.public::jsonb #>> '{undone,timed_out}')::integer = log.seq)
    GROUP BY 1, 2
"""
KEEP = "INSERT INTO player_results VALUES (%s, %s, %s, %s, %s, %s, %s, %s)"


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


class Result(NamedTuple):
    """The result of a player in a game that was finished here; without `seats`, it was replaced before."""

    game_id: UUID
    player_id: UUID
    app_id: UUID
    ruleset: str
    seats: int = 0
    won: bool = False
    points: int = 0
    timeouts: int = 0


def timeouts(session: Session, games: Sequence[UUID]) -> dict[UUID, dict[str, int]]:
    """Count how often each player ran out of time in each of these games."""
    late: dict[UUID, dict[str, int]] = {game: {} for game in games}
    for game, player, number in session.execute(LATE, {"games": [*games]}) if games else ():
        late[game][str(player)] = number
    return late


def keep(session: Session, results: Sequence[Result]) -> None:
    """Store results of players in a game that has just ended."""
    if results:
        session.execute_all(KEEP, results)


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
