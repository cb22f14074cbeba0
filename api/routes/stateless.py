"""The referee without a game: positions and records in, verdicts out, nothing stored."""

from __future__ import annotations

from typing import Any

from api.context import Context
from api.core.readers import KIB
from api.game import rulesets as rules
from api.http import auth
from api.http.operation import Operations
from api.schemas.requests.moves import LegalQuestion, Question, SampleQuestion
from api.schemas.rulesets import AnyRecord, Judged, PositionMoves, Replayed, Sampled, Suggested

LONG = 8 * KIB  # a position has less; a record that has less is short

blueprint = Operations("referee", __name__)


@blueprint.POST(
    "/v1/referee/verdicts",
    auth.ANYBODY,
    body=Question,
    answers={200: Judged},
    cost=2,
    large=True,
    long=LONG,
)
def judge_move(context: Context, body: dict[str, Any]) -> Any:
    """Judge a move in a position, or at the end of a record.

    An illegal move is a normal answer here, not an error. For a legal move, the answer has the next position.
    """
    return rules.verdict(body)


@blueprint.POST(
    "/v1/referee/legal-moves",
    auth.ANYBODY,
    body=LegalQuestion,
    answers={200: PositionMoves},
    long=LONG,
)
def list_moves_in_position(context: Context, body: dict[str, Any]) -> Any:
    """List the legal moves of a seat in a position."""
    return rules.legal_moves(body["position"], body["seat"])


@blueprint.POST(
    "/v1/referee/replays",
    auth.ANYBODY,
    body=AnyRecord,
    answers={200: Replayed},
    cost=10,
    large=True,
    long=LONG,
)
def replay_record(context: Context, body: dict[str, Any]) -> Any:
    """Replay a record: every verdict, the final position, the result."""
    return rules.replay(body)


@blueprint.POST(
    "/v1/referee/suggestions",
    auth.ANYBODY,
    body=LegalQuestion,
    answers={200: Suggested},
    cost=20,
    long=LONG,
)
def suggest_in_position(context: Context, body: dict[str, Any]) -> Any:
    """Suggest a move for a seat in a position.

    The careful bot chooses it, and sees only what the seat sees.
    """
    return rules.suggestion(body["position"], body["seat"])


@blueprint.POST(
    "/v1/referee/samples",
    auth.ANYBODY,
    body=SampleQuestion,
    answers={200: Sampled},
    cost=2,
    long=LONG,
)
def sample_position(context: Context, body: dict[str, Any]) -> Any:
    """Deal the hidden cards of a view anew.

    The answer is a position that looks like the view to its viewer. It says nothing about the real one.
    """
    return rules.sampled(body["view"], context.random_bytes(16))
