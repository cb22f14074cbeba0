"""Records from elsewhere, also too long to replay while others wait."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

import referee
import referee.records
from tests.referee.logged import logged
from tests.support.callers import Caller
from tests.support.forging import chained_anew


def forged(players: list[Caller], most: int = 5, end: str | None = "resigned") -> dict[str, Any]:
    """Return a record in which a player of this server resigns, invented by somebody else."""
    record: dict[str, Any] = json.loads(json.dumps(logged("cats_and_dogs", 3, number=15, most=most, end=end)))
    for entry in record["entries"]:
        if isinstance(entry.get("player"), dict):
            entry["player"]["id"] = players[entry["seat"]].player
        if entry["type"] == "joined":
            name = record["names"][str(entry["seq"])]
            name["name"] = ("Anna", "Ben", "Cleo")[entry["seat"]]
            entry["player"]["commitment"] = sha256(referee.records.canonical(name)).hexdigest()
            entry["bot"] = None
    return chained_anew(record)


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
