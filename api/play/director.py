"""What a director does about a running game and its clocks: the app of the game, or the operator.

Each change is an entry in the game's log that verifiers check.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

import referee
from api.context import Context
from api.core.errors import BadRequest, Conflict
from api.core.json import stored
from api.game.game import Game
from api.game.history import require_type
from api.play import takebacks
from api.play.acting import Act, Rules, act
from api.play.messages import maker
from api.store.game import games

DIRECTED = Rules(authorise=maker)


def _direct(
    context: Context, game_id: UUID, write: Callable[[Game, datetime], referee.Entry], rules: Rules = DIRECTED
) -> Any:
    """Let `write` append an entry to a game, for its app."""

    def change(act: Act) -> None:
        act.entry = write(act.game, max(act.now, act.game.updated_at))

    return act(context, game_id, None, change, rules)


def add_time(context: Context, game_id: UUID, seat: int, length: timedelta) -> Any:
    """Add time to the running turn of a seat, for the game's app. Raises Conflict."""
    return _direct(context, game_id, lambda game, at: write_time(game, seat, length, at))


def change_pace(context: Context, game_id: UUID, pace: dict[str, Any]) -> Any:
    """Change a game's pace for the turns to come, for the game's app. Raises Conflict."""
    return _direct(context, game_id, lambda game, at: write_pace(context, game, pace, at))


def adjudicate(context: Context, game_id: UUID, ruling: dict[str, list[int]]) -> Any:
    """Decide who wins and who loses a running game, for its app; the others neither. Raises Conflict."""

    def decide(game: Game, at: datetime) -> referee.Entry:
        for name, seats in ruling.items():
            if any(seat >= len(game.seats) for seat in seats):
                raise BadRequest({name: [f"The game has {len(game.seats)} seats."]})
        require_type(context, game, "adjudicated")
        return game.decide(at, "adjudicated", ruling=ruling)

    return _direct(context, game_id, decide, replace(DIRECTED, even_paused=True))


def undo_timeout(context: Context, game_id: UUID) -> Any:
    """Undo the time-out for which the last move was made, for the game's app. Raises Conflict."""

    def undo(game: Game, at: datetime) -> referee.Entry:
        _timing(game)
        return takebacks.undo_timeout(context, game, at)

    return _direct(context, game_id, undo)


def write_time(game: Game, seat: int, length: timedelta, at: datetime) -> referee.Entry:
    """Add time to the running turn of a seat of a locked game. Raises Conflict."""
    _timing(game)
    if not 0 <= seat < len(game.seats) or game.seats[seat].deadline is None:
        raise Conflict(f"No time is running for seat {seat} of the game {game.id}.")
    try:
        return game.append("time_added", at, {"added": {"seat": seat, "time": referee.duration_text(length)}})
    except OverflowError:
        raise BadRequest({"time": ["Too long."]}) from None


def write_pace(context: Context, game: Game, pace: dict[str, Any], at: datetime) -> referee.Entry:
    """Change the pace of a locked game for the turns to come. Raises Conflict.

    What seats have left of their reserves and days off stays, and so do the deadlines of running turns.
    """
    _timing(game)
    game.later.append(partial(games.set_pace, context.session, game.id, stored(pace)))
    return game.append("pace_changed", at, {"pace": pace})


def _timing(game: Game) -> referee.Pace:
    if game.timing is None:
        raise Conflict("The game has no deadlines.")
    return game.timing
