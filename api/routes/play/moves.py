"""List, judge and make moves; and the other things that a seat may do."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from api.context import Context, Unconfirmed
from api.core.callers import Expected
from api.game import finding
from api.http import auth, conditional
from api.http.operation import Operations
from api.play import messages as talk
from api.play import moves
from api.routes.play.games import APPENDS, etag, moved
from api.schemas.moves import DryRun, LegalMoves, Moved, Said, Suggestion
from api.schemas.requests.moves import NewMessage, NewMove, OldDryRun, Resignation
from api.schemas.requests.queries import ForSeat

blueprint = Operations("moves", __name__)


@blueprint.GET(
    "/v1/games/<uuid:game>/legal-moves", auth.WRITERS, LegalMoves, query=ForSeat, etag=True, confirms=True
)
def list_legal_moves(context: Context, game: UUID, query: dict[str, Any]) -> Any:
    """List a seat's legal moves in the current position."""
    found, seat = finding.find(context, game), query.get("seat")
    if isinstance(found, Unconfirmed):
        return found
    if conditional.asks():
        newest = etag(moves.outline(context, found, seat))
        if conditional.is_known(newest, context):
            found.back(context)
            return None, 304, newest
    listed = moves.legal_moves(context, found, seat)
    return listed, 200, etag(listed)


@blueprint.GET(
    "/v1/games/<uuid:game>/suggestion",
    auth.WRITERS,
    Suggestion,
    query=ForSeat,
    problems=("conflict", "game-not-open", "game-over"),
)
def suggest_move(context: Context, game: UUID, query: dict[str, Any]) -> Any:
    """Suggest a move to a beginner.

    Only in a game in which all other seats are bots: nobody is helped against people. The bot that chooses
    sees what the seat sees.
    """
    return moves.suggestion(context, game, query.get("seat"))


def _judged_or_moved(done: dict[str, Any]) -> Any:
    return (done, 200, etag(done)) if "verdict" in done else moved(done)


@blueprint.POST(
    "/v1/games/<uuid:game>/moves",
    auth.WRITERS,
    body=NewMove,
    query=OldDryRun,
    answers={201: Moved},
    problems=("game-not-open", "game-over", "conflict", "stale-version", "illegal-move", "signature-needed"),
    if_match=True,
    etag=True,
    idempotent=True,
    confirms=True,
    presents=_judged_or_moved,
)
def append_move(
    context: Context, game: UUID, body: dict[str, Any], query: dict[str, Any], if_match: Expected
) -> Any:
    """Make a move."""
    if query["dry_run"]:
        return moves.dry_run(context, game, body["seat"], body["move"], if_match)
    return moves.append(context, game, body["seat"], body["move"], if_match, body["signed"])


@blueprint.POST(
    "/v1/games/<uuid:game>/moves/dry-run",
    auth.WRITERS,
    body=NewMove,
    answers={200: DryRun},
    problems=("game-not-open", "game-over", "stale-version"),
    if_match=True,
    etag=True,
)
def try_move(context: Context, game: UUID, body: dict[str, Any], if_match: Expected) -> Any:
    """Judge a move without making it.

    An illegal move is a normal answer here, not an error. Nothing is changed, so no `Idempotency-Key` is
    needed.
    """
    verdict = moves.dry_run(context, game, body["seat"], body["move"], if_match)
    return verdict, 200, etag(verdict)


@blueprint.POST(
    "/v1/games/<uuid:game>/resignation",
    auth.WRITERS,
    body=Resignation,
    problems=("game-not-open", "game-over", "stale-version", "signature-needed"),
    if_match=True,
    **APPENDS,
)
def resign(context: Context, game: UUID, body: dict[str, Any], if_match: Expected) -> Any:
    """Resign: the seat's team loses, and the game is over."""
    return talk.resign(context, game, body["seat"], if_match, body["signed"])


@blueprint.POST(
    "/v1/games/<uuid:game>/messages",
    auth.WRITERS,
    Said,
    body=NewMessage,
    problems=("game-over", "conflict", "illegal-move", "signature-needed", "stale-version"),
    idempotent=True,
)
def post_message(context: Context, game: UUID, body: dict[str, Any]) -> Any:
    """Post a chat message, visible to everybody who can see the game.

    A game has the member `talk` where its rules limit what players may say: a message is a move, and the
    entry a `moved` one; or talk is forbidden, and refused as an illegal move is. After the end of the game
    nothing more is written to its log: talk goes on in its chat.
    """
    return talk.say(context, game, body["seat"], body["text"], body["signed"])
