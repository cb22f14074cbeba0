"""The tables of this feature."""

from __future__ import annotations

from sqlalchemy import Column, Integer, LargeBinary, Table, Uuid

from api.store.tables.columns import OF_OWN_GAME, Sealed, access, key, metadata, needed, of


def orders_place(seat: int) -> bytes:
    """Return the place of a seat's standing orders."""
    return b"standing_orders:%d" % seat


# Moves that a seat has stored in advance, and why there are none any more.
standing_orders = Table(
    "standing_orders",
    metadata,
    of("game_id", "games", key=True),
    key("seat", Integer),
    needed("player_id", Uuid),
    needed("moves", LargeBinary),
    Column("cancelled", LargeBinary),
    info=access(
        service="SELECT, INSERT, UPDATE (player_id, moves, cancelled), DELETE",
        worker="SELECT, INSERT, UPDATE (player_id, moves, cancelled), DELETE",
        own=OF_OWN_GAME,
        sealed=(Sealed(("moves", "cancelled"), lambda game, seat: orders_place(seat)),),
        citus="game_id",
    ),
)
