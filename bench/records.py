"""Long records of random moves."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import referee

RULESET, SEATS = "dog_cards", 3


def long_record(moves: int, number: int = 0) -> dict[str, Any]:
    """Return the record of a game that was called off after this many moves; each `number` is another one."""
    seed, entropy = sha256(b"long %d" % number).digest(), [""] * SEATS
    chance = referee.Seeded.from_seed(seed, entropy)
    below = referee.Seeded.from_seed(seed, ["choices"]).pick
    state, _ = referee.deal(RULESET, SEATS, {}, chance)
    made = []
    while len(made) < moves:
        seat = state.to_act[below(len(state.to_act))]
        options = referee.legal_moves(state, seat)
        made.append({"seat": seat, "move": dict(options[below(len(options))])})
        referee.advance(state, seat, made[-1]["move"], chance)
    return {**referee.write_record(state, seed, entropy, made), "ended": {"type": "cancelled"}}
