"""Positions in detail: who sees a zone, what a state declares, how a position is read.

>>> from referee import Match, find
>>> layout(find("bisca").State).zones["hand"].seen == OWNER
True
>>> never_legal(Match("bisca", seats=2, seed=7).state, {"type": "castle"})
Refusal(rule='common.unknown_move', reason='the moves known are cut, tap, play, exchange', fault=None)
"""

from referee.engine.chance import seed_bytes
from referee.engine.loading import read_options, restore
from referee.engine.play import never_legal, simulate
from referee.engine.position import EVERYONE, NOBODY, OWNER, Moved, layout
from referee.engine.registry import BROKEN as BROKEN_RULESETS

__all__ = [
    "BROKEN_RULESETS",
    "EVERYONE",
    "NOBODY",
    "OWNER",
    "Moved",
    "layout",
    "never_legal",
    "read_options",
    "restore",
    "seed_bytes",
    "simulate",
]
