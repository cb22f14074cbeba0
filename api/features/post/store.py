"""Standing orders, moves that a seat has stored in advance; and the timed games of a player."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, and_, select
from sqlalchemy.dialects.postgresql import insert

from api.features.post.tables import orders_place, standing_orders
from api.store.database.session import Session
from api.store.tables.games import game_seats, games, player_games


class Orders(NamedTuple):
    """A seat's standing orders; `moves` and `cancelled` (why there are no orders any more) are JSON."""

    player_id: UUID
    moves: str
    cancelled: str | None


def _of(game_id: UUID, seat: int) -> ColumnElement[bool]:
    return and_(standing_orders.c.game_id == game_id, standing_orders.c.seat == seat)


def get(session: Session, game_id: UUID, seat: int) -> Orders | None:
    """Return a seat's orders."""
    t = standing_orders.c
    row = session.execute(select(t.player_id, t.moves, t.cancelled).where(_of(game_id, seat))).fetchone()
    if row is None:
        return None
    opened, place = session.cipher.open_text, orders_place(seat)
    moves = opened(row[1], game_id.bytes, place) or ""
    return Orders(row[0], moves, opened(row[2], game_id.bytes, place))


def put(session: Session, game_id: UUID, seat: int, orders: Orders) -> None:
    """Store a seat's orders, replacing the previous ones."""
    seal, place = session.cipher.seal_text, orders_place(seat)
    values = {
        "player_id": orders.player_id,
        "moves": seal(orders.moves, game_id.bytes, place),
        "cancelled": seal(orders.cancelled, game_id.bytes, place),
    }
    statement = insert(standing_orders).values(game_id=game_id, seat=seat, **values)
    session.execute(statement.on_conflict_do_update(index_elements=["game_id", "seat"], set_=values))


def delete(session: Session, game_id: UUID, seat: int) -> None:
    """Delete a seat's orders."""
    session.execute(standing_orders.delete().where(_of(game_id, seat)))


def delete_of_player(session: Session, player_id: UUID) -> None:
    """Delete the orders of a player in all games."""
    session.execute(standing_orders.delete().where(standing_orders.c.player_id == player_id))


def delete_all(session: Session, game_ids: Sequence[UUID]) -> None:
    """Delete the orders of all seats of games; with an array of games, it would be planned every time."""
    session.execute_all("DELETE FROM standing_orders WHERE game_id = %s", [(id_,) for id_ in game_ids])


def timed_games(session: Session, player_id: UUID, limit: int) -> list[UUID]:
    """List the running games with a pace in which a player has a seat, in the order of locking."""
    seated = games.c.id.in_(select(player_games.c.game_id).where(player_games.c.player_id == player_id))
    timed = (seated, games.c.status == "running", games.c.pace.is_not(None))
    return [
        row[0] for row in session.execute(select(games.c.id).where(*timed).order_by(games.c.id).limit(limit))
    ]


def seats_of(session: Session, game_id: UUID, player_id: UUID) -> list[int]:
    """List the seats of a player in a game."""
    t = game_seats.c
    mine = select(t.seat).where(t.game_id == game_id, t.player_id == player_id).order_by(t.seat)
    return [row[0] for row in session.execute(mine)]
