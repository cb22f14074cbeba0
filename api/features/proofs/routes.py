"""The public log of all games: C2SP's tlog-tiles, and proofs."""

from __future__ import annotations

import re
from typing import Any
from uuid import UUID

from flask import Response

from api.context import Context
from api.core.errors import NotFound
from api.features.proofs import evidence, keys, tree
from api.features.proofs.answers import Consistency, Cosignatures, GameBundle, LogKeyList
from api.http import auth
from api.http.fields import Input, QueryWhole, Text
from api.http.operation import Operations
from api.http.patterns import TILE
from api.http.queries import ForSeat

MOST_LEAVES = 9_999_999_999


class CheckpointQuestion(Input):
    """Which checkpoint."""

    cosigned = QueryWhole(1, 64, about="The newest that so many witnesses have cosigned.")


class Cosigned(Input):
    """A checkpoint with cosignatures."""

    checkpoint = Text(1, 8192, required=True, about="The signed note, with the lines of witnesses.")


class ConsistencyQuestion(Input):
    """The two trees."""

    first = QueryWhole(1, MOST_LEAVES, required=True, about="The size of the smaller tree.")
    second = QueryWhole(1, MOST_LEAVES, about="The size of the larger tree; the newest by default.")


blueprint = Operations(
    "log", __name__, "The log of all games, which cannot be shortened or changed without notice."
)
FOR_EVER = "public, max-age=31536000, immutable"
NEVER = "no-store"
PRIVATE = {"Cache-Control": "private, no-store", "Vary": "Authorization, Card-Referee-Player"}
WHOLE: dict[str, Any] = {"cost": 10, "long": 0, "problems": ("conflict",)}  # logs
FINDS: dict[str, Any] = {"problems": ("not-found",)}


@blueprint.GET(
    "/v1/log/checkpoint",
    auth.ANYBODY,
    "The signed checkpoint of the log, as text.",
    query=CheckpointQuestion,
    produces=("text/plain",),
    **FINDS,
)
def get_checkpoint(context: Context, query: dict[str, Any]) -> Any:
    """Return the signed size and root of the log of all games.

    Every game that is created and every end of a game is a leaf of this log, which identifies the game by its
    commitment. Paths and formats are those of C2SP's tlog-tiles (`c2sp.org/tlog-tiles`), hashes those of RFC
    9162. A leaf is added some seconds after its event. Below the server's signature are the cosignatures of
    its witnesses (`c2sp.org/tlog-cosignature`), which the newest checkpoint may not have yet.
    """
    note = tree.checkpoint(context, query.get("cosigned", 0))
    return Response(note, content_type="text/plain; charset=utf-8")


@blueprint.PUT("/v1/log/cosignatures", auth.ANYBODY, body=Cosigned, **FINDS)
def add_cosignatures(context: Context, body: dict[str, Any]) -> Cosignatures:
    """Publish cosignatures of a checkpoint.

    Anybody may bring them. Only those of witnesses that the server is configured with (`WITNESSES`) are kept.
    """
    return tree.accept_cosignatures(context, body["checkpoint"])


@blueprint.GET(
    "/v1/log/tile/<path:tile>",
    auth.ANYBODY,
    "The bytes of the tile or bundle; in the example in base64.",
    produces=("application/octet-stream",),
    **FINDS,
)
def get_tile(context: Context, tile: str) -> Any:
    """Return a tile of hashes or a bundle of entries of the log of all games."""
    if not re.fullmatch(TILE.strip("^$"), tile):
        raise NotFound("There is no such tile.")
    data, full = tree.tile(context, tile)
    headers = {"Cache-Control": FOR_EVER if full else NEVER}
    return Response(data, content_type="application/octet-stream", headers=headers)


@blueprint.GET("/v1/log/proofs/consistency", auth.ANYBODY, query=ConsistencyQuestion, **FINDS)
def prove_consistency(context: Context, query: dict[str, Any]) -> Consistency:
    """Prove that the log of all games has only grown from one size to another."""
    return tree.consistency(context, query["first"], query.get("second"))


@blueprint.GET("/v1/log-keys", auth.ANYBODY, tag="system")
def list_log_keys(context: Context) -> LogKeyList:
    """List the current and former keys that sign receipts, newest first.

    A receipt is a C2SP checkpoint (`c2sp.org/tlog-checkpoint`): its origin is the key's name, a slash and the
    game's id. `referee verify --receipts` compares receipts with a record.
    """
    return {"items": keys.show_all(context.session), "next": None}


@blueprint.GET(
    "/v1/games/<uuid:game>/bundle",
    auth.READERS_OR_ANYBODY,
    tag="records",
    **WHOLE,
)
def get_bundle(context: Context, game: UUID) -> GameBundle:
    """Export a finished game with all its evidence.

    One file for `referee verify BUNDLE --policy POLICY`: the record with proofs that it is in the log of all
    games, a checkpoint of that log with the cosignatures of witnesses, the receipt of the game's end, and the
    server's keys.
    """
    return evidence.bundle(context, game)


@blueprint.GET(
    "/v1/games/<uuid:game>/dispute-report",
    auth.READERS_OR_ANYBODY,
    "The report, a page in HTML.",
    query=ForSeat,
    problems=("conflict",),
    produces=("text/html",),
    long=0,
    tag="records",
)
def get_dispute_report(context: Context, game: UUID, query: dict[str, Any]) -> Any:
    """Return a report of a finished game, for a person who has to settle a dispute.

    A self-contained HTML page: the game and its log, every move with its time, what one seat saw, which moves
    it could not have made instead and by which rule, how each deadline was calculated, who agreed to
    take-backs, and what was verified.
    """
    pieces = evidence.dispute_report(context, game, query.get("seat", 0))
    return Response("".join(pieces), content_type="text/html; charset=utf-8", headers=PRIVATE)
