"""Take-backs: requested by the seat that moved, agreed to by all, and impossible after anything was revealed.

Requests, answers and take-backs are entries of their own. Nothing is deleted.
"""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

import referee
from api.context import Context
from api.core.errors import Conflict
from api.game.game import Game
from api.game.history import at_version, recent
from api.play.acting import Act, act
from api.play.automatic.plans import Plan
from api.play.signing import Given, signature
from api.store.game import orders


def ask(context: Context, game_id: UUID, seat: int | None, signed: Given) -> Any:
    """Ask to take back the seat's last move. Raises Conflict if there is none, or it cannot be taken back."""

    def change(act: Act) -> None:
        past = recent(context, act.game)
        of = past.last_move(act.seat)
        if of is None:
            raise Conflict(f"Seat {act.seat} has made no move.")
        _require(past.lasting(of))
        _append(act, "take_back_requested", of, signed)
        _conclude(act, past, referee.Request(of, act.seat, {act.seat}))

    return act(context, game_id, seat, change)


def answer(context: Context, game_id: UUID, seat: int | None, agree: bool, signed: Given) -> Any:
    """Answer the current request; when all seats have agreed, the game is as it was before that move."""

    def change(act: Act) -> None:
        past = recent(context, act.game)
        asked = past.consent.request
        if asked is None:
            raise Conflict("Nobody has asked to take back a move.")
        _require(past.lasting(asked.of))
        _append(act, "take_back_agreed" if agree else "take_back_refused", asked.of, signed)
        if agree:
            _conclude(act, past, asked._replace(agreed={*asked.agreed, act.seat}))

    return act(context, game_id, seat, change)


def undo_timeout(context: Context, game: Game, at: datetime) -> referee.Entry:
    """Undo the time-out for which a game's last move was made. Raises Conflict if it cannot be."""
    past = recent(context, game)
    forced = past.consent.forced
    if not any(of in forced for of, _ in past.consent.moves):
        raise Conflict("No move was made for a seat whose time was over.")
    if not referee.rules_of(past.log).undoes_timeouts:
        raise Conflict("The log of the game is of a number in which time-outs cannot be undone.")
    of, seat = past.consent.moves[-1]
    if of not in forced:
        raise Conflict(f"Seat {seat} has acted since the time-out.")
    _require(past.seen(of))
    given = _before(context, game, past, of)
    return game.append("timeout_undone", at, {"of": of, "undone": forced[of]}, given=given)


def _append(act: Act, kind: str, of: int, given: Given) -> None:
    signed = signature(act.game, act.seat, given, kind)
    act.entry = act.game.append(kind, act.now, {**act.game.who(act.seat), "of": of}, signed=signed)


def _require(fault: str | None) -> None:
    """Raise Conflict if there is a fault."""
    if fault is not None:
        raise Conflict(fault)


def _before(context: Context, game: Game, past: referee.Recent, of: int) -> referee.Given:
    """Return what taking back the move of an entry depends on."""
    before = at_version(context, game, of - 1)
    return referee.Given(game.delay, referee.Earlier(before.state, before.drawn), past.returned(of))


def _conclude(act: Act, past: referee.Recent, asked: referee.Request) -> None:
    """Take the move back if every seat that a player holds has agreed."""
    game, of = act.game, asked.of
    everyone = {number for number, seat in enumerate(game.seats) if seat.player}
    if everyone <= asked.agreed:
        given = _before(act.context, game, past, of)
        act.entry = game.append("taken_back", act.now, {**game.who(asked.seat), "of": of}, given=given)
        for seat in everyone:
            _restore_orders(act, seat, of, hold=seat == asked.seat)


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
        changed = row._replace(moves=plan.stored(), remaining=plan.left)
        act.game.later.append(partial(orders.put, act.context.session, act.game.id, seat, changed))
        act.game.change(seat, orders=plan.left, orders_checked_at=None)
