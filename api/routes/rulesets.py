"""The games on offer."""

from __future__ import annotations

from typing import Any

from flask import Blueprint

from api.core.context import Context
from api.game import rulesets as rules
from api.http import auth
from api.http.operation import operation

blueprint = Blueprint("rulesets", __name__)


@operation(
    blueprint,
    "GET",
    "/v1/rulesets",
    audience=auth.ANYBODY,
    answers={200: "RulesetList"},
)
def list_rulesets(context: Context) -> Any:
    """List the games on offer."""
    return rules.rulesets()


@operation(
    blueprint,
    "GET",
    "/v1/rulesets/<string(maxlength=64):ruleset>",
    audience=auth.ANYBODY,
    answers={200: "Ruleset"},
    problems=("not-found",),
)
def get_ruleset(context: Context, ruleset: str) -> Any:
    """Describe a game: seats, options, moves, zones, and the rules with their ids."""
    return rules.ruleset(ruleset)
