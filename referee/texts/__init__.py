"""What people and pages read about a ruleset: its rules, its cards.

>>> rule = next(rule for rule in rules("bisca") if rule.id == "bisca.tap")
>>> rule.refuses, rule.origin
(False, 'partly')
"""

from referee.engine.shapes import move_schema, options_schema
from referee.texts.catalogue import cards as card_catalogue
from referee.texts.catalogue import fact_shapes, facts, places, reasons, teams
from referee.texts.rulebook import RULE_ORIGINS, Guide, Rule, guide, guide_languages, rules, words

__all__ = [
    "RULE_ORIGINS",
    "Guide",
    "Rule",
    "card_catalogue",
    "fact_shapes",
    "facts",
    "guide",
    "guide_languages",
    "move_schema",
    "options_schema",
    "places",
    "reasons",
    "rules",
    "teams",
    "words",
]
