"""Moves: listed, judged, appended; and the other things that a seat may do."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from flask import Blueprint

from api.core.context import Context
from api.http import auth
from api.http.operation import operation
from api.play import messages as talk
from api.play import moves
from api.routes.play.games import etag, moved
from api.schemas import requests

blueprint = Blueprint("moves", __name__)


@operation(
    blueprint,
    "GET",
    "/v1/games/<uuid:game>/legal-moves",
    audience=auth.WRITERS,
    query=requests.ForSeat,
    answers={200: "LegalMoves"},
    problems=("not-found",),
    etag=True,
)
def list_legal_moves(context: Context, game: UUID, query: dict[str, Any]) -> Any:
    """List a seat's legal moves now."""
    found = moves.legal_moves(context, game, query.get("seat"))
    return found, 200, etag(found)


def _judged_or_moved(done: dict[str, Any]) -> Any:
    return (done, 200, etag(done)) if "verdict" in done else moved(done)


@operation(
    blueprint,
    "POST",
    "/v1/games/<uuid:game>/moves",
    audience=auth.WRITERS,
    body=requests.NewMove,
    query=requests.DryRun,
    answers={201: "Moved", 200: "DryRun"},
    problems=("not-found", "game-not-open", "game-over", "stale-version", "illegal-move"),
    if_match=True,
    etag=True,
    idempotent=True,
    presents=_judged_or_moved,
)
def append_move(
    context: Context, game: UUID, body: dict[str, Any], query: dict[str, Any], if_match: frozenset[int] | None
) -> Any:
    """Append a move, or with `dry_run` only judge it."""
    if query["dry_run"]:
        return moves.dry_run(context, game, body["seat"], body["move"], if_match)
    return moves.append(context, game, body["seat"], body["move"], if_match)


@operation(
    blueprint,
    "POST",
    "/v1/games/<uuid:game>/resignation",
    audience=auth.WRITERS,
    body=requests.Resignation,
    answers={201: "Moved"},
    problems=("not-found", "game-not-open", "game-over", "stale-version"),
    if_match=True,
    etag=True,
    idempotent=True,
    presents=moved,
)
def resign(context: Context, game: UUID, body: dict[str, Any], if_match: frozenset[int] | None) -> Any:
    """Resign: the seat's team loses and the game is over."""
    return talk.resign(context, game, body["seat"], if_match)


@operation(
    blueprint,
    "POST",
    "/v1/games/<uuid:game>/messages",
    audience=auth.WRITERS,
    body=requests.NewMessage,
    answers={201: "Said"},
    problems=("not-found", "game-over"),
    idempotent=True,
)
def post_message(context: Context, game: UUID, body: dict[str, Any]) -> Any:
    """Say something at the table, to all who see the game.

    Talk ends with the game, like its log and every stream of it.
    """
    return talk.say(context, game, body["seat"], body["text"])
