"""Bots, whose choices follow from the view of their seat and from numbers derived from the game's key.

So nobody can choose for them, and everybody who has the seed can repeat every choice.
"""

import hmac
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

from referee.computer.cautious import cautious_bot
from referee.engine.play import legal_moves
from referee.engine.position import Position
from referee.engine.views import view

Move = dict[str, Any]
Below = Callable[[int], int]
Bot = Callable[[dict[str, Any], int, Sequence[Move], Below], Move]


def random_bot(view: dict[str, Any], seat: int, moves: Sequence[Move], below: Below) -> Move:
    """Play any legal move."""
    return moves[below(len(moves))]


BOTS: dict[str, Bot] = {"random": random_bot, "cautious": cautious_bot}
EFFORT = {"random": 1, "cautious": 20}  # approximate cost of a move and its entry, relative to random


def numbers(key: bytes, seq: int) -> Below:
    """Return a function for a bot's choice of the move of entry `seq`: each call gives the next number below
    n.

    The k-th is HMAC-SHA256(key, "bot", seq and k in 4 bytes each) as a number, modulo n.
    """
    places = count()

    def below(n: int) -> int:
        digest = hmac.digest(key, b"bot" + seq.to_bytes(4, "big") + next(places).to_bytes(4, "big"), "sha256")
        return int.from_bytes(digest, "big") % n

    return below


def bot_move(name: str, state: Position, seat: int, below: Below) -> Move:
    """Return a bot's move for a seat that has legal moves. Raises KeyError for an unknown bot."""
    bot = BOTS[name]
    return bot(view(state, seat), seat, legal_moves(state, seat), below)
