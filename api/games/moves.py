"""Making a move, trying one without making it, and listing legal moves."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

import referee
import referee.bots
from api.context import Context
from api.core import metrics
from api.core.callers import Expected
from api.core.errors import Conflict, IllegalMove
from api.core.json import Json
from api.games import looks
from api.games.acting import MOVED, Act, act
from api.games.answers_of_logs import DryRun, LegalMoves, Moved, Suggestion
from api.games.commanding import Given, obey_within
from api.games.game import RUNNING, Game, require_version
from api.games.loading import Found, load, put
from api.games.refusals import UNDER_WAY, require_stage, show_verdict
from api.games.views import acting_seat, visibility_of
from referee.table import commands


def append(
    context: Context, game_id: UUID, seat: int | None, move: Json, if_match: Expected, given: Given
) -> Moved:
    """Judge a move and write it to the log. Raises IllegalMove, SignatureNeeded."""
    acted: list[Act] = []

    def change(act: Act) -> None:
        acted[:] = [act]
        obey_within(act, commands.play.Move(act.seat, move), given)

    try:
        done = act(context, game_id, seat, change, replace(MOVED, if_match=if_match))
    except IllegalMove:
        game = acted[0].game
        metrics.moves_with(game.ruleset, "illegal").inc()
        looks.record_moves(context, game, acted[0].seat)
        raise
    metrics.moves_with(acted[0].game.ruleset, "legal").inc()
    return done


def dry_run(context: Context, game_id: UUID, seat: int | None, move: Json, if_match: Expected) -> DryRun:
    """Judge a move without making it."""
    game = load(context, game_id)
    seat = _look_at(context, game, seat)
    require_version(game, if_match)
    require_stage(game, UNDER_WAY)
    verdict = referee.judge(game.position, seat, move)
    return {"verdict": show_verdict(game, verdict), "version": game.version}


def outline(context: Context, found: Found, seat: int | None) -> Json:
    """Return what the ETag of a list of legal moves depends on, without unpacking the game."""
    game = found.outline()
    _look_at(context, game, seat)
    return {"version": game.version}


def _look_at(context: Context, game: Game, seat: int | None) -> int:
    number = acting_seat(game, visibility_of(context.caller, game), seat)
    looks.record_moves(context, game, number)
    return number


def legal_moves(context: Context, found: Found, seat: int | None) -> LegalMoves:
    """List a seat's legal moves; there are none before the start and after the end."""
    game = found.unpack(context)
    seat = _look_at(context, game, seat)
    moves = [*referee.legal_moves(game.position, seat)] if game.status == RUNNING else []
    answer: LegalMoves = {
        "ruleset": game.rules.ID,
        "version": game.version,
        "seat": seat,
        "moves": moves,
        "complete": game.rules.COMPLETE,
    }
    put(context, game, found.mark)
    return answer


def suggestion(context: Context, game_id: UUID, seat: int | None) -> Suggestion:
    """Return a good move for a seat that has legal moves, in a practice game.

    Raises Conflict if other people play too: nobody is helped against them.
    """
    game = load(context, game_id)
    seat = acting_seat(game, visibility_of(context.caller, game), seat)
    if any(other.bot is None for n, other in enumerate(game.seats) if n != seat):
        raise Conflict("Moves are suggested only in games against bots.")
    require_stage(game, UNDER_WAY)
    looks.record_moves(context, game, seat)
    # Whatever decides between equally good moves must not depend on the secret key of the game.
    numbers = referee.bots.bot_numbers(game.id.bytes, game.version)
    move = referee.suggest(game.position, seat, numbers)
    ways = referee.bots.ways(game.position, seat, move) if move else []
    return {"ruleset": game.rules.ID, "version": game.version, "seat": seat, "move": move, "transfers": ways}
