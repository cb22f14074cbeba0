"""What the rulesets say of themselves."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import referee
import referee.positions
import referee.texts
from api.core.errors import BadRequest, NotFound
from api.core.json import Json
from api.rulesets.answers import MOST_MOVES, Ruleset, RulesetList, RulesetSummary

SEEN_BY: dict[int | str, str] = {
    referee.positions.EVERYONE: "everyone",
    referee.positions.NOBODY: "nobody",
    referee.positions.OWNER: "owner",
}


@lru_cache(maxsize=64)
def rulesets(language: str) -> RulesetList:
    """List the available rulesets, without the texts of their rules, with summaries in a language."""
    return {"items": [_named(rules, language) for rules in referee.newest()], "next": None}


def _named(rules: referee.Ruleset[Any], language: str) -> RulesetSummary:
    return {
        "id": rules.ID,
        "version": rules.VERSION,
        "versions": referee.versions(rules.ID),
        "name": referee.texts.name(rules, language),
        "summary": referee.texts.guide(rules.ID, rules.VERSION, language).summary,
        "seats": list(rules.SEATS),
        "tile": referee.texts.tile(rules),
        "languages": list(referee.texts.guide_languages(rules.ID, rules.VERSION)),
    }


@lru_cache(maxsize=64)
def ruleset(name: str, language: str = "en") -> Ruleset:
    """Describe a ruleset at its newest version, with its words in a language. Raises NotFound."""
    try:
        rules = referee.find(name)
    except referee.Malformed:
        raise NotFound("There is no such ruleset.") from None
    return {
        **_named(rules, language),
        "options": referee.texts.options_schema(rules.options(max(rules.SEATS))),
        "moves": {kind: referee.texts.move_schema(kind, fields) for kind, fields in rules.MOVES.items()},
        "phases": {phase: list(kinds) for phase, kinds in rules.PHASES.items()},
        "complete": rules.COMPLETE,
        "reasons": dict(rules.REASONS),
        "facts": referee.texts.facts(rules),
        "cards": referee.texts.card_catalogue(rules),
        "teams": referee.texts.teams(rules),
        "zones": [
            {
                "name": zone,
                "per_seat": spec.per_seat,
                "ordered": spec.sort is None,
                "seen_by": SEEN_BY.get(spec.seen, f"the seat in facts.{spec.seen}"),
            }
            for zone, spec in referee.positions.layout(rules.State).zones.items()
        ],
        "rules": [rule._asdict() for rule in referee.texts.rules(rules.ID, rules.VERSION, language)],
        "how_to_play": referee.texts.guide(rules.ID, rules.VERSION, language).how_to_play,
        "text": referee.rules_text(rules.ID, rules.VERSION, language),
        "words": referee.texts.words(rules.ID, language, rules.VERSION),
    }


def require_few_moves(data: Json) -> None:
    """Raise BadRequest if a record has more moves than the service replays."""
    moves = data.get("moves")
    if type(moves) is list and len(moves) > MOST_MOVES:
        raise BadRequest({"moves": [f"Has more than {MOST_MOVES} moves; `referee verify` takes any number."]})
