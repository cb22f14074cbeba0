"""What an operator can do about the clocks of running games. Each change is an entry in the game's log."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import NamedTuple, TypeVar
from uuid import UUID

import referee.records
from api.context import Context
from api.core.config import Settings, StartError
from api.core.errors import Conflict, GameUnreadable, NotFound, RulesetNotInstalled
from api.features import opened
from api.games import outages
from api.games.commanding import obey_signed
from api.games.game import FINISHED, OPERATOR, RUNNING, Game
from api.games.loading import time_of
from api.games.saving import change
from api.store import outages as store
from referee.table import commands

T = TypeVar("T")


class Running(NamedTuple):
    """A running game, locked, and the time at which it is changed."""

    context: Context
    game: Game
    now: datetime

    def obey(self, command: commands.Command) -> referee.records.Entry:
        """Obey a command; return its entry. Raises Conflict."""
        return obey_signed(self.context, self.game, command, self.now).entry


def _change(settings: Settings, game_id: UUID, decide: Callable[[Running], T]) -> T:
    """Let `decide` change a running game with deadlines; return what it returns. Raises StartError."""

    def change_running(game: Game) -> T:
        if game.status == FINISHED:
            raise StartError(
                f"The game {game_id} is over. Its seed is public, and so is every card, so it cannot go on: "
                "its players can play a rematch."
            )
        if game.status != RUNNING or game.timing is None:
            raise StartError(f"The game {game_id} is not running, or has no deadlines.")
        game.by = OPERATOR
        _record_silence(context)
        outages.give_back(context, game)
        return decide(Running(context, game, max(time_of(context, game), game.updated_at)))

    with opened(settings.for_owner()) as context:
        try:
            return change(context, game_id, change_running)[1]
        except NotFound:
            raise StartError(f"There is no game {game_id}.") from None
        except GameUnreadable as error:
            raise StartError(f"The game {game_id} cannot be changed: {error.detail}") from None


def _record_silence(context: Context) -> None:
    """Write down the outage that lasts until now, if there is one.

    Otherwise an entry that is written meanwhile would hide the part of it before that entry.
    """
    last, now = store.last_beat(context.session), context.now()
    if last is not None and now - last > store.SHORTEST:
        store.record(context.session, last, now)


def add_time(settings: Settings, game_id: UUID, seat: int, length: timedelta) -> str:
    """Add time to the running turn of a seat; return its new deadline. Raises StartError."""

    def add(running: Running) -> str:
        try:
            entry = running.obey(commands.clocks.AddTime(seat, length))
        except Conflict as error:
            raise StartError(error.detail) from None
        return str(entry.public["deadlines"][str(seat)])

    return _change(settings, game_id, add)


def undo_timeout(settings: Settings, game_id: UUID) -> str:
    """Undo the time-out for which a game's last move was made; return its seat's new deadline, if it has one.

    Raises StartError if others have acted since, or cards were shown.
    """

    def undo(running: Running) -> str:
        try:
            entry = running.obey(commands.agreements.UndoTimeout())
        except (Conflict, RulesetNotInstalled) as error:
            raise StartError(f"The time-out cannot be undone: {error.detail}") from None
        return str(entry.public.get("deadlines", {}).get(str(entry.public["undone"]["seat"]), ""))

    return _change(settings, game_id, undo)


def record_outage(settings: Settings, since: datetime) -> None:
    """Write down that players could not reach the service until now: the worker gives the time back."""
    with opened(settings.for_owner()) as context:
        now = context.now()
        if since >= now:
            raise StartError("An outage begins in the past.")
        store.record(context.session, since, now)
