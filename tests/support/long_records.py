"""Records of games that are too long to replay while others wait."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import referee


def record_of(moves: int, name: str = "long") -> dict[str, Any]:
    """Return the record of a game of dog cards that was called off after this many random moves."""
    seed, entropy = sha256(name.encode()).digest(), [""] * 3
    chance = referee.Seeded.from_seed(seed, entropy)
    below = referee.Seeded.from_seed(seed, ["choices"]).pick
    state, _ = referee.deal("dog_cards", 3, {}, chance)
    made = []
    while len(made) < moves:
        seat = state.to_act[below(len(state.to_act))]
        options = referee.legal_moves(state, seat)
        move = options[below(len(options))]
        made.append({"seat": seat, "move": dict(move)})
        referee.advance(state, seat, move, chance)
    return {**referee.write_record(state, seed, entropy, made), "ended": {"type": "cancelled"}}
