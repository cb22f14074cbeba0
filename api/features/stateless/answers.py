"""What these operations answer."""

from __future__ import annotations

from typing import Annotated, NotRequired, TypedDict

from api.http.answers import Count, Json, published
from api.rulesets.answers import WAYS, Position, Refused, Result, Transfer, Verdict
from api.rulesets.declared import of_each_ruleset


class Judged(TypedDict):
    """A verdict; for a legal move also the next position and the transfers."""

    verdict: Annotated[Json, Verdict]
    position: NotRequired[Position]
    transfers: NotRequired[list[Annotated[Json, Transfer]]]


@published(schema=of_each_ruleset)
class PositionMoves(TypedDict):
    """The legal moves of a seat in a position."""

    complete: bool
    ruleset: str
    moves: list[Json]


@published(schema=of_each_ruleset)
class Suggested(TypedDict):
    """What the strongest bot would do in a position."""

    transfers: Annotated[list[Annotated[Json, Transfer]], WAYS]
    ruleset: str
    move: Json | None


class Sampled(TypedDict):
    """A position that its viewer cannot tell from the real one."""

    position: Position


class Replayed(TypedDict):
    """How far a record could be replayed."""

    ok: Annotated[bool, "Every move is legal and the result is the one that the record says."]
    moves: Annotated[Count, "How many moves were legal."]
    position: Position
    result: Result | None
    refused: Annotated[Refused | None, "The first illegal move."]
