"""Making a move, trying one without making it, and listing legal moves."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import referee
from api.context import Context, Unconfirmed
from api.core.callers import Expected
from api.core.errors import Conflict, IllegalMove
from api.game import looks
from api.game.game import RUNNING, Game, require_version
from api.game.reading import StoredGame
from api.game.rows import load
from api.game.visibility import acting_seat, visibility_of
from api.ops import metrics
from api.play.acting import Act, Rules, act, require_status
from api.play.signing import Given, signature
from api.store.game import log

MOST_SAID, MOST_BYTES_SAID = 1000, 1 << 20  # of a seat in a game; a log of eight seats can still be imported
FULL = f"A seat can post at most {MOST_SAID} messages in a game, of {MOST_BYTES_SAID:,} bytes together."
SHORT = 100  # entries, which cannot contain so much


def append(
    context: Context, game_id: UUID, seat: int | None, move: dict[str, Any], if_match: Expected, given: Given
) -> Any:
    """Judge a move and write it to the log. Raises IllegalMove, SignatureNeeded."""
    judged: list[str] = []
    acted: list[Act] = []

    def change(act: Act) -> None:
        acted[:] = [act]
        judged[:] = act.game.ruleset, "illegal"
        make(act, move, given)
        judged[:] = act.game.ruleset, "legal"

    try:
        done = act(context, game_id, seat, change, Rules(if_match))
        if isinstance(done, Unconfirmed):
            judged.clear()  # the request will be repeated
        return done
    except IllegalMove:
        looks.note_moves(context, acted[0].game, acted[0].seat)
        raise
    finally:
        if judged:
            metrics.moves_with(*judged).inc()


def make(act: Act, move: dict[str, Any], given: Given) -> None:
    """Judge a move and make it. Raises IllegalMove, SignatureNeeded; Conflict if it says too much."""
    signed = signature(act.game, act.seat, given, "moved", move=move)
    verdict = referee.judge(act.game.state, act.seat, move)
    if not verdict.legal:
        raise illegal(act.game, verdict)
    if move["type"] == referee.talk(act.game.state).move:
        require_room(act, move["text"])
    act.entry = act.game.play(act.now, act.seat, move, signed)


def require_room(act: Act, text: str) -> None:
    """Raise Conflict if a seat, or the game's app, has said so much that no import would take the log.

    Only a log that is long enough to contain so much is read.
    """
    if act.game.version < SHORT:
        return
    move = referee.talk(act.game.state).move if act.game.state is not None else ""
    said = log.said(act.context.session, act.game.id, act.number, move)
    if said.messages >= MOST_SAID or said.size + len(text.encode()) > MOST_BYTES_SAID:
        raise Conflict(FULL)


def dry_run(
    context: Context, game_id: UUID, seat: int | None, move: dict[str, Any], if_match: Expected
) -> dict[str, Any]:
    """Judge a move without making it."""
    game = load(context, game_id)
    seat = _look_at(context, game, seat)
    require_version(game, if_match)
    require_status(game)
    verdict = referee.judge(game.state, seat, move)
    return {"verdict": show_verdict(game, verdict), "version": game.version}


def outline(context: Context, stored: StoredGame, seat: int | None) -> dict[str, Any]:
    """Return what the ETag of a list of legal moves depends on, without unpacking the game."""
    game = stored.outline()
    _look_at(context, game, seat)
    return {"version": game.version}


def _look_at(context: Context, game: Game, seat: int | None) -> int:
    number = acting_seat(game, visibility_of(context.caller, game), seat)
    looks.note_moves(context, game, number)
    return number


def legal_moves(context: Context, stored: StoredGame, seat: int | None) -> dict[str, Any]:
    """List a seat's legal moves; there are none before the start and after the end."""
    game = stored.unpack(context)
    seat = _look_at(context, game, seat)
    moves = [*referee.legal_moves(game.state, seat)] if game.status == RUNNING else []
    listed = {"moves": moves, "complete": game.rules.COMPLETE}
    return {"ruleset": game.rules.ID, "version": game.version, "seat": seat, **listed}


def suggestion(context: Context, game_id: UUID, seat: int | None) -> dict[str, Any]:
    """Return a good move for a seat that has legal moves, in a practice game.

    Raises Conflict if other people play too: nobody is helped against them.
    """
    game = load(context, game_id)
    seat = acting_seat(game, visibility_of(context.caller, game), seat)
    if any(other.bot is None for n, other in enumerate(game.seats) if n != seat):
        raise Conflict("Moves are suggested only in games against bots.")
    require_status(game)
    looks.note_moves(context, game, seat)
    # Whatever decides between equally good moves must not depend on the secret key of the game.
    numbers = referee.bot_numbers(game.id.bytes, game.version)
    move = referee.suggest(game.state, seat, numbers)
    ways = referee.ways(game.state, seat, move) if move else []
    return {"ruleset": game.rules.ID, "version": game.version, "seat": seat, "move": move, "transfers": ways}


def show_verdict(game: Game, verdict: referee.Verdict) -> dict[str, Any]:
    """Return the form of a verdict in answers; a refusal has a link to the text of its rule."""
    shown = verdict.to_json()
    if not verdict.legal:
        shown["link"] = f"/docs/rules/{game.ruleset}#{shown['rule']}"
    return shown


def illegal(game: Game, verdict: referee.Verdict, place: str | None = None) -> IllegalMove:
    """Return the error for a refused move, at this place of the request if there may be several."""
    shown = show_verdict(game, verdict)
    if place is not None:
        errors = {place: [shown["reason"]]}
        return IllegalMove(f"{place}: {shown['rule']}: {shown['reason']}", verdict=shown, errors=errors)
    return IllegalMove(f"{shown['rule']}: {shown['reason']}", verdict=shown)
