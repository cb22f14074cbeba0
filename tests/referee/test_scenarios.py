"""Scenario files: ours, and shared ones if they are next to the project; and the checker itself."""

from pathlib import Path

import pytest

import referee
from referee.games import GAMES
from referee.workshop.scenarios import unexercised

OURS = Path(__file__).parents[1] / "scenarios"
SHARED = Path(__file__).parents[3] / "shared" / "scenarios"
FILES = sorted(OURS.rglob("*.yaml")) + sorted(SHARED.rglob("*.yaml"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_scenario_file(file: Path):
    outcomes = list(referee.check(file.read_text("utf-8")))
    assert outcomes
    assert [outcome for outcome in outcomes if outcome.failure] == []


@pytest.mark.parametrize("game", referee.newest(), ids=lambda game: game.ID)
def test_every_game_has_scenarios(game):
    assert list((OURS / game.ID).glob("*.yaml"))


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.ID)
def test_scenarios_exercise_every_rule(game):
    texts = [file.read_text("utf-8") for file in (OURS / game.ID).glob("*.yaml")]
    assert unexercised(game, texts) == []


HEAD = "name: n\nruleset: cats_and_dogs\nseats: 3\nchance: [{pick: 1}]\nsteps:\n"


@pytest.mark.parametrize(
    ("steps", "failure"),
    [
        ("- {seat: 0, move: {type: play, card: C1}}", "refused: common.turn"),
        ("- {expect: {to_act: [0]}}", "to_act should be [0], not [1]"),
        ("- {expect: {facts: {nothing: 1}}}", "facts.nothing is not there"),
        ("- {expect: {facts: {lead: true}}}", "facts.lead should be true, not 1"),
        ("- {seat: 0, sees: {zones: {hand.1: {count: 4}}}}", "zones.hand.1.count should be 4, not 5"),
        ("- {seat: null, sees: {zones: {out: []}}}", "zones.out should be"),
        ("- {seat: 0, legal: [{type: pass}]}", "not listed as legal"),
        ("- {seat: 1, legal: []}", "listed as legal"),
        ("- {seat: 0, move: {type: play, card: C1}, illegal: common.not_held}", "not common.turn"),
        ("- {seat: 3, legal: []}", "must be a seat"),
        ("- {seat: 0, move: {}, legl: x}", "has no meaning"),
        ("- [1]", "must be a mapping"),
        ("- {seat: 0, says: Hello, illegal: cats_and_dogs.silence}", "talk should be refused by"),
        ("- {seat: 0, says: 1}", "says: must be a text"),
        ("- {seat: 1, move: {type: play, card: C3}, shows: []}", "shows should be []"),
        ("rules: [cats_and_dogs.miaow]", "cats_and_dogs has no rule cats_and_dogs.miaow"),
    ],
)
def test_a_step_that_fails_is_reported(steps: str, failure: str):
    (outcome,) = referee.check(HEAD + steps)
    assert outcome.failure is not None
    assert failure in outcome.failure


@pytest.mark.parametrize(
    "text",
    ["- 1", "a: [", "name: x\nruleset: chess\nseats: 2", "name: x\nruleset: pies\nseats: '4'", "&a [*a]"],
)
def test_an_invalid_file_is_reported(text: str):
    outcomes = list(referee.check(text))
    assert outcomes
    assert all(outcome.failure for outcome in outcomes)
