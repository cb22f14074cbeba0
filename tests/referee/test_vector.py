"""Many tables at once, as arrays; skipped where numpy is not installed."""

import random

import pytest

import referee

pytest.importorskip("numpy", reason="numpy is not installed: pip install 'card-referee[research]'")

import numpy as np

from referee.computer.vector import Tables

GAMES = [(game.ID, game.SEATS[-1]) for game in referee.newest()]


def chosen(mask: "np.ndarray", choose: random.Random) -> list[int]:
    return [choose.choice(np.flatnonzero(row).tolist()) for row in mask]


@pytest.mark.parametrize(("game", "seats"), GAMES)
def test_tables_play_as_matches_do(game: str, seats: int) -> None:
    choose = random.Random(1)
    tables = Tables(game, seats, tables=3, max_moves=40)
    seen = tables.reset(seed=5)
    for _ in range(60):
        for table, match in enumerate(tables.matches):
            seat = match.to_act[0]
            assert seen["seat"][table] == seat
            assert seen["action_mask"][table].tolist() == match.mask(seat)
            row = seen["observation"][table].tolist()
            assert row[: tables.observer.size] == pytest.approx(match.observation(seat))
            assert [i for i, n in enumerate(row[tables.observer.size :]) if n] == sorted(set(match.begun))
        seen, rewards, ended, cut = tables.step(chosen(seen["action_mask"], choose))
        assert rewards.shape == (3, seats)
        assert not (ended & cut).any()


def test_a_table_whose_game_is_over_is_dealt_anew_and_its_seats_are_paid() -> None:
    choose = random.Random(1)
    tables = Tables("cats_and_dogs", 3, tables=4)
    seen, games = tables.reset(seed=1), 0
    for _ in range(300):
        before = [*tables.matches]
        seen, rewards, ended, cut = tables.step(chosen(seen["action_mask"], choose))
        for table in range(4):
            games += bool(ended[table])
            assert before[table].is_over == ended[table]
            assert (before[table] is not tables.matches[table]) == ended[table]
            assert rewards[table].tolist() == before[table].payoffs()
    assert games > 4
    assert not cut.any()


def test_one_seed_gives_the_same_tables_and_masked_actions_are_refused() -> None:
    first, second = Tables("bisca", 2, tables=2), Tables("bisca", 2, tables=2)
    one, other = first.reset(seed=3), second.reset(seed=3)
    assert (one["observation"] == other["observation"]).all()
    assert first.matches == second.matches
    assert first.matches[0] != first.matches[1]
    legal = chosen(one["action_mask"], random.Random(1))
    for actions, told in (
        ([80, 80], "80 is not legal at table 0"),
        ([legal[0], 80], "80 is not legal at table 1"),
        (legal[:1], "must be 2 actions"),
        ([*legal, 0], "must be 2 actions"),
    ):
        with pytest.raises(referee.Unencodable, match=told):
            first.step(actions)
        assert first.matches == second.matches
