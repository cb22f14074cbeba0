"""Which records count for ratings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from referee.ratings import Played, played

VECTORS = Path(__file__).parents[2] / "docs/reference/log-vectors.json"
RECORD = json.loads(VECTORS.read_text())["record"]
ENTRIES = RECORD["entries"]
END = {"index": 7, "data": json.dumps({"type": "finished"}), "proof": []}
LEAVES = [{**END, "index": 3, "data": '{"type":"created"}'}, END]
PROOFS = {"checkpoint": None, "size": 9, "root": "", "leaves": LEAVES}
RATED = {**RECORD, "inclusion": PROOFS}


def changed(number: int, **members: Any) -> dict[str, Any]:
    """Return the record with other members in an entry."""
    entries = [*ENTRIES]
    entries[number] = {**entries[number], **members}
    return {**RATED, "entries": entries}


def test_a_public_game_between_people_counts() -> None:
    players = ("player-0", "player-1", "player-2")
    assert played(RATED) == Played(7, "cats_and_dogs", players, frozenset({1, 2}))


@pytest.mark.parametrize(
    "record",
    [
        RECORD,
        {**RATED, "inclusion": {**PROOFS, "leaves": LEAVES[:1]}},
        {**RATED, "inclusion": {"leaves": LEAVES}},
        {**RATED, "inclusion": None},
        changed(0, visibility="private"),
        changed(0, visibility="unlisted"),
        changed(0, origin="imported"),
        changed(0, test_clock="019ca94f-4d80-7000-8000-000000000011"),
        changed(1, player=None, bot="random"),
        changed(2, player={"id": "player-0", "name": "Anna"}),
        {**RATED, "entries": [*ENTRIES[:-1], {"type": "left", "seat": 0, "player": None}, ENTRIES[-1]]},
        {**RATED, "entries": ENTRIES[:-1]},
    ],
)
def test_others_do_not_count(record: dict[str, Any]) -> None:
    assert played(record) is None
