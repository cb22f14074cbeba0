"""Records: games as files that can be replayed anywhere."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from flask import Response

from api.audit import imports, records, verification
from api.context import Context
from api.http import auth
from api.http.operation import Operations
from api.routes.play.games import created, etag
from api.schemas.games import Game
from api.schemas.logs.records import GameBundle, GameRecord, Verification
from api.schemas.requests.games import Importing
from api.schemas.requests.queries import ForSeat
from api.schemas.rulesets import AnyRecord

blueprint = Operations("records", __name__)
READS = ("archive-unreadable",)  # the whole log
WHOLE: dict[str, Any] = {"cost": 10, "long": 0}
PRIVATE = {"Cache-Control": "private, no-store", "Vary": "Authorization, Card-Referee-Player"}


@blueprint.GET("/v1/games/<uuid:game>/record", auth.READERS_OR_ANYBODY, GameRecord, problems=READS, **WHOLE)
def get_record(context: Context, game: UUID) -> Any:
    """Export a game: complete when it is over, before that only what the caller may see."""
    return records.record(context, game)


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
    return records.bundle(context, game)


@blueprint.GET(
    "/v1/games/<uuid:game>/verification", auth.READERS_OR_ANYBODY, Verification, problems=READS, **WHOLE
)
def verify_game(context: Context, game: UUID) -> Any:
    """Verify a game.

    The log is replayed from its seed: numbers, hashes, sealed parts, commitment, shuffles, verdicts,
    transfers, result, and the stored position. Each check says whether it holds, or which entry fails first.
    """
    return verification.verify(context, game)


def _brought_in(done: tuple[dict[str, Any], bool]) -> Any:
    game, new = done
    return created(game) if new else (game, 200, etag(game))


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
    pieces = records.dispute_report(context, game, query.get("seat", 0))
    return Response("".join(pieces), content_type="text/html; charset=utf-8", headers=PRIVATE)


@blueprint.POST(
    "/v1/records",
    auth.APP_WRITERS,
    body=AnyRecord,
    query=Importing,
    answers={201: Game, 200: Game},
    cost=20,
    problems=("commitment-known", "illegal-move", "invalid-record", "limit-reached"),
    etag=True,
    idempotent=True,
    large=True,
    long=0,
    presents=_brought_in,
)
def create_game_from_record(context: Context, body: dict[str, Any], query: dict[str, Any]) -> Any:
    """Import a record.

    The log and the moves are verified first; if anything fails, the whole record is refused with the first
    fault. A finished record becomes a finished game; another one continues, without players and deadlines.
    The game shows that it was imported, and by which app. Players of other apps appear in it only by name.
    Importing the same record again returns the same game (200). A game that was dealt here, or that another
    app has imported, is refused (409).
    """
    return imports.import_record(context, body, query["visibility"])
