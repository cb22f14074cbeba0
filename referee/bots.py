"""Bots: what they choose follows from what their seat sees and from numbers that the game's key gives.

So nobody chooses for them, and anyone who has the seed can repeat every choice.
"""

import hmac
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

from referee.cautious import cautious_bot
from referee.play import legal_moves
from referee.position import Position
from referee.views import view

Move = dict[str, Any]
Below = Callable[[int], int]
Bot = Callable[[dict[str, Any], int, Sequence[Move], Below], Move]


def random_bot(view: dict[str, Any], seat: int, moves: Sequence[Move], below: Below) -> Move:
    """Play any legal move."""
    return moves[below(len(moves))]


BOTS: dict[str, Bot] = {"random": random_bot, "cautious": cautious_bot}
EFFORT = {"random": 1, "cautious": 20}  # about what a move costs in addition to a random one, entry included


def numbers(key: bytes, seq: int) -> Below:
    """Return the numbers for a bot's choice of the move of entry `seq`: each call gives the next one below n.

    The k-th is HMAC-SHA256(key, "bot", seq and k in 4 bytes each) as a number, modulo n.
    """
    places = count()

    def below(n: int) -> int:
        digest = hmac.digest(key, b"bot" + seq.to_bytes(4, "big") + next(places).to_bytes(4, "big"), "sha256")
        return int.from_bytes(digest, "big") % n

    return below


def bot_move(name: str, state: Position, seat: int, below: Below) -> Move:
    """Return the move that a bot makes for a seat which has one. Raises KeyError for an unknown bot."""
    bot = BOTS[name]
    return bot(view(state, seat), seat, legal_moves(state, seat), below)
