"""What people and pages read about a ruleset: its rules, its cards.

>>> rule = next(rule for rule in rules("bisca") if rule.id == "bisca.tap")
>>> rule.refuses, rule.origin
(False, 'partly')
"""

from referee.engine.shapes import move_schema as move_schema
from referee.engine.shapes import options_schema as options_schema
from referee.texts.catalogue import card_catalogue as card_catalogue
from referee.texts.catalogue import fact_shapes as fact_shapes
from referee.texts.catalogue import facts as facts
from referee.texts.catalogue import places as places
from referee.texts.catalogue import teams as teams
from referee.texts.catalogue import tile as tile
from referee.texts.rulebook import RULE_ORIGINS as RULE_ORIGINS
from referee.texts.rulebook import Guide as Guide
from referee.texts.rulebook import Rule as Rule
from referee.texts.rulebook import guide as guide
from referee.texts.rulebook import guide_languages as guide_languages
from referee.texts.rulebook import name as name
from referee.texts.rulebook import rules as rules
from referee.texts.rulebook import words as words
