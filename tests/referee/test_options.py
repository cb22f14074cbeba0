"""The options of each ruleset: their defaults and limits."""

from __future__ import annotations

from typing import Any

import pytest

import referee
import referee.records
import referee.texts

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
