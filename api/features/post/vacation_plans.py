"""Planned vacations: on their days, a player's days off are taken wherever the player's time runs.

Days are taken one by one, when they are needed: so a plan covers games that begin later, and what a player
ends early costs no more than the day that has begun.
"""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from uuid import UUID

from api.context import Context
from api.features.mail import store as contacts
from api.features.post import store
from api.games import outages
from api.games.game import RUNNING, Game
from api.games.loading import time_of
from api.games.saving import change_within
from referee.table import commands

AHEAD = timedelta(minutes=10)  # before the end of a day off, the next one is taken


def take_days(context: Context) -> None:
    """Take the days that planned vacations need now, each game in a transaction of its own."""
    now, plans = context.now(), contacts.with_vacations(context.session)
    if plans:
        outages.find_out(context)
    for player_id, preferences in plans:
        if not preferences.is_away(now):
            continue
        for game_id in store.awaiting(context.session, player_id):
            with context.session.transaction():
                change_within(context, game_id, partial(_take, context, player_id))


def _take(context: Context, player_id: UUID, game: Game) -> None:
    outages.give_back(context, game)
    pace, now = game.timing, max(time_of(context, game), game.updated_at)
    if pace is None or game.status != RUNNING or game.paused or game.overdue(now):
        return
    for number, seat in enumerate(game.seats):
        mine = seat.player is not None and seat.player.id == str(player_id)
        if not mine or seat.deadline is None or seat.public_key is not None:  # a key has to sign it
            continue
        if seat.present(now) - now < AHEAD and pace.vacation_left(seat):
            game.by = "player"
            game.carry_out(commands.clocks.TakeVacation(number, 1), now)
