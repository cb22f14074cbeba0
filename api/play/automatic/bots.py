"""Bots: they see what their seat sees, and their moves are entries like any other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

import referee
from api.core.context import Context
from api.game.game import RUNNING, Game, load, save
from api.play.automatic import standing_orders as standing
from api.play.automatic.cautious import cautious_bot
from api.store import games as store

# How much thinking is done at once; a longer game of bots is played on by the worker.
IN_ONE_TRANSACTION = 50
IN_ONE_REQUEST = 300

Move = dict[str, Any]
Below = Callable[[int], int]
Bot = Callable[[dict[str, Any], int, Sequence[Move], Below], Move]


def random_bot(view: dict[str, Any], seat: int, moves: Sequence[Move], below: Below) -> Move:
    """Play any legal move."""
    return moves[below(len(moves))]


BOTS: dict[str, Bot] = {"random": random_bot, "cautious": cautious_bot}
EFFORT = {"random": 1, "cautious": 20}  # about what a move costs beside a random one, entry included


def waiting_bot(game: Game) -> int | None:
    """Return the first seat that the game waits for and a bot sits on."""
    if game.status != RUNNING:
        return None
    return next((seat for seat in game.to_act if game.seats[seat]["bot"]), None)


def play(context: Context, game: Game, limit: int = IN_ONE_TRANSACTION) -> int:
    """Make the moves of bots, and those that players have ordered, until the game waits for somebody else.

    Stops once the effort comes to `limit`; returns what it came to.
    """
    spent = 0
    while spent < limit:
        seat = waiting_bot(game)
        if seat is None:
            if not standing.play_next(context, game):
                return spent
            spent += 1
            continue
        name = game.seats[seat]["bot"]
        moves = referee.legal_moves(game.state, seat)
        chosen = BOTS[name](referee.view(game.state, seat), seat, moves, _below(context))
        game.play(context.now(), seat, chosen)
        spent += EFFORT[name]
    return spent


def waited_for(game: Game) -> bool:
    """Return whether the game waits for a bot, or for a seat that has left orders."""
    return waiting_bot(game) is not None or standing.waiting_seat(game) is not None


def play_on(context: Context, game: Game, limit: int = IN_ONE_REQUEST) -> Game:
    """Let the bots of a saved game continue, a transaction at a time; return the game as it is then."""
    spent = 0
    while spent < limit and waited_for(game):
        with context.session.transaction():
            game = load(context, game.id, lock=True)
            spent += play(context, game, min(IN_ONE_TRANSACTION, limit - spent))
            save(context, game)
    return game


def play_due(context: Context, game_id: UUID, limit: int = IN_ONE_REQUEST) -> None:
    """Make the bots' moves that a game waits for: the worker's part where a request left off."""
    play_on(context, load(context, game_id), limit)


def games_due(context: Context, limit: int = 100) -> list[UUID]:
    """List games that wait for a bot, or for a seat that has left orders."""
    return store.with_waiting_bots(context.session, limit)


def _below(context: Context) -> Below:
    """Numbers below n from the context's randomness; 64 bits make the modulo's bias immaterial."""
    return lambda n: int.from_bytes(context.random_bytes(8), "big") % n
