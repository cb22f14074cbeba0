"""A seat that resigns loses with its team; the final position can still be written and read."""

import pytest

import referee
import referee.table
from tests.referee.tables import Table, fresh, tables, wander


@pytest.mark.parametrize("table", tables(), ids=str)
def test_the_team_loses_and_everyone_else_wins(table: Table):
    for point in wander(table, 4, 40):
        state = point.state
    for seat in range(table.seats):
        result = referee.resign(state, seat)
        assert seat in result["losers"]
        assert sorted(result["winners"] + result["losers"]) == list(range(table.seats))
        assert result["winners"] == sorted(result["winners"])
        assert result["reason"] == "resigned"
        for mate in result["losers"]:
            assert referee.resign(state, mate) == result


def test_partners_fall_together():
    state, _ = fresh(Table("truco", 8, {}), 1)
    assert referee.resign(state, 6)["losers"] == [2, 6]
    state, _ = fresh(Table("dog_cards", 4, {}), 1)
    assert referee.resign(state, 3)["losers"] == [1, 3]
    state, _ = fresh(Table("bisca", 4, {"partners": True}), 1)
    assert referee.resign(state, 0)["losers"] == [0, 2]


def test_landlord_alone_against_the_others_once_there_is_one():
    state, chance = fresh(Table("landlord", 4, {}), 1)
    assert referee.resign(state, 2)["losers"] == [2]
    taker = state.to_act[0]
    referee.advance(state, taker, {"type": "take"}, chance)
    others = [seat for seat in range(4) if seat != taker]
    assert referee.resign(state, taker)["losers"] == [taker]
    assert referee.resign(state, others[1])["losers"] == others


@pytest.mark.parametrize("table", tables(), ids=str)
def test_a_resigned_game_can_be_read_and_does_not_continue(table: Table):
    state, _ = fresh(table, 4)
    referee.table.conclude(state, referee.resign(state, 0))
    again = referee.read(referee.dump(state))
    assert referee.dump(again) == referee.dump(state)
    for seat in range(table.seats):
        assert referee.legal_moves(again, seat) == []
        verdict = referee.judge(again, seat, {"type": "anything"})
        assert verdict.refusal is not None
        assert verdict.refusal.rule == "common.finished"
    with pytest.raises(referee.Malformed):
        referee.read({**referee.dump(state), "to_act": [0]})
