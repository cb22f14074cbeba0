"""Games in which nothing happens any more: those of guests end by themselves, others on command."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from uuid import UUID

from api.context import Context
from api.features.guests import store
from api.features.guests.store import Idle
from api.games.commanding import obey_signed
from api.games.game import OPEN, OPERATOR, RUNNING, Game
from api.games.loading import time_of
from api.games.saving import change, change_all
from api.store import credentials
from referee.table import commands

BATCH = 50  # games that are cancelled in one transaction
GUESTS = Idle(timedelta(days=7), timedelta(days=30), timedelta(days=90))


def end_guests(context: Context) -> int:
    """Cancel the games of the server's guests in which nobody has done anything for long; return how many."""
    app_id = credentials.app_named(context.session, credentials.GUESTS)
    return 0 if app_id is None else sum(1 for _ in cancel(context, app_id, GUESTS))


def cancel(context: Context, app_id: UUID, idle: Idle) -> Iterator[UUID]:
    """Cancel the idle games of an app, some in each transaction, and yield their ids afterwards."""
    failed: list[UUID] = []
    while True:
        with context.session.transaction():
            found = store.lock(context.session, app_id, context.now(), idle, failed, BATCH)
            missed = change_all(context, found, lambda game: _call_off(context, game))
        failed += missed
        yield from (each for each in found if each not in missed)
        if len(found) < BATCH:
            return


def _call_off(context: Context, game: Game) -> None:
    if game.status in (OPEN, RUNNING):
        game.by = OPERATOR
        obey_signed(context, game, commands.play.Cancel(), context.now())


def cancel_one(context: Context, game_id: UUID) -> None:
    """Cancel a game of any app, whatever happens in it. Raises NotFound, GameOver."""

    def call_off(game: Game) -> None:
        game.by = OPERATOR
        obey_signed(context, game, commands.play.Cancel(), max(time_of(context, game), game.updated_at))

    change(context, game_id, call_off)
