"""Standing orders at the table: played when their turn comes, all cancelled when one fails.

That a seat has any stands in the game's row, so a move of somebody without orders asks for none.
"""

from __future__ import annotations

from typing import Any

import referee
from api.core.context import Context, timestamp
from api.core.json import loads, stored
from api.game.game import RUNNING, Game
from api.outbox import notifications
from api.store import orders as store

FLAG = "orders"  # of a seat that has some


def waiting_seat(game: Game) -> int | None:
    """Return the first seat that the game waits for and that has left orders."""
    if game.status != RUNNING:
        return None
    return next((seat for seat in game.to_act if game.seats[seat].get(FLAG)), None)


def play_next(context: Context, game: Game) -> bool:
    """Play the next order of a seat that the game waits for; returns whether there was one to look at."""
    seat = waiting_seat(game)
    if seat is None:
        return False
    found = store.get(context.session, game.id, seat)
    moves: list[dict[str, Any]] = loads(found.moves) if found else []
    if found is None or not moves:
        game.seats[seat].pop(FLAG)
        return True
    move, rest = moves[0], moves[1:]
    verdict = referee.judge(game.state, seat, move)
    if verdict.legal:
        store.put(context.session, game.id, seat, found._replace(moves=stored(rest)))
        if not rest:
            game.seats[seat].pop(FLAG)
        game.play(context.now(), seat, move, order=True)
        return True
    why = {"at": timestamp(context.now()), "move": move, "verdict": verdict.to_json()}
    store.put(context.session, game.id, seat, found._replace(moves="[]", cancelled=stored(why)))
    game.seats[seat].pop(FLAG)
    notice = notifications.of_turn(notifications.ORDERS_CANCELLED, game.turn(seat))
    notifications.post(context, game.app_id, game.id, [notice], context.now())
    return True
