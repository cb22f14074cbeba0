"""Rulesets, and the referee without a stored game."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from marshmallow import Schema

from api.context import Context
from api.core.readers import KIB
from api.http import auth
from api.http.operation import Operations, View
from api.http.queries import InLanguage
from api.rulesets import rulesets as rules
from api.rulesets.shapes import (
    AnyRecord,
    Judged,
    LegalQuestion,
    PositionMoves,
    Question,
    Replayed,
    Ruleset,
    RulesetList,
    Sampled,
    SampleQuestion,
    Suggested,
)

RULESETS = Operations("rulesets", __name__, "The available card games, with their rules.")


@RULESETS.GET("/v1/rulesets", auth.ANYBODY, RulesetList, query=InLanguage)
def list_rulesets(context: Context, query: dict[str, Any]) -> Any:
    """List the available rulesets."""
    return rules.rulesets(query["language"])


@RULESETS.GET("/v1/rulesets/<string(maxlength=64):ruleset>", auth.ANYBODY, Ruleset, query=InLanguage)
def get_ruleset(context: Context, ruleset: str, query: dict[str, Any]) -> Any:
    """Describe a ruleset: seats, options, moves, zones, and the rules with their ids."""
    return rules.ruleset(ruleset, query["language"])


LONG = 8 * KIB  # a position has less; a record that has less is short

REFEREE = Operations("referee", __name__, "Stateless use of the referee: nothing is stored.")


def question(name: str, body: type[Schema], answer: type[Schema], **declared: Any) -> Callable[[View], View]:
    """Route a view that answers a question to the referee; anybody may ask."""
    rule = f"/v1/referee/{name}"
    return REFEREE.POST(rule, auth.ANYBODY, body=body, answers={200: answer}, long=LONG, **declared)


@question("verdicts", Question, Judged, cost=2, large=True)
def judge_move(context: Context, body: dict[str, Any]) -> Any:
    """Judge a move in a position, or at the end of a record.

    An illegal move is a normal answer here, not an error. For a legal move, the answer has the next position.
    """
    return rules.verdict(body)


@question("legal-moves", LegalQuestion, PositionMoves)
def list_moves_in_position(context: Context, body: dict[str, Any]) -> Any:
    """List the legal moves of a seat in a position."""
    return rules.legal_moves(body["position"], body["seat"])


OPENING = {
    "format": "card-referee/1",
    "ruleset": "cats_and_dogs",
    "version": 1,
    "seats": 1,
    "options": {},
    "seed": "00",
    "entropy": [""],
    "moves": [],
    "result": None,
}


@question(
    "replays",
    AnyRecord,
    Replayed,
    cost=10,
    large=True,
    examples={"opening": ("The first move of a solo game", OPENING)},
)
def replay_record(context: Context, body: dict[str, Any]) -> Any:
    """Replay a record: every verdict, the final position, the result."""
    return rules.replay(body)


@question("suggestions", LegalQuestion, Suggested, cost=20)
def suggest_in_position(context: Context, body: dict[str, Any]) -> Any:
    """Suggest a move for a seat in a position.

    The strongest bot chooses it, and sees only what the seat sees.
    """
    return rules.suggestion(body["position"], body["seat"])


@question("samples", SampleQuestion, Sampled, cost=2)
def sample_position(context: Context, body: dict[str, Any]) -> Any:
    """Deal the hidden cards of a view anew.

    The answer is a position that looks like the view to its viewer. It says nothing about the real one.
    """
    return rules.sampled(body["view"], context.random_bytes(16))
