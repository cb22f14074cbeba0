"""The log of all games: its queries and proofs."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from api.core.paging import PageOf
from api.games.entries import GameRecord, LogKey
from api.http.answers import Count, Hash
from api.http.fields import QueryWhole, Text
from api.http.shapes import Input

MOST_LEAVES = 9_999_999_999


class CheckpointQuestion(Input):
    """Which checkpoint."""

    cosigned = QueryWhole(1, 64, about="The newest that so many witnesses have cosigned.")


class Cosigned(Input):
    """A checkpoint with cosignatures."""

    checkpoint = Text(1, 8192, required=True, about="The signed note, with the lines of witnesses.")


class Cosignatures(TypedDict):
    """How many cosignatures a checkpoint has now."""

    size: Annotated[Count, "Of its tree."]
    cosignatures: Count


class ConsistencyQuestion(Input):
    """The two trees."""

    first = QueryWhole(1, MOST_LEAVES, required=True, about="The size of the smaller tree.")
    second = QueryWhole(1, MOST_LEAVES, about="The size of the larger tree; the newest by default.")


class Consistency(TypedDict):
    """The proof that the log of all games has only grown (RFC 9162, 2.1.4)."""

    first: Count
    second: Count
    proof: list[Hash]


class LogKeyList(PageOf[LogKey]):
    """Every key of the server, newest first, on one page."""


class GameBundle(TypedDict):
    """A finished game with everything that is needed to verify it offline."""

    format: Literal["card-referee-bundle/1"]
    record: GameRecord
    receipts: Annotated[list[str], "Of the game's end; empty without a key."]
    keys: Annotated[list[LogKey], "All keys of the server."]
