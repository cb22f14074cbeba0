"""The two tiny games for algorithms: sound rulesets, in no list, and an algorithm finds their best play."""

import subprocess
import sys
from typing import Any

import pytest

import referee
import referee.tiny
from examples.research import cfr
from referee.workshop.declarations import faults
from referee.workshop.validator import validate


@pytest.mark.parametrize("rules", referee.tiny.GAMES, ids=lambda rules: rules.ID)
def test_a_tiny_game_is_a_sound_ruleset(rules: Any) -> None:
    assert faults(rules) == []
    outcomes = [*validate(rules)]
    assert outcomes
    assert [outcome for outcome in outcomes if not outcome.ok] == []
    assert f"{rules.ID}.deal" in referee.rules_text(rules.ID)


def test_tiny_games_are_in_no_list_and_unknown_until_imported() -> None:
    assert not {"kuhn", "leduc"} & {rules.ID for rules in referee.newest()}
    with pytest.raises(referee.Malformed) as refused:
        referee.Match("no such game", 2)
    assert "kuhn" not in str(refused.value)
    code = "import referee; referee.find('kuhn')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "Malformed: ruleset: must be one of" in done.stderr


def test_counterfactual_regret_minimization_finds_the_value_of_kuhn_poker() -> None:
    assert cfr.solve("kuhn", 200) == pytest.approx(-1 / 18, abs=0.003)


@pytest.mark.parametrize(("game", "knows"), [("kuhn", 12), ("leduc", 936)])
def test_the_trees_have_their_known_sizes(game: str, knows: int) -> None:
    seen: set[referee.InformationState] = set()
    dealt: list[float] = []

    def walk(match: referee.Match, likely: float) -> None:
        if match.is_over:
            assert sum(match.payoffs()) == 0
            return
        if match.is_chance:
            for outcome, chance in match.chance_outcomes():
                walk(match.child(outcome), likely * chance)
            return
        seat = match.to_act[0]
        if len(match.information_state(seat).seen) == 1:
            dealt.append(likely)
        seen.add(match.information_state(seat))
        for action in match.legal_actions(seat):
            walk(match.child(action), likely)

    walk(referee.Match(game, 2, chance_nodes=True), 1.0)
    assert len(seen) == knows
    assert sum(dealt) == pytest.approx(1.0)


def test_a_child_is_a_copy_after_what_can_come_next() -> None:
    match = referee.Match("kuhn", 2, chance_nodes=True)
    with pytest.raises(referee.Malformed):
        match.child("QS")  # two picks deal
    dealt = match.child(0).child(0)
    assert match.is_chance
    with pytest.raises(referee.Unencodable):
        dealt.child("QS")
    with pytest.raises(referee.Unencodable):
        dealt.child(99)
    over = dealt.child(dealt.legal_actions(0)[0])
    over = over.child(over.legal_actions(1)[0])
    with pytest.raises(referee.Unencodable):
        over.child(0)


def test_leduc_pays_for_a_pair() -> None:
    match = referee.Match("leduc", 2, chance=referee.Scripted([{"pick": 0}, {"pick": 2}, {"pick": 0}]))
    for kind in ("raise", "call", "call", "raise", "raise", "call"):
        assert match.payoffs() == [0.0, 0.0]
        match.play(match.to_act[0], {"type": kind})
    assert match.state.result == {"winners": [0], "losers": [1], "reason": "showdown"}
    assert match.payoffs() == [11.0, -11.0]
