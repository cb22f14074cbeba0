"""Deadlines: what happens when a seat's time is over, whoever notices it first.

A deadline stands in the game's row, and there alone: whoever locks the row and finds a deadline passed
writes the timeout. So each happens once, however many workers run or die, and whoever moves too late
is told so even before a worker has come by.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar
from uuid import UUID

import referee
from api.services import bots, notices
from api.services.context import Context
from api.services.table import RUNNING, Table, load, save
from api.store import games as store

log = logging.getLogger("card_referee.jobs")
P = ParamSpec("P")
R = TypeVar("R")


class Overdue(Exception):
    """A deadline of this game has passed and nobody has written it down yet."""


def require_in_time(context: Context, table: Table) -> None:
    """Raises Overdue where a deadline has passed."""
    if table.pace is not None and table.overdue(context.now()) is not None:
        raise Overdue


def punctual(
    act: Callable[Concatenate[Context, UUID, P], R],
) -> Callable[Concatenate[Context, UUID, P], R]:
    """Enforce passed deadlines before something is done to a game that raises Overdue because of them."""

    @wraps(act)
    def run(context: Context, game_id: UUID, /, *args: P.args, **more: P.kwargs) -> R:
        while True:
            try:
                return act(context, game_id, *args, **more)
            except Overdue:
                enforce(context, game_id)

    return run


def enforce(context: Context, game_id: UUID) -> int:
    """Write down every deadline of a game that has passed; returns how many."""
    with context.session.transaction():
        table = load(context, game_id, lock=True)
        passed = _enforce(context, table)
        if passed:
            save(context, table)
    bots.play_on(context, table)
    return passed


def _enforce(context: Context, table: Table) -> int:
    passed = 0
    while (seat := table.overdue(context.now())) is not None:
        time_out(table, context.now(), seat)
        passed += 1
    if passed and table.status == RUNNING:
        bots.play(context, table)
    return passed


def time_out(table: Table, at: datetime, seat: int) -> None:
    """End a seat's time: it gives up, or a move is made for it, as the game's pace says."""
    pace = table.timing
    assert pace is not None
    if pace.on_timeout == "resign":
        table.give_up(at, "timed_out", seat)
        return
    table.write("timed_out", at, table.who(seat))
    key = referee.game_key(table.seed, [taken["entropy"] for taken in table.seats])
    table.play(at, seat, referee.forced_move(table.state, seat, key, table.version + 1), random=True)


# --- the worker's part ------------------------------------------------------------------------------


def enforce_next(context: Context, but: list[UUID]) -> UUID | None:
    """Enforce the deadlines of the game that is overdue the longest, and tell which; None where none is.

    Games that another worker is at, or that are named in `but`, are left alone.
    """
    return _next(context, store.DEADLINES, but, _time_out_all)


def warn_next(context: Context, but: list[UUID]) -> UUID | None:
    """Warn the seats of the game whose warning is due the longest, and tell which; None where none is."""
    return _next(context, store.WARNINGS, but, _warn_all)


def _next(context: Context, due: str, but: list[UUID], act: Callable[[Context, UUID], None]) -> UUID | None:
    game_id = None
    try:
        with context.session.transaction():
            game_id = store.next_due(context.session, due, context.now(), but)
            if game_id is not None:
                act(context, game_id)
    except Exception:
        if game_id is None:
            raise
        log.exception("game %s: what was due failed", game_id)
        but.append(game_id)  # the others' turn; this one's again in the next round
    return game_id


def _time_out_all(context: Context, game_id: UUID) -> None:
    table = load(context, game_id, lock=True)
    if _enforce(context, table):
        save(context, table)


def _warn_all(context: Context, game_id: UUID) -> None:
    warned = store.take_warnings(context.session, game_id, context.now())
    table = load(context, game_id)
    told = [notices.turn(notices.TURN_WARNING, table, seat) for seat in warned]
    notices.post(context, table.app_id, table.id, told, context.now())
