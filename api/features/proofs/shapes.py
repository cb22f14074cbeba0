"""The log of all games: its queries and proofs."""

from __future__ import annotations

from api.games.entries import GameRecord, LogKey
from api.http.fields import Fixed, QueryWhole, Text
from api.http.members import Count, Hash, List, Nested, String
from api.http.shapes import Answer, Input, page_of

MOST_LEAVES = 9_999_999_999


class CheckpointQuestion(Input):
    """Which checkpoint."""

    cosigned = QueryWhole(1, 64, about="The newest that so many witnesses have cosigned.")


class Cosigned(Input):
    """A checkpoint with cosignatures."""

    checkpoint = Text(1, 8192, required=True, about="The signed note, with the lines of witnesses.")


class Cosignatures(Answer):
    """How many cosignatures a checkpoint has now."""

    size = Count(about="Of its tree.")
    cosignatures = Count()


class ConsistencyQuestion(Input):
    """The two trees."""

    first = QueryWhole(1, MOST_LEAVES, required=True, about="The size of the smaller tree.")
    second = QueryWhole(1, MOST_LEAVES, about="The size of the larger tree; the newest by default.")


class Consistency(Answer):
    """The proof that the log of all games has only grown (RFC 9162, 2.1.4)."""

    first = Count()
    second = Count()
    proof = List(Hash())


LogKeyList = page_of(LogKey, "LogKeyList", "Every key of the server, newest first, on one page.")


class GameBundle(Answer):
    """A finished game with everything that is needed to verify it offline."""

    format = Fixed("card-referee-bundle/1")
    record = Nested(GameRecord)
    receipts = List(String(), about="Of the game's end; empty without a key.")
    keys = List(Nested(LogKey), about="All keys of the server.")
