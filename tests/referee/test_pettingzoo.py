"""PettingZoo environments of all games; skipped where PettingZoo is not installed."""

import subprocess
import sys
import warnings

import pytest

import referee
from tests.support.packages import registered

pytest.importorskip("pettingzoo", reason="PettingZoo is not installed: pip install 'card-referee[research]'")

from pettingzoo.test import api_test, seed_test

from referee.computer.observation import Observer
from referee.computer.pettingzoo import CardGame, env

GAMES = [(game.ID, seats) for game in referee.newest() for seats in sorted({*game.SEATS[:2], game.SEATS[-1]})]
SOME = [(game.ID, game.SEATS[0]) for game in referee.newest()]


@pytest.mark.parametrize(("game", "seats"), GAMES)
def test_pettingzoo_accepts_every_game(game: str, seats: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it would prefer observations without a mask
        api_test(env(game, seats=seats, max_moves=60), num_cycles=60)


@pytest.mark.parametrize(("game", "seats"), SOME)
def test_one_seed_gives_one_game(game: str, seats: int) -> None:
    seed_test(lambda: env(game, seats=seats), num_cycles=40)


@pytest.mark.parametrize(("game", "seats"), SOME)
def test_a_game_ends_with_the_payoffs_or_is_cut_short(game: str, seats: int) -> None:
    game_env = env(game, seats=seats, max_moves=150)
    game_env.reset(seed=4)
    total = dict.fromkeys(game_env.possible_agents, 0.0)
    for agent in game_env.agent_iter():
        seen, reward, terminated, truncated, _ = game_env.last()
        total[agent] += reward
        done = terminated or truncated
        game_env.step(None if done else game_env.action_space(agent).sample(seen["action_mask"]))
    match = game_env.unwrapped.match
    assert [*total.values()] == match.payoffs()
    assert match.is_over or game_env.unwrapped._moves == 150


def test_a_masked_action_ends_with_an_error() -> None:
    game = CardGame("bisca", 2)
    game.reset(seed=1)
    with pytest.raises(referee.Unencodable):
        game.step(80)


def test_an_observation_does_not_show_what_is_hidden() -> None:
    game = CardGame("bisca", 2)
    game.reset(seed=5)
    match = game.match
    match.play(match.to_act[0], {"type": "tap"})
    observer = Observer(match.state.ruleset, 2, match.state.options)
    row = observer.write(match.view(0), 0)
    own, other = observer.parts["hand.0"], observer.parts["hand.1"]
    assert row[own : own + 41].count(1.0) == 3
    assert row[own] == row[other] == 3.0
    assert set(row[other + 1 : other + 41]) == {0.0}
    assert len(row) == observer.size


def test_a_package_has_an_environment() -> None:
    with registered("dark-mark", "dark_mark"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        api_test(env("dark_mark", seats=2), num_cycles=30)


def test_the_library_does_not_load_pettingzoo() -> None:
    code = "import referee, sys; sys.exit('pettingzoo' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
