"""Rules are stated once: `candidates` proposes, `refuse` knows the rules, and `listed` is only faster."""

from collections.abc import Mapping
from typing import Any

import pytest

import referee
from referee.engine.play import accepted
from tests.referee.tables import Table, tables, wander

SEED, MOVES = 5, 60
# The rules by which moves are refused that `candidates` proposes in a few random games.
REFUSED = {
    "bisca": "ace_waits cut_depth exchange_time exchange_turned exchange_two seven_last",
    "cats_and_dogs": "",  # every card may be played
    "dog_cards": "buy_value four next_card no_row own_rows rob_last rob_other row_slot start swap_fit",
    "landlord": "must_lead",
    "mau_mau": "announce attack catch draw fits must_play pass take thumb turn",
    "palace": "blind complete higher must_play seven swap turn",
    "pedro": "bid_higher discard_scoring discard_three follow",
    "pies": "beat must_beat no_take opening own_blocked queen_blocked",
    "truco": "limit order own_call",
}


def proposals(ruleset: str) -> Any:
    """Yield every seat's situation in random games of a ruleset."""
    for table in tables():
        if table.ruleset == ruleset:
            for point in wander(table, SEED, MOVES):
                for seat in range(table.seats):
                    if seat in point.state.to_act or point.state.ruleset.OUT_OF_TURN:
                        yield point.state, seat


@pytest.mark.parametrize("table", tables(), ids=str)
def test_what_is_listed_is_what_is_accepted(table: Table) -> None:
    for point in wander(table, SEED, MOVES):
        listed = getattr(point.state.ruleset, "listed", accepted)
        for seat in point.state.to_act if not point.state.ruleset.OUT_OF_TURN else range(table.seats):
            wanted, found = accepted(point.state, seat), listed(point.state, seat)
            if seat not in point.state.to_act:
                out_of_turn = point.state.ruleset.OUT_OF_TURN
                wanted, found = ([m for m in ms if m["type"] in out_of_turn] for ms in (wanted, found))
            assert [*found] == [*wanted]


@pytest.mark.parametrize("ruleset", REFUSED)
def test_candidates_apply_no_rule_that_refuse_states(ruleset: str) -> None:
    """Were a rule stated in `candidates` too, none of its proposals would be refused by it."""
    found: set[str] = set()
    rules = referee.find(ruleset)
    for state, seat in proposals(ruleset):
        for move in rules.candidates(state, seat):
            refusal = rules.refuse(state, seat, move)
            if refusal is not None:
                found.add(refusal.rule)
    own = {rule.partition(".")[2] for rule in found if rule.startswith(ruleset)}
    assert own == set(REFUSED[ruleset].split())


@pytest.mark.parametrize(
    ("ruleset", "rule"), [(ruleset, rule) for ruleset, rules in REFUSED.items() for rule in rules.split()]
)
def test_a_rule_broken_in_refuse_alone_changes_the_list(ruleset: str, rule: str) -> None:
    rules = referee.find(ruleset)
    for state, seat in proposals(ruleset):
        for move in rules.candidates(state, seat):
            refusal = rules.refuse(state, seat, move)
            if refusal is not None and refusal.rule == f"{ruleset}.{rule}":
                before = accepted(state, seat)
                assert len(_without(rules, rule, state, seat)) > len(before)
                return
    pytest.fail(f"{rule} refuses no candidate")


def _without(rules: Any, rule: str, state: Any, seat: int) -> list[Mapping[str, Any]]:
    """Return what is accepted if `refuse` does not know a rule."""
    whole = rules.refuse

    def refuse(*args: Any) -> Any:
        refusal = whole(*args)
        return None if refusal is not None and refusal.rule == f"{rules.ID}.{rule}" else refusal

    rules.refuse = refuse
    try:
        return list(accepted(state, seat))
    finally:
        rules.refuse = whole
