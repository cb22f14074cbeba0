"""The players of seats, and the turns by which games are found."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, and_

from api.store.database.session import Session
from api.store.tables.games import game_seats
from api.store.tables.games import turns as table


class Turn(NamedTuple):
    """A seat's turn: when it began (None: it is not the seat's turn), its deadline, and when to warn.

    An `automatic` one is played by the service: for a bot, or by orders that the seat has left.
    """

    seat: int
    since: datetime | None = None
    deadline: datetime | None = None
    warn_at: datetime | None = None
    player_id: str | None = None
    automatic: bool = False


class TurnChanges(NamedTuple):
    """What changes in a game's turns: rows that get another turn (by seat), that go, and that are new."""

    passed: Sequence[tuple[int, Turn]] = ()
    ended: Sequence[int] = ()
    begun: Sequence[Turn] = ()


def changes_of(before: Sequence[Turn], after: Sequence[Turn]) -> TurnChanges:
    """Return what changes in the turns of a game, given for every seat.

    Usually a turn passes from one seat to another. Then one row is changed, because an INSERT and a DELETE
    cost more.
    """
    passed: list[tuple[int, Turn]] = []
    ended: list[int] = []
    begun: list[Turn] = []
    for was, turn in zip(before, after, strict=True):
        if was == turn:
            continue
        if was.since is None:
            begun.append(turn)
        elif turn.since is None:
            ended.append(was.seat)
        else:
            passed.append((was.seat, turn))
    while ended and begun:
        passed.append((ended.pop(), begun.pop()))
    return TurnChanges(passed, ended, begun)


def set_turns(
    session: Session, game_id: UUID, app_id: UUID, test_clock: UUID | None, turns: Sequence[Turn]
) -> None:
    """Write every turn of a game: of one that has none yet, or to repair wrong rows."""
    session.execute(table.delete().where(table.c.game_id == game_id))
    of_game = {"game_id": game_id, "app_id": app_id, "test_clock": test_clock}
    rows = [{**of_game, **turn._asdict()} for turn in turns if turn.since is not None]
    for row in rows:
        row["player_id"] = row["player_id"] and UUID(row["player_id"])
    if rows:
        session.execute(table.insert().values(rows))


def insert_seats(session: Session, game_id: UUID, seats: Sequence[tuple[UUID | None, str | None]]) -> None:
    """Store the players of seats: (player, bot) for each seat."""
    rows = [
        {"game_id": game_id, "seat": seat, "player_id": player, "bot": bot}
        for seat, (player, bot) in enumerate(seats)
    ]
    session.execute(game_seats.insert().values(rows))


def _seat(game_id: UUID, seat: int) -> ColumnElement[bool]:
    return and_(game_seats.c.game_id == game_id, game_seats.c.seat == seat)


def seat_player(session: Session, game_id: UUID, seat: int, player_id: UUID | None, bot: str | None) -> None:
    """Change the player of a seat."""
    session.execute(game_seats.update().where(_seat(game_id, seat)).values(player_id=player_id, bot=bot))


# The current players of games, with what games are found by. Two statements and not one, because a database
# that is spread over machines can plan only these.
FORGET_PLAYERS = """
    DELETE FROM player_games p WHERE p.game_id = ANY (%(games)s) AND NOT EXISTS (
        SELECT FROM game_seats s
        WHERE s.game_id = p.game_id AND s.game_id = ANY (%(games)s) AND s.player_id = p.player_id)
"""
LIST_PLAYERS = """
    INSERT INTO player_games
    SELECT g.id, s.player_id, g.app_id, g.status, g.ruleset, g.visibility, g.imported, g.reason,
        g.created_at, g.ended_at,
        bool_or(coalesce(g.result::jsonb -> 'winners' @> to_jsonb(s.seat), false))
    FROM games g JOIN game_seats s ON s.game_id = g.id
    WHERE g.id = ANY (%(games)s) AND s.game_id = ANY (%(games)s) AND s.player_id IS NOT NULL
    GROUP BY g.id, s.player_id
    ON CONFLICT (game_id, player_id) DO UPDATE SET status = excluded.status, reason = excluded.reason,
        ended_at = excluded.ended_at, won = excluded.won
"""


def list_players(session: Session, games: Sequence[UUID], seated: bool) -> None:
    """Update the players by whom games are found; those who are `seated` may have changed."""
    if seated:
        session.execute(FORGET_PLAYERS, {"games": list(games)})
    session.execute(LIST_PLAYERS, {"games": list(games)})
