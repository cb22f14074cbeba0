"""Standing orders: played when the turn of their seat comes.

The game's row says which seats have orders, so a move by a seat without orders needs no query. If there is
nothing to do at a version, the seat records that, and its orders are examined again after the next move.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

import referee
import referee.table
from api.context import Context
from api.core.json import loads, stored
from api.feature import EventType, Wording
from api.features.mail.phrases import mark
from api.features.notices import events
from api.features.notices.declared import TURN, OfTurn
from api.features.notices.events import describe_turn, subject_of
from api.features.post import store
from api.features.post.plans import MOST_IN_A_ROW, Plan, choose
from api.games.game import Game
from api.games.loading import time_of
from api.games.seat import DEALT
from api.store import log
from referee.clocks import timestamp

CANCELLED = EventType(
    "orders.cancelled",
    "An order was illegal, or automatic moves have ended; the seat's orders are cancelled.",
    OfTurn,
    TURN,
    told=Wording(
        mark("Your orders in {game} were cancelled."), mark("Your orders were cancelled"), decides=True
    ),
)
LOOK_BACK = 200  # entries that are searched for the seat's own move


def play_next(context: Context, game: Game) -> bool:
    """Examine the orders of a seat that the game waits for; return whether there was such a seat."""
    seat = game.waiting_orders
    if seat is None:
        return False
    orders = store.get(context.session, game.id, seat)
    plan = Plan.of(orders.moves) if orders else Plan()
    if orders is None or not plan.left:
        game.change(seat, orders=False)
        return True
    if game.seats[seat].orders_checked_at == DEALT:
        _end_with_hand(context, game, seat, orders, plan)
        return True
    if plan.held is not None:
        if not _has_moved(context, game, seat, plan.held):
            game.change(seat, orders_checked_at=game.version)
            return True
        plan = plan._replace(held=None)
    choice = choose(plan, game, seat)
    rest, cancelled = choice.rest, orders.cancelled
    if choice.refused is not None:
        move, verdict = choice.refused
        cancelled = _cancelled(time_of(context, game), move, verdict)
    if choice.move is not None and rest.repeated >= MOST_IN_A_ROW:
        rest, cancelled = Plan(), _cancelled(time_of(context, game), choice.move, referee.Verdict(None))
    if choice.order is not None:
        rest = rest.note_played(game.version + 1, choice.order)
    # After orders are cancelled, the rest of the plan still has to be examined.
    done = choice.move is not None or choice.refused is not None
    changed = orders._replace(moves=rest.stored(), cancelled=cancelled)
    store.put(context.session, game.id, seat, changed)
    game.change(seat, orders=rest.left, orders_checked_at=None if done else game.version)
    if choice.refused is not None or (plan.left and not rest.left and plan.repeated != rest.repeated):
        _announce(context, game, seat)
    if choice.move is not None:
        game.play(time_of(context, game), seat, choice.move, order=True)
    return True


def _cancelled(at: datetime, move: referee.table.Json, verdict: referee.Verdict) -> str:
    return stored({"at": timestamp(at), "move": move, "verdict": verdict.to_json()})


def _announce(context: Context, game: Game, seat: int) -> None:
    """Notify the player of a seat that its orders were cancelled."""
    notice = events.of_turn(CANCELLED.name, describe_turn(game, seat))
    events.posted(context, subject_of(game), [notice], time_of(context, game))


def _end_with_hand(context: Context, game: Game, seat: int, orders: store.Orders, plan: Plan) -> None:
    """Cancel all orders if one names a card, because it was meant for a hand that is over."""
    game.change(seat, orders_checked_at=None)
    deck = {*game.rules.deck(len(game.seats), game.options)}
    last = next((order["move"] for order in plan.orders if _names_card(order["move"], deck)), None)
    if last is None:
        return
    rest = plan._replace(orders=())
    refusal = referee.Refusal("common.not_held", "a new hand was dealt")
    now = time_of(context, game)
    cancelled = _cancelled(now, last, referee.Verdict(refusal))
    store.put(context.session, game.id, seat, orders._replace(moves=rest.stored(), cancelled=cancelled))
    game.change(seat, orders=rest.left)
    _announce(context, game, seat)


def _names_card(move: referee.table.Json, deck: Collection[str]) -> bool:
    """Return whether a member of a move is a card, or a list with one."""
    return any(
        card in deck for value in move.values() for card in (value if isinstance(value, list) else [value])
    )


def _has_moved(context: Context, game: Game, seat: int, since: int) -> bool:
    """Return whether a seat has moved after a version."""
    unsaved = [entry.public for entry in game.entries if entry.public["seq"] > since]
    saved = log.page(context.session, game.id, since, LOOK_BACK)
    entries = [*(loads(each.public) for each in saved), *unsaved]
    return any(entry["type"] == "moved" and entry["seat"] == seat for entry in entries)
