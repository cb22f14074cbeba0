"""Standing orders: set, read and deleted by the holder of the seat, and shown to nobody else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from hashlib import sha256
from typing import Any
from uuid import UUID

import referee.positions
import referee.table
from api.context import Context
from api.core.callers import Caller, Expected
from api.core.errors import Forbidden
from api.core.json import loads, sorted_bytes
from api.features.post import answers, store
from api.features.post.plans import Plan
from api.features.post.store import Orders
from api.games import looks
from api.games.acting import Act, Terms, act, holder, nothing
from api.games.commanding import Given, signature
from api.games.game import RUNNING, Game, require_version
from api.games.loading import load
from api.games.refusals import UNDER_WAY, illegal
from api.games.views import Visibility, acting_seat, visibility_of


def show(context: Context, game_id: UUID, seat: int | None) -> answers.Orders:
    """Return the orders that the caller has set for its seat. Raises NotFound, Forbidden."""
    game = load(context, game_id)
    number = acting_seat(game, visibility_of(context.caller, game), seat)
    looks.record_view(context, game, Visibility((number,)))
    return _show(context, game, number)


def put(
    context: Context,
    game_id: UUID,
    seat: int | None,
    new: list[answers.Ordered],
    if_match: Expected,
    given: Given,
) -> Any:
    """Set orders, which replace earlier ones. If it is the seat's turn, the first is played at once.

    A player with a key signs all of them together. Their moves are not signed later, but marked `order`.
    """

    def change(act: Act) -> None:
        _require_unchanged(act, if_match)
        moves = [order["move"] for order in new]
        _check(act.game, moves)
        signature(act.game, {"type": "orders", "seat": act.seat, "moves": moves}, given)
        _leave(act, _plan(act)._replace(orders=tuple(new), repeated=0, held=None))

    return act(context, game_id, seat, change, ORDERING)


def _check(game: Game, moves: Sequence[referee.table.Json]) -> None:
    """Raise IllegalMove for a move that can never be made."""
    for number, move in enumerate(moves):
        if refusal := referee.positions.never_legal(game.position, move):
            raise illegal(game, refusal, f"orders.{number}.move")


def tag(shown: Mapping[str, object]) -> str:
    """Return the mark of orders as they are shown: another one if they change."""
    return sha256(sorted_bytes({**shown, "cancelled": None})).hexdigest()


def _require_unchanged(act: Act, if_match: Expected) -> None:
    """Raise StaleVersion unless the caller expects these orders, or this version of the game."""
    if if_match is not None:
        now = tag(_show(act.context, act.game, act.seat))
        require_version(act.game, if_match if now not in if_match else None)


def set_automatic(
    context: Context,
    game_id: UUID,
    seat: int | None,
    switches: dict[str, Any],
    if_match: Expected,
    signed: Given,
) -> Any:
    """Set what is done at every turn without an order; it is done at once if it is the seat's turn."""

    def change(act: Act) -> None:
        _require_unchanged(act, if_match)
        signature(act.game, {"type": "automatic", "seat": act.seat, **switches}, signed)
        _leave(act, _plan(act)._replace(**switches, repeated=0, held=None))

    return act(context, game_id, seat, change, ORDERING)


def _plan(act: Act) -> Plan:
    """Return the caller's plan for its seat so far."""
    row = store.get(act.context.session, act.game.id, act.seat)
    return Plan.of(row.moves) if row and row.player_id == act.context.caller.player_id else Plan()


def _leave(act: Act, plan: Plan) -> None:
    row = Orders(act.context.player_id, plan.stored(), None)
    act.game.later.append(partial(store.put, act.context.session, act.game.id, act.seat, row))
    act.unsaved = row
    act.game.change(act.seat, orders=plan.left, orders_checked_at=None)


def delete(context: Context, game_id: UUID, seat: int | None, if_match: Expected) -> None:
    """Delete all orders. Raises NotFound, Forbidden, GameOver."""

    def change(act: Act) -> None:
        _require_unchanged(act, if_match)
        act.game.later.append(partial(store.delete, context.session, game_id, act.seat))
        act.game.change(act.seat, orders=False, orders_checked_at=None)

    act(context, game_id, seat, change, Terms(nothing, authorise=_player, stages=UNDER_WAY))


def _player(caller: Caller, game: Game, seat: int | None) -> tuple[Visibility, int | None]:
    visibility, seat = holder(caller, game, seat)
    if caller.player_id is None:
        raise Forbidden("Only the player of a seat can see and set its orders.")
    return visibility, seat


def _left(act: Act) -> answers.Orders:
    row = act.unsaved
    if not isinstance(row, Orders):
        row = store.get(act.context.session, act.game.id, act.seat)
    return _show_row(act.context, act.game, act.seat, row)


def _show(context: Context, game: Game, seat: int) -> answers.Orders:
    return _show_row(context, game, seat, store.get(context.session, game.id, seat))


def _show_row(context: Context, game: Game, seat: int, row: Orders | None) -> answers.Orders:
    if row is None or row.player_id != context.caller.player_id:
        return {"seat": seat, "orders": [], "cancelled": None}
    plan = Plan.of(row.moves) if game.status == RUNNING else Plan()
    cancelled = loads(row.cancelled) if row.cancelled else None
    shown: answers.Orders = {"seat": seat, "orders": list(plan.orders), "cancelled": cancelled}
    if plan.held is not None and plan.left:
        shown["held"] = True
    if plan.automatic:
        shown["automatic"] = {"always_pass": plan.always_pass, "only_move": plan.only_move}
    return shown


ORDERING = Terms(_left, authorise=_player, stages=UNDER_WAY)


def end(context: Context, saved: Sequence[Game]) -> None:
    """Delete the orders of games that are over, in the open transaction."""
    if over := [game.id for game in saved if game.over]:
        store.delete_all(context.session, over)


def drop(context: Context, game_id: UUID, seat: int) -> None:
    """Delete the orders of a seat that somebody else takes over, in the open transaction."""
    store.delete(context.session, game_id, seat)


def forget(context: Context, player_id: UUID) -> None:
    """Delete the orders of a player, in the open transaction."""
    store.delete_of_player(context.session, player_id)
