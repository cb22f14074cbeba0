"""The move that is made for a late seat if the game continues without it."""

import hmac
from typing import Any

from referee.play import legal_moves
from referee.position import Position


def forced_move(state: Position, seat: int, key: bytes, seq: int) -> dict[str, Any]:
    """Choose one of a seat's legal moves; the game's key always gives the same choice.

    The choice is HMAC-SHA256(key, "timeout" and the seq of the move's entry in 4 bytes), as a number, modulo
    the number of legal moves in their fixed order. No chance is drawn, so later deals do not depend on who is
    late.
    """
    moves = legal_moves(state, seat)
    digest = hmac.digest(key, b"timeout" + seq.to_bytes(4, "big"), "sha256")
    return moves[int.from_bytes(digest, "big") % len(moves)]
