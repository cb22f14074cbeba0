"""Standing orders: left, looked at and taken away by who holds the seat, and shown to nobody else."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from api.core.context import Caller, Context
from api.core.errors import Forbidden
from api.core.json import loads, stored
from api.game.game import RUNNING, Game, load
from api.game.visibility import Visibility, acting_seat, visibility
from api.play.acting import Act, acting, holder, nothing
from api.play.automatic.standing_orders import FLAG
from api.store import games
from api.store import orders as store
from api.store.orders import Orders

Versions = frozenset[int] | None


def show(context: Context, game_id: UUID, seat: int | None) -> dict[str, Any]:
    """Show the orders that the caller has left for its seat. Raises NotFound, Forbidden."""
    game = load(context, game_id)
    return _show(context, game, acting_seat(context.caller, game, visibility(context.caller, game), seat))


def put(
    context: Context, game_id: UUID, seat: int | None, moves: list[dict[str, Any]], if_match: Versions
) -> Any:
    """Leave orders in place of those before. Where it is the seat's turn the first is played at once."""
    with acting(context, game_id, seat, authorise=_player, if_match=if_match, show=_left) as act:
        assert context.caller.player_id is not None
        store.put(context.session, game_id, act.seat, Orders(context.caller.player_id, stored(moves), None))
        act.game.seats[act.seat][FLAG] = True
        _keep_flag(act)
    return act.answer


def delete(context: Context, game_id: UUID, seat: int | None, if_match: Versions) -> None:
    """Take every order away. Raises NotFound, Forbidden, GameOver."""
    with acting(context, game_id, seat, authorise=_player, if_match=if_match, show=nothing) as act:
        store.delete(context.session, game_id, act.seat)
        act.game.seats[act.seat].pop(FLAG, None)
        _keep_flag(act)


def _player(caller: Caller, game: Game, seat: int | None) -> tuple[Visibility, int | None]:
    seen, seat = holder(caller, game, seat)
    if caller.player_id is None:
        raise Forbidden("Orders are between a player and the server.")
    return seen, seat


def _keep_flag(act: Act) -> None:
    games.set_seats(act.context.session, act.game.id, stored(act.game.seats))


def _left(act: Act) -> dict[str, Any]:
    return _show(act.context, act.game, act.seat)


def _show(context: Context, game: Game, seat: int) -> dict[str, Any]:
    found = store.get(context.session, game.id, seat)
    if found is None or found.player_id != context.caller.player_id:
        return {"seat": seat, "orders": [], "cancelled": None}
    moves = loads(found.moves) if game.status == RUNNING else []
    cancelled = loads(found.cancelled) if found.cancelled else None
    return {"seat": seat, "orders": [{"move": move} for move in moves], "cancelled": cancelled}
