"""The public log of all games: C2SP's tlog-tiles, and proofs."""

from __future__ import annotations

import re
from typing import Any
from uuid import UUID

from flask import Response

from api.context import Context
from api.core.errors import NotFound
from api.features.proofs import tree
from api.features.proofs.shapes import (
    CheckpointQuestion,
    Consistency,
    ConsistencyQuestion,
    Cosignatures,
    Cosigned,
    Inclusion,
    InclusionQuestion,
)
from api.games.entries import GameInclusion
from api.games.loading import load
from api.games.views import visibility_of
from api.http import auth
from api.http.operation import Operations
from api.http.patterns import TILE

blueprint = Operations(
    "log", __name__, "The log of all games, which cannot be shortened or changed without notice."
)
FOR_EVER = "public, max-age=31536000, immutable"
NEVER = "no-store"
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


@blueprint.PUT("/v1/log/cosignatures", auth.ANYBODY, Cosignatures, body=Cosigned, **FINDS)
def add_cosignatures(context: Context, body: dict[str, Any]) -> Any:
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


@blueprint.GET("/v1/log/proofs/inclusion", auth.ANYBODY, Inclusion, query=InclusionQuestion, **FINDS)
def prove_inclusion(context: Context, query: dict[str, Any]) -> Any:
    """Prove that a leaf is in the log of all games."""
    return tree.inclusion(context, query["index"], query.get("size"))


@blueprint.GET("/v1/log/proofs/consistency", auth.ANYBODY, Consistency, query=ConsistencyQuestion, **FINDS)
def prove_consistency(context: Context, query: dict[str, Any]) -> Any:
    """Prove that the log of all games has only grown from one size to another."""
    return tree.consistency(context, query["first"], query.get("second"))


@blueprint.GET("/v1/games/<uuid:game>/inclusion", auth.READERS_OR_ANYBODY, GameInclusion, **FINDS)
def get_inclusion(context: Context, game: UUID) -> Any:
    """Prove that a game is in the log of all games, with its start and its end."""
    loaded = load(context, game)
    visibility_of(context.caller, loaded)
    return tree.of_game(context, loaded)
