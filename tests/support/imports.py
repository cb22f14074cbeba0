"""Records from elsewhere."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

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
