"""Golden records of every version ever released: they can be replayed, and show every end of a game."""

from pathlib import Path
from typing import Any

import pytest

import referee
import referee.records

RECORDS = Path(__file__).parents[1] / "records"
FILES = sorted(RECORDS.rglob("*.json"))
# Nobody has ever reached 21 ribbons by tied tricks alone, together with another seat; a handwritten position
# shows it below.
NEVER_PLAYED = {("cats_and_dogs", 1): {"shared"}}
GIVEN_UP = {"resigned", "timed_out"}
RELEASED = [(game.ID, version) for game in referee.newest() for version in referee.versions(game.ID)]


def read(file: Path) -> dict[str, Any]:
    record: dict[str, Any] = referee.records.parse(file.read_bytes())
    return record


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_a_golden_record_verifies(file: Path):
    record = read(file)
    assert record["ruleset"] == file.parent.name
    assert record["version"] in referee.versions(record["ruleset"])
    report = referee.verify(record)
    assert report.ok, report
    assert record["result"] is not None or record.get("ended") == {"type": "cancelled"}
    if "entries" in record:
        assert not report.unchecked


@pytest.mark.parametrize(("ruleset", "version"), RELEASED)
def test_every_way_to_end_has_a_golden_record(ruleset: str, version: int):
    found = set()
    for file in FILES:
        record = read(file)
        if (record["ruleset"], record["version"]) == (ruleset, version):
            found |= {record["result"]["reason"]} if record["result"] else set()
    assert found - GIVEN_UP == {*referee.find(ruleset, version).REASONS} - NEVER_PLAYED.get(
        (ruleset, version), set()
    )


def test_records_of_most_rulesets_have_their_log():
    logged = {read(file)["ruleset"] for file in FILES if "entries" in read(file)}
    assert len(logged) > len(RELEASED) / 2


def test_records_are_those_of_released_versions():
    assert {(read(file)["ruleset"], read(file)["version"]) for file in FILES} == set(RELEASED)


def test_a_shared_win_by_ties_alone():
    """No golden record shows this end: nobody ever won a trick, and two lead with 21 ribbons."""
    state, _ = referee.deal("cats_and_dogs", 2, {}, referee.Seeded.from_seed(b"", ["", ""]))
    position = referee.dump(state)
    zones = {"hand.0": ["D1"], "hand.1": ["D2"], "open": ["C3"], "won.0": ["C1"], "won.1": ["C4", "C5"]}
    laid = [card for cards in zones.values() for card in cards]
    rest = sorted(set(state.ruleset.deck(2, {})) - set(laid))
    left_over = len(position["zones"]["out"])
    position["zones"] |= zones | {"trick": [], "out": rest[:left_over], "table": rest[left_over:]}
    position |= {"to_act": [0], "scores": [15, 17]}  # 3 + 3 ribbons more, and 1 + 1 + 2
    position["facts"] = {"round": 5, "lead": 0, "recent": []}
    state, chance = referee.read(position), referee.Seeded.from_seed(b"", ["", ""])
    for seat, card in ((0, "D1"), (1, "D2")):  # against 3: a tie, and everybody takes their own card back
        assert referee.judge(state, seat, {"type": "play", "card": card}).legal
        referee.advance(state, seat, {"type": "play", "card": card}, chance)
    assert state.scores == [21, 21]
    assert state.result == {"winners": [0, 1], "losers": [], "reason": "shared"}
