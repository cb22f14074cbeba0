"""The rule referee: exact rules of card games, without network, database or clock.

This module has what players, researchers and auditors need. Its modules `table`, `records`, `proofs`,
`clocks`, `texts`, `bots` and `positions` have the rest. Everything else is private, except
`referee.tiny`, `referee.typed`, the environments `referee.computer.pettingzoo` and `referee.computer.vector`,
and what authors of rulesets import, such as `referee.authoring`.

>>> match = Match("bisca", seats=2, seed=7)
>>> match.play(0, {"type": "tap"})
>>> match.view(1)["facts"]["trump"], match.view(1)["zones"]["hand.0"]
('H', {'count': 3})
"""

from referee.computer.actions import Actions, Unencodable
from referee.computer.bots import bot_move
from referee.computer.bots import register_installed as register_installed_bots
from referee.computer.knowledge import InformationState
from referee.computer.match import Match, actions_of, payoffs
from referee.computer.sampling import sample
from referee.computer.tips import suggest
from referee.engine.chance import Chance, Noted, Scripted, Seeded, commitment, game_key
from referee.engine.play import advance, deal, judge, legal_moves, read, resign
from referee.engine.position import Position, Transfer, clone
from referee.engine.registry import find, newest, versions
from referee.engine.ruleset import Ruleset
from referee.engine.shapes import Move
from referee.engine.verdicts import ChanceExhausted, IllegalMove, Malformed, Refusal, Verdict
from referee.engine.views import dump, public_move, show_transfers, view
from referee.log.record import Record, read_record, replay, steps, write_record
from referee.texts.rulebook import rules_text
from referee.verification.verify import Verification, verify
from referee.workshop.installed import register_installed
from referee.workshop.scenarios import check

__all__ = [
    "Actions",
    "Chance",
    "ChanceExhausted",
    "IllegalMove",
    "InformationState",
    "Malformed",
    "Match",
    "Move",
    "Noted",
    "Position",
    "Record",
    "Refusal",
    "Ruleset",
    "Scripted",
    "Seeded",
    "Transfer",
    "Unencodable",
    "Verdict",
    "Verification",
    "actions_of",
    "advance",
    "bot_move",
    "check",
    "clone",
    "commitment",
    "deal",
    "dump",
    "find",
    "game_key",
    "judge",
    "legal_moves",
    "newest",
    "payoffs",
    "public_move",
    "read",
    "read_record",
    "replay",
    "resign",
    "rules_text",
    "sample",
    "show_transfers",
    "steps",
    "suggest",
    "verify",
    "versions",
    "view",
    "write_record",
]

register_installed()
register_installed_bots()
