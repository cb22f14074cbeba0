"""Current and former players of seats, and turns: the rows by which games are found."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import ColumnElement, Uuid, and_, exists, literal, select

from api.store.database.session import Session
from api.store.game.games import Turn
from api.store.tables.games import former_players, game_seats


def insert_seats(
    session: Session,
    game_id: UUID,
    seats: Sequence[tuple[UUID | None, str | None]],
    test_clock: UUID | None = None,
) -> None:
    """Store the players of seats: (player, bot) for each seat."""
    rows = [
        {"game_id": game_id, "seat": seat, "player_id": player, "bot": bot, "test_clock": test_clock}
        for seat, (player, bot) in enumerate(seats)
    ]
    session.execute(game_seats.insert().values(rows))


def _seat(game_id: UUID, seat: int) -> ColumnElement[bool]:
    return and_(game_seats.c.game_id == game_id, game_seats.c.seat == seat)


def seat_player(session: Session, game_id: UUID, seat: int, player_id: UUID | None, bot: str | None) -> None:
    """Change the player of a seat."""
    session.execute(game_seats.update().where(_seat(game_id, seat)).values(player_id=player_id, bot=bot))


def set_turns(session: Session, game_id: UUID, turns: Sequence[Turn]) -> None:
    """Write every turn of a game again, to repair wrong rows."""
    for turn in turns:
        values = {"since": turn.since, "deadline": turn.deadline, "warn_at": turn.warn_at}
        session.execute(game_seats.update().where(_seat(game_id, turn.seat)).values(values))


def note_former(session: Session, game_id: UUID, player_id: UUID, app_id: UUID) -> None:
    """Store that a player has handed over a seat of a game, whose row is locked."""
    t, ids = former_players.c, (game_id, player_id, app_id)
    known = exists().where(t.game_id == game_id, t.player_id == player_id)
    note = select(*(literal(value, Uuid) for value in ids)).where(~known)
    session.execute(former_players.insert().from_select(["game_id", "player_id", "app_id"], note))


def former_of(session: Session, player_id: UUID, before: UUID | None, limit: int) -> list[UUID]:
    """List the games in which a player has handed a seat over and has none now, newest first."""
    t, seat = former_players.c, game_seats.alias("seat").c
    sits = exists().where(seat.game_id == t.game_id, seat.player_id == t.player_id)
    found = select(t.game_id).where(t.player_id == player_id, ~sits).order_by(t.game_id.desc()).limit(limit)
    rows = session.execute(found if before is None else found.where(t.game_id < before))
    return [row[0] for row in rows]
