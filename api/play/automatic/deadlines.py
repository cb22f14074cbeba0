"""Deadlines: what happens when a seat's time is over, whoever notices it first.

A deadline stands in the game's row, and there alone: whoever locks the row and finds a deadline passed
writes the timeout. So each happens once, however many workers run or die, and whoever moves too late
is told so even before a worker has come by.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime
from uuid import UUID

import referee
from api.core.context import Context, timestamp
from api.game.game import Game, load, save
from api.outbox import notifications
from api.store import games as store

log = logging.getLogger("card_referee.jobs")


def settle(context: Context, game_id: UUID) -> Game:
    """Write down every deadline of a game that has passed, in a transaction of its own; return the game."""
    with context.session.transaction():
        game = load(context, game_id, lock=True)
        _settle(context, game)
        return game


def _settle(context: Context, game: Game) -> bool:
    """Write down the deadlines that have passed; return whether there were any."""
    now = context.now()
    while late := game.overdue(now):
        time_out(game, now, late)
    if not game.entries:
        return False
    save(context, game)
    return True


def time_out(game: Game, at: datetime, late: list[int]) -> None:
    """End the time of seats that are late: all give up, or a move is made for each of them.

    Each move is made where the one before it has led: by then a seat's turn may be over.
    """
    pace = game.timing
    assert pace is not None
    if pace.on_timeout == "resign":
        game.give_up(at, "timed_out", *late)
        return
    for seat in late:
        game.write("timed_out", at, game.who(seat))
    key = referee.game_key(game.seed, [taken["entropy"] for taken in game.seats])
    for seat in late:
        if seat in game.overdue(at):
            game.play(at, seat, referee.forced_move(game.state, seat, key, game.version + 1), random=True)


# --- the worker's part ------------------------------------------------------------------------------


def enforce_next(context: Context, exclude: list[UUID]) -> UUID | None:
    """Enforce the deadlines of the game that is overdue the longest, and return which; None where none is.

    Games that another worker is at, or that are named in `exclude`, are left alone.
    """
    return _next(context, store.DEADLINES, exclude, _time_out_all)


def warn_next(context: Context, exclude: list[UUID]) -> UUID | None:
    """Warn the seats of the game whose warning is due the longest, and return which; None where none is."""
    return _next(context, store.WARNINGS, exclude, _warn_all)


def _next(
    context: Context, due: str, exclude: list[UUID], act: Callable[[Context, UUID], None]
) -> UUID | None:
    game_id = None
    try:
        with context.session.transaction():
            game_id = store.next_due(context.session, due, context.now(), exclude)
            if game_id is not None:
                act(context, game_id)
    except Exception:
        if game_id is None:
            raise
        log.exception("game %s: what was due failed", game_id)
        exclude.append(game_id)  # the others' turn; this one's again in the next round
    return game_id


def _time_out_all(context: Context, game_id: UUID) -> None:
    game = load(context, game_id, lock=True)
    if not _settle(context, game):  # the rows to find games by say otherwise than the game
        log.error("game %s: nothing was overdue, its turns are put right", game_id)
        store.set_turns(context.session, game_id, game.clocks())


def _warn_all(context: Context, game_id: UUID) -> None:
    warned = store.take_warnings(context.session, game_id, context.now())
    turns = [
        notifications.Turn(game_id, w.version, w.seat, str(w.player_id), timestamp(w.deadline))
        for w in warned
    ]
    found = [notifications.of_turn(notifications.TURN_WARNING, turn) for turn in turns]
    notifications.post(context, warned[0].app_id, game_id, found, context.now())
