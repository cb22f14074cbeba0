"""Refusals of the referee and of the table as errors of the service."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import referee
import referee.table
from api.core.errors import BadRequest, Conflict, GameNotOpen, GameOver, IllegalMove, SeatTaken, ServiceError
from api.core.json import Json
from referee.table import commands

AnyTable = referee.table.Table[Any]

KINDS: Mapping[str, Callable[[str], ServiceError]] = {
    commands.OVER.rule: GameOver,
    commands.BEGUN.rule: GameNotOpen,
    commands.NOT_BEGUN.rule: GameNotOpen,
    commands.play.NOT_FULL.rule: GameNotOpen,
    commands.seats.LAST_TAKEN.rule: GameNotOpen,
    commands.seats.ALL_TAKEN.rule: SeatTaken,
}
FIELDS = {"table.entropy": "entropy", "table.commitment": "commitment"}  # of requests, which rules refuse
BEFORE_START, IN_PLAY, UNDER_WAY = ("open",), ("running",), ("running", "paused")  # stages of games
OF_TABLES = "table."  # with which the ids of a table's rules begin; the others are those of games


def error_of(game: AnyTable, refusal: referee.Refusal, place: str = "") -> ServiceError:
    """Return the error for what the table, or the game that is played there, refuses.

    If a field of the request is to blame, the error names it, at this place of the request.
    """
    rule, reason, _ = refusal
    if not rule.startswith(OF_TABLES):
        return illegal(game, refusal)
    if rule in FIELDS:
        return BadRequest({f"{place}{FIELDS[rule]}": [reason]})
    return KINDS.get(rule, Conflict)(reason)


def require_stage(game: AnyTable, stages: Sequence[str]) -> None:
    """Raise GameNotOpen, GameOver or Conflict if the game is at none of these stages."""
    if refusal := commands.misplaced(game, stages):
        raise error_of(game, refusal)


def show_verdict(game: AnyTable, verdict: referee.Verdict) -> Json:
    """Return the form of a verdict in answers; a refusal has a link to the text of its rule."""
    shown = verdict.to_json()
    if not verdict.legal:
        shown["link"] = f"/docs/rules/{game.ruleset}#{shown['rule']}"
    return shown


def illegal(game: AnyTable, refusal: referee.Refusal, place: str | None = None) -> IllegalMove:
    """Return the error for a refused move, at this place of the request if there may be several.

    It names the field of the move that is missing, unknown or of a wrong kind.
    """
    shown = show_verdict(game, referee.Verdict(refusal))
    if refusal.fault is not None:
        field, words = f"{place or 'move'}.{refusal.fault[0]}", refusal.fault[1]
        return IllegalMove(f"{field}: {words}", verdict=shown, errors={field: [words]})
    if place is not None:
        errors = {place: [shown["reason"]]}
        return IllegalMove(f"{place}: {shown['rule']}: {shown['reason']}", verdict=shown, errors=errors)
    return IllegalMove(f"{shown['rule']}: {shown['reason']}", verdict=shown)
