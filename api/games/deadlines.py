"""Deadlines: what happens when a seat's time is over, whichever process notices it first.

Only the deadline in the game's row counts: the process that locks the row and finds that it has passed writes
the timeout. So each timeout happens once, however many workers run or die, and a player who moves too late
is refused even if no worker has noticed yet.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime
from functools import partial
from uuid import UUID

from api.context import Context
from api.feature import Hook
from api.games import endless, outages
from api.games.game import Game
from api.games.history import recent
from api.games.loading import time_of, turns_of
from api.games.saving import change, change_all, change_within
from api.store import due_work as store
from api.store import seating
from referee.table import commands

log = logging.getLogger("card_referee.jobs")

warned: Hook[[UUID, datetime], None] = Hook()
"""Warns, in the open transaction, of the deadlines of a game that follows a clock of its own, at a time."""
BATCH = 50  # games whose deadlines are enforced in one transaction


def settle(context: Context, game_id: UUID) -> Game:
    """Write every deadline of a game that has passed, in a transaction of its own; return the game."""
    outages.find_out(context)
    return change(context, game_id, partial(_pass, context))[0]


def _pass(context: Context, game: Game) -> bool:
    """Apply the outages and the deadlines that have passed; return whether there were any."""
    outages.give_back(context, game)
    for event in commands.pass_time(game, time_of(context, game), partial(recent, context, game)):
        game.enter(event)
    if game.entries:
        endless.call_off(context, game)
    return bool(game.entries)


# --- the worker's part ------------------------------------------------------------------------------


def enforce_some(context: Context, exclude: list[UUID]) -> int:
    """Enforce the deadlines of the games that are overdue the longest; return how many there were.

    They share a transaction and its statements. If that fails, each gets a transaction of its own. Games that
    another worker has locked, or that are in `exclude`, are left alone.
    """
    due: list[UUID] = []
    try:
        with context.session.transaction():
            due = store.take_due(context.session, store.DEADLINES, context.now(), exclude, BATCH)
            exclude += change_all(context, due, partial(enforce, context))
    except Exception:
        if not due or context.session.connection.closed:
            raise
        for game_id in due:
            if game_id not in exclude:
                _enforce_alone(context, game_id, exclude)
    return len(due)


def _enforce_alone(context: Context, game_id: UUID, exclude: list[UUID]) -> None:
    try:
        change(context, game_id, partial(enforce, context))
    except Exception:
        if context.session.connection.closed:  # not the game's fault
            raise
        log.exception("game %s: what was due failed", game_id)
        exclude.append(game_id)


def forfeit_next(context: Context, exclude: list[UUID]) -> UUID | None:
    """Cancel the game whose seats have failed to reveal their entropy for the longest time; return its id."""
    pass_all = partial(_pass, context)
    return act_on_next(
        context, store.TO_REVEAL, exclude, lambda game_id: change_within(context, game_id, pass_all)
    )


def act_on_next(
    context: Context, due: str, exclude: list[UUID], act: Callable[[UUID], object]
) -> UUID | None:
    """Act on the game for which something has been due the longest; return its id, or None if nothing is due.

    If that fails, the game is added to those that are left alone.
    """
    game_id = None
    try:
        with context.session.transaction():
            game_id = store.next_due(context.session, due, context.now(), exclude)
            if game_id is not None:
                act(game_id)
    except Exception:
        if game_id is None:
            raise
        log.exception("game %s: what was due failed", game_id)
        exclude.append(game_id)  # go on with the others; try this one again in the next round
    return game_id


def enforce(context: Context, game: Game) -> None:
    """Write what is due in a game, in the open transaction."""
    if _pass(context, game) or not store.still_due(context.session, game.id, time_of(context, game)):
        return  # if not due any more, another worker has just handled it
    log.error("game %s: nothing was overdue, its turns are put right", game.id)
    seating.set_turns(context.session, game.id, game.app_id, game.test_clock, turns_of(game))
