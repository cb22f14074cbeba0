"""Vacation: days on which a seat's time is not counted. Each vacation is an entry in the log."""

from __future__ import annotations

from uuid import UUID

import referee
from api.context import Context
from api.core.errors import GameUnreadable
from api.features.post import answers, store
from api.games import outages
from api.games.game import Game
from api.games.loading import time_of
from api.games.saving import change_within
from api.games.views import seats_of
from api.http import idempotency
from referee.table import commands

MOST = 500  # games of one player at once


def take_all(context: Context, days: int) -> answers.VacationsTaken:
    """Take days off in every running game of the calling player, in a single transaction.

    If this is impossible in a game, the answer says why, and it is done in the other games.
    """

    def take_in(game: Game) -> list[answers.OnVacation]:
        outages.give_back(context, game)
        return [_take(context, game, seat, days) for seat in seats_of(context.caller, game)]

    outages.find_out(context)
    with idempotency.transaction(context):
        shown = list[answers.OnVacation]()
        for game_id in store.timed_games(context.session, context.player_id, MOST):
            try:
                shown += change_within(context, game_id, take_in)[1]
            except GameUnreadable as error:
                seats = store.seats_of(context.session, game_id, context.player_id)
                shown += [{**_none(game_id, seat), "refused": error.detail} for seat in seats]
        return idempotency.keep(context, answers.VacationsTaken(games=shown))


def _none(game_id: UUID, seat: int) -> answers.OnVacation:
    return {"game": str(game_id), "seat": seat, "until": None, "left": 0, "refused": None}


def _take(context: Context, game: Game, seat: int, days: int) -> answers.OnVacation:
    shown = _none(game.id, seat)
    pace, now = game.timing, max(time_of(context, game), game.updated_at)
    left = pace.vacation_left(game.seats[seat]) if pace else 0
    decided = commands.decide(game, commands.clocks.TakeVacation(seat, days), now)
    if context.caller.by_app and game.seats_private:
        return {**shown, "left": left, "refused": "Here only the player acts, with a token of its own."}
    if game.seats[seat].public_key is not None:
        return {**shown, "left": left, "refused": "Here it has to be signed, for each game."}
    if isinstance(decided, referee.Refusal):
        few = decided.rule == commands.clocks.FEW_DAYS
        words = f"There are {left} days of vacation left." if few else decided.reason
        return {**shown, "left": left, "refused": words}
    if game.overdue(now):
        return {**shown, "left": left, "refused": "A deadline has passed."}
    game.by = context.caller.person
    taken = game.enter(decided).public["vacation"]
    return {**shown, "until": taken["until"], "left": taken["left"]}
