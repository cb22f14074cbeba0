"""Bots, whose choices follow from the view of their seat and from numbers derived from the game's key.

So nobody can choose for them, and everybody who has the seed can repeat every choice.
"""

import hmac
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

from referee.computer import plugins
from referee.computer.cautious import cautious_bot
from referee.computer.skilled import skilled_bot
from referee.engine.chance import Below
from referee.engine.play import legal_moves
from referee.engine.position import Position
from referee.engine.views import view

Move = dict[str, Any]
Bot = Callable[[dict[str, Any], int, Sequence[Move], Below, int], Move]

BUDGET = 3_000  # moves that a bot may try for one move; those in logs were chosen with it


def _random(view: dict[str, Any], seat: int, moves: Sequence[Move], below: Below, budget: int) -> Move:
    """Play any legal move."""
    return moves[below(len(moves))]


def _cautious(view: dict[str, Any], seat: int, moves: Sequence[Move], below: Below, budget: int) -> Move:
    return cautious_bot(view, seat, moves, below)


BOTS: dict[str, Bot] = {"random": _random, "cautious": _cautious, "skilled-1": skilled_bot}
BOT_EFFORT = {
    "random": 1,
    "cautious": 20,
    "skilled-1": 100,
}  # of a move and its entry, relative to random
BROKEN_BOTS: dict[str, str] = {}  # the names of installed bots that cannot be used → why


def register_installed() -> None:
    """Make the bots of installed packages available; `BROKEN_BOTS` says why others are not."""
    bots, broken = plugins.installed()
    for name, bot in bots.items():
        BOTS[name] = _of_plugin(bot)
        BOT_EFFORT[name] = BOT_EFFORT["skilled-1"]  # nobody knows; they have the same budget
    BROKEN_BOTS.update(broken)


def _of_plugin(bot: plugins.PluginBot) -> Bot:
    def choose(view: dict[str, Any], seat: int, moves: Sequence[Move], below: Below, budget: int) -> Move:
        move = bot.choose({**view, "seat": seat}, moves, plugins.Rng(below), budget)
        if move not in moves:
            raise ValueError(f"the bot {bot.NAME}-{bot.VERSION} chose a move that is not listed: {move!r}")
        return move

    return choose


def asked_instead(state: Position, seat: int) -> list[int]:
    """Return the team mates that the game asks as well, in a phase in which one of them answers for all."""
    if state.phase not in getattr(state.ruleset, "ONE_FOR_TEAM", ()):
        return []
    return [mate for mate in state.ruleset.team(state, seat) if mate != seat and mate in state.to_act]


def bot_numbers(key: bytes, seq: int) -> Below:
    """Return a function for a bot's choice of the move of entry `seq`: each call gives the next number below
    n.

    The k-th is HMAC-SHA256(key, "bot", seq and k in 4 bytes each) as a number, modulo n.
    """
    places = count()

    def below(n: int) -> int:
        digest = hmac.digest(key, b"bot" + seq.to_bytes(4, "big") + next(places).to_bytes(4, "big"), "sha256")
        return int.from_bytes(digest, "big") % n

    return below


def bot_move(name: str, state: Position, seat: int, below: Below, budget: int | None = None) -> Move:
    """Return a bot's move for a seat that has legal moves. Raises KeyError for an unknown bot."""
    bot = BOTS[name]
    return bot(view(state, seat), seat, legal_moves(state, seat), below, BUDGET if budget is None else budget)
