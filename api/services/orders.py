"""Standing orders: left, looked at and taken away by who holds the seat, and shown to nobody else."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from api.services import bots, deadlines
from api.services.access import acting_seat, sight
from api.services.context import Context
from api.services.errors import Forbidden
from api.services.moves import require_running
from api.services.standing import FLAG
from api.services.table import RUNNING, Table, load, save
from api.services.texts import loads, stored
from api.store import orders as store
from api.store.orders import Orders


def show(context: Context, game_id: UUID, seat: int | None) -> dict[str, Any]:
    """Show the orders that the caller has left for its seat. Raises NotFound, Forbidden."""
    table = load(context, game_id)
    seat = acting_seat(context.caller, table, sight(context.caller, table), seat)
    found = store.get(context.session, game_id, seat)
    if found is None or found.player_id != context.caller.player_id:
        return {"seat": seat, "orders": [], "cancelled": None}
    moves = loads(found.moves) if table.status == RUNNING else []
    cancelled = loads(found.cancelled) if found.cancelled else None
    return {"seat": seat, "orders": [{"move": move} for move in moves], "cancelled": cancelled}


@deadlines.punctual
def put(context: Context, game_id: UUID, seat: int | None, moves: list[dict[str, Any]]) -> dict[str, Any]:
    """Leave orders in place of those before. Where it is the seat's turn the first is played at once."""
    with context.session.transaction():
        table, seat = _own(context, game_id, seat)
        assert context.caller.player_id is not None
        store.put(context.session, game_id, seat, Orders(context.caller.player_id, stored(moves), None))
        table.seats[seat][FLAG] = True
        bots.play(context, table)
        _save(context, table)
    bots.play_on(context, table)
    return show(context, game_id, seat)


def delete(context: Context, game_id: UUID, seat: int | None) -> None:
    """Take every order away. Raises NotFound, Forbidden, GameOver."""
    with context.session.transaction():
        table, seat = _own(context, game_id, seat, late=True)
        store.delete(context.session, game_id, seat)
        table.seats[seat].pop(FLAG, None)
        _save(context, table)


def _own(context: Context, game_id: UUID, seat: int | None, late: bool = False) -> tuple[Table, int]:
    table = load(context, game_id, lock=True)
    seat = acting_seat(context.caller, table, sight(context.caller, table), seat)
    if context.caller.player_id is None:
        raise Forbidden("Orders are between a player and the server.")
    if not late:
        deadlines.require_in_time(context, table)
    require_running(table)
    return table, seat


def _save(context: Context, table: Table) -> None:
    if table.entries:
        save(context, table)
    else:
        store.set_seats(context.session, table.id, stored(table.seats))
