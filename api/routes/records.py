"""Records: games as files that can be replayed anywhere."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from flask import Response

from api.context import Context
from api.http import auth
from api.http.operation import Operations
from api.records import export, verification
from api.schemas.logs.records import GameBundle, GameRecord, Verification
from api.schemas.requests.queries import ForSeat

blueprint = Operations("records", __name__)
READS = ("archive-unreadable",)  # the whole log
WHOLE: dict[str, Any] = {"cost": 10, "long": 0}
PRIVATE = {"Cache-Control": "private, no-store", "Vary": "Authorization, Card-Referee-Player"}


@blueprint.GET("/v1/games/<uuid:game>/record", auth.READERS_OR_ANYBODY, GameRecord, problems=READS, **WHOLE)
def get_record(context: Context, game: UUID) -> Any:
    """Export a game: complete when it is over, before that only what the caller may see."""
    return export.record(context, game)


@blueprint.GET(
    "/v1/games/<uuid:game>/bundle",
    auth.READERS_OR_ANYBODY,
    GameBundle,
    problems=("conflict", *READS),
    **WHOLE,
)
def get_bundle(context: Context, game: UUID) -> Any:
    """Export a finished game with all its evidence.

    One file for `referee verify BUNDLE --policy POLICY`: the record with proofs that it is in the log of all
    games, a checkpoint of that log with the cosignatures of witnesses, the receipt of the game's end, and the
    server's keys.
    """
    return export.bundle(context, game)


@blueprint.GET(
    "/v1/games/<uuid:game>/verification", auth.READERS_OR_ANYBODY, Verification, problems=READS, **WHOLE
)
def verify_game(context: Context, game: UUID) -> Any:
    """Verify a game.

    The log is replayed from its seed: numbers, hashes, sealed parts, commitment, shuffles, verdicts,
    transfers, result, and the stored position. Each check says whether it holds, or which entry fails first.
    """
    return verification.verify(context, game)


@blueprint.GET(
    "/v1/games/<uuid:game>/dispute-report",
    auth.READERS_OR_ANYBODY,
    query=ForSeat,
    problems=("conflict", *READS),
    produces=("text/html",),
    long=0,
)
def get_dispute_report(context: Context, game: UUID, query: dict[str, Any]) -> Any:
    """Return a report of a finished game, for a person who has to settle a dispute.

    A self-contained HTML page: the game and its log, every move with its time, what one seat saw, which moves
    it could not have made instead and by which rule, how each deadline was calculated, who agreed to
    take-backs, and what was verified.
    """
    pieces = export.dispute_report(context, game, query.get("seat", 0))
    return Response("".join(pieces), content_type="text/html; charset=utf-8", headers=PRIVATE)
