"""Appending a move, trying one out, and listing what may be played."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import referee
from api.ops import metrics
from api.services import bots, deadlines
from api.services.access import acting_seat, sight
from api.services.context import Context
from api.services.errors import GameNotOpen, GameOver, IllegalMove
from api.services.showing import show_entry, show_game
from api.services.table import OPEN, RUNNING, Table, load, require_version, save


@deadlines.punctual
def append(
    context: Context, game_id: UUID, seat: int | None, move: dict[str, Any], if_match: frozenset[int] | None
) -> dict[str, Any]:
    """Judge a move and write it to the log, and after it the moves of the bots that it makes act."""
    with context.session.transaction():
        table = load(context, game_id, lock=True)
        seen = sight(context.caller, table)
        seat = acting_seat(context.caller, table, seen, seat)
        deadlines.require_in_time(context, table)
        require_version(table, if_match)
        require_running(table)
        verdict = referee.judge(table.state, seat, move)
        metrics.moves.labels(table.ruleset, "legal" if verdict.legal else "illegal").inc()
        if not verdict.legal:
            raise illegal(table, verdict)
        entry = table.play(context.now(), seat, move)
        bots.play(context, table)
        save(context, table)
    table = bots.play_on(context, table)
    return {
        "entry": show_entry(entry, seen),
        "game": show_game(table, seen),
    }


def dry_run(
    context: Context, game_id: UUID, seat: int | None, move: dict[str, Any], if_match: frozenset[int] | None
) -> dict[str, Any]:
    """Judge a move and change nothing."""
    table = load(context, game_id)
    seat = acting_seat(context.caller, table, sight(context.caller, table), seat)
    require_version(table, if_match)
    require_running(table)
    verdict = referee.judge(table.state, seat, move)
    return {"verdict": show_verdict(table, verdict), "version": table.version}


def legal_moves(context: Context, game_id: UUID, seat: int | None) -> dict[str, Any]:
    """List a seat's legal moves now; none before the start and after the end."""
    table = load(context, game_id)
    seat = acting_seat(context.caller, table, sight(context.caller, table), seat)
    moves = referee.legal_moves(table.state, seat) if table.status == RUNNING else []
    return {"version": table.version, "seat": seat, "moves": moves, "complete": table.game.COMPLETE}


def require_running(table: Table) -> None:
    """Raises GameNotOpen before the start, GameOver after the end."""
    if table.status == OPEN:
        raise GameNotOpen("The game has not begun: a seat is still open.")
    if table.status != RUNNING:
        raise GameOver("The game is over.")


def show_verdict(table: Table, verdict: referee.Verdict) -> dict[str, Any]:
    """Show a verdict; a refusal with a link to the text of its rule."""
    shown = verdict.to_json()
    if not verdict.legal:
        shown["link"] = f"/docs/rules/{table.ruleset}#{shown['rule']}"
    return shown


def illegal(table: Table, verdict: referee.Verdict) -> IllegalMove:
    """Make the error of a refused move."""
    shown = show_verdict(table, verdict)
    return IllegalMove(f"{shown['rule']}: {shown['reason']}", verdict=shown)
