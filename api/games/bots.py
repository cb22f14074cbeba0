"""Bots: they see what their seat may see, and their moves are entries like any other."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from functools import partial
from uuid import UUID

import referee
import referee.bots
from api.context import Context
from api.feature import Hook
from api.games import endless, outages
from api.games.game import Game
from api.games.loading import load, time_of
from api.games.saving import change
from api.http import queue
from api.store import due_work

log = logging.getLogger("card_referee.acting")

# The effort that is spent at once; the worker continues longer games of bots.
IN_ONE_TRANSACTION = 50
IN_ONE_REQUEST = 100
IN_ONE_JOB = 300
BATCH = 100  # games that the worker reads at once

BOTS = referee.bots.BOTS
# A worker rests after each batch of a game without people for so many times as long as the batch took.
PAUSES, LONGEST_PAUSE = 3, 2.0
THOUGHT = 0.003  # seconds that a bot thinks before a web process serves other requests


played: Hook[[Game], bool] = Hook()
"""Plays on, in the open transaction, for a seat that left orders; returns whether there was one."""


def play(context: Context, game: Game, limit: int = IN_ONE_TRANSACTION) -> int:
    """Make the moves of bots and of standing orders, until the game waits for somebody else.

    Stop when the effort reaches `limit`; return the effort. A game that only bots play is called off if it
    does not end.
    """
    if endless.call_off(context, game):
        return 1
    spent = 0
    key = game.key
    while spent < limit:
        seat = game.waiting_bot
        if seat is None:
            if not any(played(context, game)):
                return spent
            spent += 1
            continue
        name = game.seats[seat].bot
        assert name is not None
        below = _yielding(referee.bots.bot_numbers(key, game.version + 1))
        game.play(time_of(context, game), seat, referee.bot_move(name, game.position, seat, below))
        spent += referee.bots.BOT_EFFORT[name]
        queue.let_others_continue()
    return spent


def play_on(context: Context, game: Game, limit: int = IN_ONE_REQUEST) -> Game:
    """Continue a saved game with its bots, one transaction at a time; return the game after that."""
    spent = 0
    while spent < limit and game.plays_on:
        most = min(IN_ONE_TRANSACTION, limit - spent)
        game, effort = change(context, game.id, partial(play, context, limit=most))
        spent += effort
        if not effort:  # there are orders, and nothing that plays them
            break
        context.session.close()  # those who work meanwhile need the connection
        queue.let_others_work()
    return game


def play_on_if_possible(context: Context, game: Game) -> Game:
    """Continue with the bots. If they fail, what was committed before stands, and a worker goes on."""
    try:
        return play_on(context, game)
    except Exception:
        log.exception("game %s: the bots could not continue", game.id)
        return game


def play_due(context: Context, game_id: UUID, limit: int = IN_ONE_JOB) -> None:
    """Make the bots' moves that a game waits for. The worker calls this if a request has left some."""
    game = load(context, game_id)
    if game.pace is not None:
        outages.give_back_alone(context, game_id)
    play_on(context, game, limit)


def games_due(
    context: Context, exclude: Sequence[UUID] = (), limit: int = BATCH, *, people: bool = True
) -> list[UUID]:
    """List games that wait for a bot or for a seat with standing orders, with the soonest deadline first.

    Only those in which `people` play, or only the others.
    """
    return due_work.automatic(context.session, exclude, limit, people=people)


def _yielding(below: Callable[[int], int]) -> Callable[[int], int]:
    """Return `below`, made to pause regularly, so that other requests are served while a bot thinks."""
    since = time.monotonic()

    def give(n: int) -> int:
        nonlocal since
        if time.monotonic() - since > THOUGHT:
            queue.let_others_continue()
            since = time.monotonic()
        return below(n)

    return give
