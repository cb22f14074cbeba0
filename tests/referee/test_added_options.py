"""An option that leaves the game as it was where nobody chooses it needs no second version of the game."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import referee
import referee.positions
from referee.engine import registry
from referee.engine.ruleset import Make
from referee.engine.shapes import BOOLEAN, Option
from referee.workshop import fingerprint
from tests.referee.ageing import Rules

RECORDS = sorted((Path(__file__).parents[1] / "records" / "truco").glob("*.json"))
OLD = referee.find("truco")


def with_option(default: bool, spoilt: bool = False) -> Any:
    """Return truco with one more option; if it is chosen, or `spoilt`, the leader does not change."""
    rules = Rules(**{name: value for name, value in vars(OLD).items() if name != "__builtins__"})

    def options(seats: int) -> dict[str, Option]:
        return {**OLD.options(seats), "reversed": Option(BOOLEAN, default, "Scores count backwards.")}

    def reversing(make: Make) -> Make:
        def made(state: Any, seat: int, move: Any, chance: Any) -> None:
            make(state, seat, move, chance)
            if state.options["reversed"] or spoilt:
                state.scores.reverse()

        return made

    makes = {at: {name: reversing(make) for name, make in there.items()} for at, there in OLD.makes.items()}
    rules.options, rules.makes = options, makes
    return rules


@pytest.fixture
def added(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    rules = with_option(False)
    monkeypatch.setitem(registry._BY_ID, ("truco", 1), rules)
    yield rules
    assert referee.find("truco") is rules


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_golden_records_verify_as_before(added: Any, path: Path) -> None:
    record = json.loads(path.read_text("utf-8"))
    assert "reversed" not in record.get("options", {})
    report = referee.verify(record)
    assert report.ok, report


def test_there_are_records_with_a_log() -> None:
    assert any("entries" in json.loads(path.read_text("utf-8")) for path in RECORDS)


def test_a_stored_position_gets_the_default(added: Any) -> None:
    chance = referee.Seeded.from_seed(bytes(32), [""] * 4)
    position = referee.dump(referee.deal("truco", 4, {}, chance)[0])
    del position["options"]["reversed"]
    for state in (referee.positions.restore(added, position), referee.read(position)):
        assert state.options["reversed"] is False
        referee.advance(state, state.to_act[0], referee.legal_moves(state, state.to_act[0])[0], chance)


def test_the_fingerprint_stays(added: Any) -> None:
    outcome = fingerprint.compared(added)
    assert outcome.ok, outcome.detail
    assert "reversed" in fingerprint.of(added)


def test_an_option_that_changes_other_games_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    for rules in (with_option(True), with_option(False, spoilt=True)):
        monkeypatch.setitem(registry._BY_ID, ("truco", 1), rules)
        assert not fingerprint.compared(rules).ok
    monkeypatch.setitem(registry._BY_ID, ("truco", 1), OLD)


def test_a_released_option_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    pies = referee.find("pies")
    rules = Rules(**{name: value for name, value in vars(pies).items() if name != "__builtins__"})
    rules.options = lambda seats: {"move_limit": pies.options(seats)["move_limit"]}
    monkeypatch.setitem(registry._BY_ID, ("pies", 1), rules)
    assert not fingerprint.compared(rules).ok


def test_larger_tables_may_be_added_and_released_ones_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = {name: hash_ for hash_, name in fingerprint._read(OLD)}["defaults"]
    hashes = fingerprint.of(OLD)["defaults"]
    assert hashes.index(kept) == OLD.SEATS.index(10), "truco was released for ten seats at most"
    assert fingerprint.compared(OLD).ok
    rules = Rules(**{name: value for name, value in vars(OLD).items() if name != "__builtins__"})
    rules.SEATS = (4, 6, 8)
    monkeypatch.setitem(registry._BY_ID, ("truco", 1), rules)
    assert not fingerprint.compared(rules).ok
