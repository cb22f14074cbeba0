"""The rulesets on offer."""

from __future__ import annotations

from typing import Any

from api.context import Context
from api.http import auth
from api.http.operation import Operations
from api.http.queries import InLanguage
from api.rulesets import rulesets as rules
from api.rulesets.answers import Ruleset, RulesetList

RULESETS = Operations("rulesets", __name__, "The available card games, with their rules.")


@RULESETS.GET("/v1/rulesets", auth.ANYBODY, query=InLanguage)
def list_rulesets(context: Context, query: dict[str, Any]) -> RulesetList:
    """List the available rulesets."""
    return rules.rulesets(query["language"])


@RULESETS.GET("/v1/rulesets/<string(maxlength=64):ruleset>", auth.ANYBODY, query=InLanguage)
def get_ruleset(context: Context, ruleset: str, query: dict[str, Any]) -> Ruleset:
    """Describe a ruleset: seats, options, moves, zones, and the rules with their ids."""
    return rules.ruleset(ruleset, query["language"])
