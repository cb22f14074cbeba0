"""Standing orders: played when the turn of their seat comes.

The game's row says which seats have orders, so a move by a seat without orders needs no query. If there is
nothing to do at a version, the seat records that, and its orders are examined again after the next move.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import referee
from api.context import Context
from api.core.json import loads, stored
from api.core.times import timestamp
from api.game.game import RUNNING, Game
from api.game.rows import time_of
from api.game.turns import describe_turn, subject_of
from api.notify import events
from api.notify.people import outbox
from api.play.automatic.plans import MOST_IN_A_ROW, Plan, choose
from api.store.game import log
from api.store.game import orders as store

LOOK_BACK = 200  # entries that are searched for the moves in conditions


def waiting_seat(game: Game) -> int | None:
    """Return the first seat that the game waits for and whose orders have not been examined yet, or None."""
    if game.status != RUNNING or game.paused:
        return None
    seats = game.seats
    return next(
        (n for n in game.to_act if seats[n].orders and seats[n].orders_checked_at != game.version), None
    )


def play_next(context: Context, game: Game) -> bool:
    """Examine the orders of a seat that the game waits for; return whether there was such a seat."""
    seat = waiting_seat(game)
    if seat is None:
        return False
    orders = store.get(context.session, game.id, seat)
    plan = Plan.of(orders.moves) if orders else Plan()
    if orders is None or not plan.left:
        game.change(seat, orders=False)
        return True
    if plan.held is not None:
        if not _has_moved(context, game, seat, plan.held):
            store.put(context.session, game.id, seat, orders._replace(remaining=False))
            game.change(seat, orders_checked_at=game.version)
            return True
        plan = plan._replace(held=None)
    choice = choose(plan, game, seat, lambda: latest_moves(context, game, seat))
    rest, cancelled = choice.rest, orders.cancelled
    if choice.refused is not None:
        move, verdict = choice.refused
        cancelled = stored(
            {"at": timestamp(time_of(context, game)), "move": move, "verdict": verdict.to_json()}
        )
    if rest.repeated >= MOST_IN_A_ROW:
        rest = Plan()
    if choice.order is not None:
        rest = rest.note_played(game.version + 1, choice.order)
    # After orders are cancelled, the rest of the plan still has to be examined.
    done = choice.move is not None or choice.refused is not None
    changed = orders._replace(moves=rest.stored(), cancelled=cancelled, remaining=rest.left and done)
    store.put(context.session, game.id, seat, changed)
    game.change(seat, orders=rest.left, orders_checked_at=None if done else game.version)
    if choice.refused is not None or (plan.left and not rest.left and plan.repeated != rest.repeated):
        notice = events.of_turn(events.ORDERS_CANCELLED, describe_turn(game, seat))
        outbox.announce(context, subject_of(game), [notice], time_of(context, game))
    if choice.move is not None:
        game.play(time_of(context, game), seat, choice.move, order=True)
    return True


def _has_moved(context: Context, game: Game, seat: int, since: int) -> bool:
    """Return whether a seat has moved after a version."""
    unsaved = [entry.public for entry in game.entries if entry.public["seq"] > since]
    saved = log.page(context.session, game.id, since, LOOK_BACK)
    entries = [*(loads(each.public) for each in saved), *unsaved]
    return any(entry["type"] == "moved" and entry["seat"] == seat for entry in entries)


def latest_moves(context: Context, game: Game, seat: int) -> dict[int, Mapping[str, Any]]:
    """Return the newest move of each other seat since the seat's own last one, as everybody saw it."""
    unsaved = [entry.public for entry in game.entries]
    saved = game.version - len(unsaved)
    before = log.page(context.session, game.id, max(0, saved - LOOK_BACK), LOOK_BACK)
    moves: dict[int, Mapping[str, Any]] = {}
    taken_back = game.version + 1  # entries from there on do not count
    for entry in reversed([*(loads(each.public) for each in before), *unsaved]):
        if entry["type"] in referee.GOING_BACK:
            taken_back = min(taken_back, entry["of"])
        if entry["type"] != "moved" or entry["seq"] >= taken_back:
            continue
        if entry["seat"] == seat:
            break
        moves.setdefault(entry["seat"], entry.get("move") or {})
    return moves
