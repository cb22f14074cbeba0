"""Positions in detail: who sees a zone, what a state declares, how a position is read.

>>> from referee import Match, find
>>> layout(find("bisca").State).zones["hand"].seen == OWNER
True
>>> never_legal(Match("bisca", seats=2, seed=7).state, {"type": "castle"})
Refusal(rule='common.unknown_move', reason='the moves known are cut, tap, play, exchange', fault=None)
"""

from referee.engine.chance import seed_bytes as seed_bytes
from referee.engine.loading import read_options as read_options
from referee.engine.loading import restore as restore
from referee.engine.play import never_legal as never_legal
from referee.engine.play import simulate as simulate
from referee.engine.position import EVERYONE as EVERYONE
from referee.engine.position import NOBODY as NOBODY
from referee.engine.position import OWNER as OWNER
from referee.engine.position import Moved as Moved
from referee.engine.position import layout as layout
from referee.engine.registry import BROKEN_RULESETS as BROKEN_RULESETS
