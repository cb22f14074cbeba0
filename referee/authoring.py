"""Everything that a ruleset may import, whether it is in this repository or in its own package.

Rulesets may also import `referee.cards`, `referee.tricks`, `referee.combos` and `referee.choices`.
"""

from typing import Any

from referee.engine.blocks import MoveRule, MoveType, move_type, only, rule
from referee.engine.chance import Chance
from referee.engine.checks import check_size, check_team_scores, check_trick, check_whole_tricks, require
from referee.engine.completion import complete, switch
from referee.engine.fixed import fixed
from referee.engine.moving import (
    across,
    alone,
    always,
    clockwise,
    deal_round,
    enter,
    finish,
    gather,
    leaders,
    move,
    outcome,
    put,
    score,
    to_act,
)
from referee.engine.position import (
    AS_TEXT,
    EVERYONE,
    NOBODY,
    OWNER,
    Position,
    Zone,
    cached,
    fact,
    seat_list,
    seat_number,
    state,
    zone,
)
from referee.engine.ruleset import Moves
from referee.engine.shapes import (
    BOOLEAN,
    CARD,
    CARDS,
    COUNT,
    INTEGER,
    STRING,
    Bool,
    Field,
    Int,
    Kind,
    ListOf,
    Maybe,
    Move,
    Object,
    OneOf,
    Option,
    Text,
)
from referee.engine.talk import FREE, Talk
from referee.engine.verdicts import Malformed, Refusal, not_held

Options = dict[str, Option]
Result = dict[str, Any] | None  # what the end of a game gives

__all__ = [
    "AS_TEXT",
    "BOOLEAN",
    "CARD",
    "CARDS",
    "COUNT",
    "EVERYONE",
    "FREE",
    "INTEGER",
    "NOBODY",
    "OWNER",
    "STRING",
    "Bool",
    "Chance",
    "Field",
    "Int",
    "Kind",
    "ListOf",
    "Malformed",
    "Maybe",
    "Move",
    "MoveRule",
    "MoveType",
    "Moves",
    "Object",
    "OneOf",
    "Option",
    "Options",
    "Position",
    "Refusal",
    "Result",
    "Talk",
    "Text",
    "Zone",
    "across",
    "alone",
    "always",
    "cached",
    "check_size",
    "check_team_scores",
    "check_trick",
    "check_whole_tricks",
    "clockwise",
    "complete",
    "deal_round",
    "enter",
    "fact",
    "finish",
    "fixed",
    "gather",
    "leaders",
    "move",
    "move_type",
    "not_held",
    "only",
    "outcome",
    "put",
    "require",
    "rule",
    "score",
    "seat_list",
    "seat_number",
    "state",
    "switch",
    "to_act",
    "zone",
]
