"""The options of each ruleset: their defaults and limits, and those that were added later."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import referee
import referee.positions
import referee.records
import referee.texts
from referee.engine import registry
from referee.engine.ruleset import Make
from referee.engine.shapes import BOOLEAN, Option
from referee.workshop import fingerprint
from tests.referee.ageing import Rules

DEFAULTS: dict[str, dict[str, Any]] = {
    "bisca": {"target": 4, "partners": False},
    "cats_and_dogs": {"first": None},
    "dog_cards": {"youngest": None, "start_cards": False, "done_counts": True, "turn_limit": 0},
    "landlord": {"hands": 1, "attach_any": False},
    "mau_mau": {"must_play": True, "ace_wild": False, "strict_last": False, "start_acts": False},
    "palace": {"out_of_turn": True, "move_limit": 0},
    "pedro": {"target": 50, "defenders_score": False},
    "pies": {"blocking": "top", "recolour": False, "move_limit": 0},
    "truco": {"target": 12, "stake": 2, "doublings": 1},
}
BOUNDS = [
    ("bisca", "target", 1, 100),
    ("dog_cards", "turn_limit", 0, 100_000),
    ("landlord", "hands", 1, 20),
    ("palace", "move_limit", 0, 100_000),
    ("pedro", "target", 1, 1000),
    ("pies", "move_limit", 0, 1_000_000),
    ("truco", "target", 1, 100),
    ("truco", "stake", 1, 12),
    ("truco", "doublings", 0, 3),
]


def dealt(ruleset: str, options: dict[str, Any]) -> dict[str, Any]:
    seats = min(count for count in referee.find(ruleset).SEATS if count > 1)
    state, _ = referee.deal(ruleset, seats, options, referee.Seeded(bytes(32)))
    found: dict[str, Any] = referee.dump(state)["options"]
    return found


@pytest.mark.parametrize("rules", referee.newest(), ids=lambda rules: rules.ID)
def test_what_is_not_chosen_is_the_default(rules: Any) -> None:
    declared = rules.options(min(count for count in rules.SEATS if count > 1))
    assert dealt(rules.ID, {}) == {name: option.default for name, option in declared.items()}


@pytest.mark.parametrize("ruleset", DEFAULTS)
def test_released_defaults_stay(ruleset: str) -> None:
    assert dealt(ruleset, {}) == DEFAULTS[ruleset]


@pytest.mark.parametrize(("ruleset", "option", "low", "high"), BOUNDS)
def test_numbers_are_bounded_and_published_so(ruleset: str, option: str, low: int, high: int) -> None:
    for value in (low, high):
        assert dealt(ruleset, {option: value})[option] == value
    for value in (low - 1, high + 1):
        with pytest.raises(referee.Malformed):
            dealt(ruleset, {option: value})
    rules = referee.find(ruleset)
    schema = referee.texts.options_schema(rules.options(max(rules.SEATS)))["properties"][option]
    default = DEFAULTS[ruleset][option]
    assert (schema["type"], schema["minimum"], schema["maximum"]) == ("integer", low, high)
    assert schema["default"] == default
    assert schema["description"]


def test_what_a_field_of_a_move_may_be_is_published() -> None:
    schema = referee.texts.move_schema("play", referee.find("cats_and_dogs").MOVES["play"])
    assert schema["properties"]["type"] == {"type": "string", "const": "play"}
    assert {"type", "card"} <= set(schema["required"])
    switch = referee.texts.options_schema(referee.find("mau_mau").options(2))["properties"]["ace_wild"]
    assert (switch["type"], switch["default"]) == ("boolean", False)


def test_objects_are_nested_no_deeper_than_lists() -> None:
    for opening, closing in (("[", "]"), ('{"a":', "}")):
        assert referee.records.parse(opening * 63 + "1" + closing * 63) is not None
        with pytest.raises(referee.Malformed, match="nested deeper"):
            referee.records.parse(opening * 65 + "1" + closing * 65)
        with pytest.raises(referee.Malformed, match="nested deeper"):
            referee.records.parse(opening * 65 + '"\\n"' + closing * 65)


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
