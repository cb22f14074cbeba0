"""What these operations answer."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from api.core.paging import PageOf
from api.games.answers_of_logs import GameRecord, LogKey
from api.http.answers import Count, Hash


class Cosignatures(TypedDict):
    """How many cosignatures a checkpoint has now."""

    size: Annotated[Count, "Of its tree."]
    cosignatures: Count


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
