"""The rule referee: exact rules of card games, without network, database or clock.

This module has what players, researchers and auditors need. Its modules `table`, `records`, `proofs`,
`verification`, `dispute`, `clocks`, `texts`, `bots`, `positions` and `ratings` have the rest. Everything else
is private, except `referee.typed`, the environments `referee.computer.pettingzoo`, and what authors of
rulesets import, such as `referee.authoring`.

>>> match = Match("bisca", seats=2, seed=7)
>>> match.play(0, {"type": "tap"})
>>> match.view(1)["facts"]["trump"], match.view(1)["zones"]["hand.0"]
('H', {'count': 3})
"""

from referee.computer.actions import Actions as Actions
from referee.computer.actions import Unencodable as Unencodable
from referee.computer.bots import bot_move as bot_move
from referee.computer.bots import register_installed as register_installed_bots
from referee.computer.match import Match as Match
from referee.computer.match import payoffs as payoffs
from referee.computer.sampling import sample as sample
from referee.computer.tips import suggest as suggest
from referee.engine.chance import Chance as Chance
from referee.engine.chance import Noted as Noted
from referee.engine.chance import Scripted as Scripted
from referee.engine.chance import Seeded as Seeded
from referee.engine.chance import commitment as commitment
from referee.engine.chance import game_key as game_key
from referee.engine.play import advance as advance
from referee.engine.play import deal as deal
from referee.engine.play import judge as judge
from referee.engine.play import legal_moves as legal_moves
from referee.engine.play import read as read
from referee.engine.play import resign as resign
from referee.engine.position import Position as Position
from referee.engine.position import Transfer as Transfer
from referee.engine.position import clone as clone
from referee.engine.registry import find as find
from referee.engine.registry import newest as newest
from referee.engine.registry import versions as versions
from referee.engine.ruleset import Ruleset as Ruleset
from referee.engine.shapes import Move as Move
from referee.engine.verdicts import ChanceExhausted as ChanceExhausted
from referee.engine.verdicts import IllegalMove as IllegalMove
from referee.engine.verdicts import Malformed as Malformed
from referee.engine.verdicts import Refusal as Refusal
from referee.engine.verdicts import Verdict as Verdict
from referee.engine.views import dump as dump
from referee.engine.views import public_move as public_move
from referee.engine.views import show_transfers as show_transfers
from referee.engine.views import view as view
from referee.log.record import Record as Record
from referee.log.record import read_record as read_record
from referee.log.record import replay as replay
from referee.log.record import steps as steps
from referee.log.record import write_record as write_record
from referee.texts.rulebook import rules_text as rules_text
from referee.verification.verify import Verification as Verification
from referee.verification.verify import verify as verify
from referee.workshop.installed import register_installed
from referee.workshop.scenarios import check as check

register_installed()
register_installed_bots()
