"""The available rulesets."""

from __future__ import annotations

from typing import Any

from api.context import Context
from api.game import rulesets as rules
from api.http import auth
from api.http.operation import Operations
from api.schemas.rulesets import Ruleset, RulesetList

blueprint = Operations("rulesets", __name__)


@blueprint.GET("/v1/rulesets", auth.ANYBODY, RulesetList)
def list_rulesets(context: Context) -> Any:
    """List the available rulesets."""
    return rules.rulesets()


@blueprint.GET("/v1/rulesets/<string(maxlength=64):ruleset>", auth.ANYBODY, Ruleset)
def get_ruleset(context: Context, ruleset: str) -> Any:
    """Describe a ruleset: seats, options, moves, zones, and the rules with their ids."""
    return rules.ruleset(ruleset)
