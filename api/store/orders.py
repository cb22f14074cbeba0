"""Standing orders: moves that a seat has left with the server."""

from __future__ import annotations

from typing import NamedTuple
from uuid import UUID

from api.store.database.encryption import orders_place
from api.store.database.session import Session


class Orders(NamedTuple):
    """A seat's standing orders; `moves` and `cancelled` (why there are none any more) are JSON."""

    player_id: UUID
    moves: str
    cancelled: str | None


def get(session: Session, game_id: UUID, seat: int) -> Orders | None:
    """Find a seat's orders."""
    row = session.execute(
        "SELECT player_id, moves, cancelled FROM standing_orders WHERE game_id = %s AND seat = %s",
        (game_id, seat),
    ).fetchone()
    if row is None:
        return None
    opened, place = session.cipher.open_text, orders_place(seat)
    moves = opened(row[1], game_id.bytes, place) or ""
    return Orders(row[0], moves, opened(row[2], game_id.bytes, place))


def put(session: Session, game_id: UUID, seat: int, orders: Orders) -> None:
    """Keep a seat's orders in place of those before."""
    session.execute(
        "INSERT INTO standing_orders (game_id, seat, player_id, moves, cancelled, remaining)"
        " VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT (game_id, seat) DO UPDATE SET"
        " player_id = excluded.player_id, moves = excluded.moves, cancelled = excluded.cancelled,"
        " remaining = excluded.remaining",
        (
            game_id,
            seat,
            orders.player_id,
            session.cipher.seal_text(orders.moves, game_id.bytes, orders_place(seat)),
            session.cipher.seal_text(orders.cancelled, game_id.bytes, orders_place(seat)),
            orders.moves != "[]",
        ),
    )


def delete(session: Session, game_id: UUID, seat: int) -> None:
    """Forget a seat's orders."""
    session.execute("DELETE FROM standing_orders WHERE game_id = %s AND seat = %s", (game_id, seat))
