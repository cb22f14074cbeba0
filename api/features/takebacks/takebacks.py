"""Take-backs: requested by the seat that moved, agreed to by all, and impossible after anything was revealed.

Requests, answers and take-backs are entries of their own. Nothing is deleted.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from uuid import UUID

from api.context import Context
from api.features.post import store as orders
from api.features.post.plans import Plan
from api.games.acting import MOVED, Act, act
from api.games.answers_of_logs import Moved
from api.games.commanding import Given, obey_within
from referee.table import commands


def ask(context: Context, game_id: UUID, seat: int | None, signed: Given) -> Moved:
    """Ask to take back the seat's last move. Raises Conflict if there is none, or it cannot be taken back."""
    return _act(context, game_id, seat, commands.agreements.AskTakeBack, signed)


def answer(context: Context, game_id: UUID, seat: int | None, agree: bool, signed: Given) -> Moved:
    """Answer the current request; when all seats have agreed, the game is as it was before that move."""
    command = commands.agreements.AgreeToTakeBack if agree else commands.agreements.RefuseTakeBack
    return _act(context, game_id, seat, command, signed)


def _act(
    context: Context,
    game_id: UUID,
    seat: int | None,
    command: Callable[[int], commands.Command],
    signed: Given,
) -> Moved:
    return act(context, game_id, seat, lambda act: _obey(act, command(act.seat), signed), MOVED)


def _obey(act: Act, command: commands.Command, signed: Given) -> None:
    """Carry out a command; if a move is taken back, restore the orders that were played from it on."""
    obey_within(act, command, signed)
    assert act.entry is not None
    entry, game = act.entry.public, act.game
    if entry["type"] == "taken_back":
        for number, taken in enumerate(game.seats):
            if taken.player:
                _restore_orders(act, number, entry["of"], hold=number == entry["seat"])


def _restore_orders(act: Act, seat: int, of: int, *, hold: bool) -> None:
    """Restore the orders of a seat that were played from entry `of` on.

    With `hold`, its plan rests until it has moved: otherwise the same move would be made again at once.
    """
    row = orders.get(act.context.session, act.game.id, seat)
    if row is None:
        return
    before = Plan.of(row.moves)
    plan = before.taken_back(of)
    if hold and plan.left:
        plan = plan._replace(held=act.game.version)
    if plan != before:
        changed = row._replace(moves=plan.stored())
        act.game.later.append(partial(orders.put, act.context.session, act.game.id, seat, changed))
        act.game.change(seat, orders=plan.left, orders_checked_at=None)
