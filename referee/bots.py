"""Bots by name, and what they are given.

>>> from referee import Match
>>> match = Match("bisca", seats=2, seed=7)
>>> move = BOTS["cautious"](match.view(0), 0, match.legal_moves(0), bot_numbers(b"key", 1), 100)
>>> move in match.legal_moves(0)
True
"""

from referee.computer.bots import BOT_EFFORT as BOT_EFFORT
from referee.computer.bots import BOTS as BOTS
from referee.computer.bots import BROKEN_BOTS as BROKEN_BOTS
from referee.computer.bots import bot_numbers as bot_numbers
from referee.computer.tips import ways as ways
