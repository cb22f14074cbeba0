"""The move that is made for a late seat if the game continues without it."""

import hmac
from collections.abc import Mapping
from typing import Any

from referee.computer.bots import bot_move, bot_numbers
from referee.engine.play import judge, legal_moves
from referee.engine.position import Position

BOT = "cautious"  # moves for late seats if the pace says so


def forced_move(
    state: Position, seat: int, key: bytes, seq: int, on_timeout: str = "random_move"
) -> dict[str, Any]:
    """Return the move for a late seat: the game's key always gives the same one.

    It is the phase's passive move, if there is one and it is legal. Otherwise the cautious bot chooses, with
    `on_timeout` `bot`, or the key: HMAC-SHA256(key, "timeout" and the seq of the move's entry in 4 bytes), as
    a number, modulo the number of legal moves in their fixed order. No chance is drawn, so later deals do not
    depend on who is late.
    """
    passive_moves: Mapping[str, str] = getattr(state.ruleset, "PASSIVE", {})
    if state.phase in passive_moves:
        passive = {"type": passive_moves[state.phase]}
        if judge(state, seat, passive).legal:
            return passive
    if on_timeout == "bot":
        return bot_move(BOT, state, seat, bot_numbers(key, seq))
    moves = legal_moves(state, seat)
    digest = hmac.digest(key, b"timeout" + seq.to_bytes(4, "big"), "sha256")
    return moves[int.from_bytes(digest, "big") % len(moves)]
