"""Deadlines: what happens when a seat's time is over, whichever process notices it first.

Only the deadline in the game's row counts: the process that locks the row and finds that it has passed writes
the timeout. So each timeout happens once, however many workers run or die, and a player who moves too late
is refused even if no worker has noticed yet.
"""

from __future__ import annotations

import logging
from datetime import datetime
from functools import partial
from uuid import UUID

from api.context import Context
from api.feature import Hook
from api.games import endless, outages
from api.games.game import Game
from api.games.history import recent
from api.games.loading import time_of, turns_of
from api.games.saving import change, change_all
from api.store import due_work as store
from api.store import seating
from referee.table import commands

log = logging.getLogger("card_referee.jobs")

warned: Hook[[UUID, datetime], None] = Hook()
"""Warns, in the open transaction, of the deadlines of a game that follows a clock of its own, at a time."""
BATCH = 50  # games whose deadlines are enforced in one transaction


def settle(context: Context, game_id: UUID) -> Game:
    """Write the outages and deadlines that a game has passed, in a transaction of its own; return it."""
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


def enforce_some(context: Context, what: str, exclude: list[UUID]) -> int:
    """Enforce the deadlines (or those to reveal entropy) that passed first; return of how many games.

    They share a transaction and its statements. If that fails, each gets a transaction of its own. Games that
    another worker has locked, or that are in `exclude`, are left alone.
    """
    due: list[UUID] = []
    try:
        with context.session.transaction():
            due = store.take_due(context.session, what, context.now(), exclude, BATCH)
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


def enforce(context: Context, game: Game) -> None:
    """Write what is due in a game, in the open transaction."""
    if _pass(context, game) or not store.still_due(context.session, game.id, time_of(context, game)):
        return  # if not due any more, another worker has just handled it
    log.error("game %s: nothing was overdue, its turns are put right", game.id)
    seating.set_turns(context.session, game.id, game.app_id, game.test_clock, turns_of(game))
