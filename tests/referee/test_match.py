"""Matches in memory: payoffs, what seats see, copies and pickles, and chance that the caller gives."""

import copy
import pickle
import random
from typing import Any

import pytest

import referee
import referee.table

GAMES = [(game.ID, min(seats for seats in game.SEATS if seats > 1)) for game in referee.newest()]


def play_on(match: referee.Match, moves: int, seed: int = 1) -> None:
    choose = random.Random(seed)
    for _ in range(moves):
        if not match.is_over:
            seat = match.to_act[0]
            match.play(seat, choose.choice(match.legal_moves(seat)))


@pytest.mark.parametrize(("game", "seats"), GAMES)
@pytest.mark.parametrize(
    "copied", [referee.Match.clone, copy.deepcopy, lambda match: pickle.loads(pickle.dumps(match))]
)
def test_a_copy_plays_on_alike_and_apart(game: str, seats: int, copied: Any) -> None:
    match = referee.Match(game, seats, seed=b"copy")
    play_on(match, 20)
    before = referee.dump(match.state)
    other = copied(match)
    play_on(other, 30, seed=2)
    assert referee.dump(match.state) == before
    play_on(match, 30, seed=2)
    assert referee.dump(match.state) == referee.dump(other.state)


def test_an_illegal_move_is_refused_with_its_rule() -> None:
    match = referee.Match("bisca", 2)
    before = referee.dump(match.state)
    with pytest.raises(referee.Malformed, match=r"bisca\.cut_depth"):
        match.play(match.to_act[0], {"type": "cut", "at": 40})
    with pytest.raises(referee.Malformed, match=r"common\.turn"):
        match.play(1 - match.to_act[0], {"type": "tap"})
    assert referee.dump(match.state) == before


@pytest.mark.parametrize(("game", "seats"), GAMES)
def test_a_match_from_a_sampled_position_looks_the_same(game: str, seats: int) -> None:
    match = referee.Match(game, seats, seed=b"same")
    play_on(match, 6)
    other = match.clone()
    other.state = match.sample(0, random.Random(3).randrange)
    assert other.view(0) == match.view(0)


def test_payoffs_follow_the_result_or_the_ruleset(monkeypatch: pytest.MonkeyPatch) -> None:
    match = referee.Match("cats_and_dogs", 3, seed=b"pay")
    assert match.payoffs() == [0.0, 0.0, 0.0]
    play_on(match, 500)
    winner = match.state.result["winners"][0]
    assert match.payoffs() == [1.0 if seat == winner else -1.0 for seat in range(3)]
    monkeypatch.setattr(match.state.ruleset, "payoffs", lambda state: state.scores, raising=False)
    assert match.payoffs() == [float(score) for score in match.state.scores]
    referee.table.conclude(match.state, referee.resign(match.state, 1))
    assert match.payoffs() == [1.0, -1.0, 1.0]


def test_chance_may_be_given_and_read() -> None:
    match = referee.Match("bisca", 2, chance=referee.Scripted([{"pick": 1}], lambda: referee.Seeded(b"rest")))
    assert match.state.dealer == 1
    noted = referee.Noted(b"key")
    referee.Match("bisca", 2, chance=noted)
    assert [*noted.outcomes[0]] == ["pick", "of"]
    assert [*noted.outcomes[1]] == ["shuffle"]


def test_copies_of_noted_chance_know_what_was_drawn_before() -> None:
    match = referee.Match("bisca", 2, chance=referee.Noted(b"key"))
    noted: Any = match.chance
    before = [*noted.outcomes]
    for other in (match.clone(), pickle.loads(pickle.dumps(match))):
        assert other.chance.outcomes == before
        other.chance.pick(2)
        assert noted.outcomes == before


def test_one_seed_gives_one_deal() -> None:
    deals = [referee.Match("pedro", 4, seed=seed).view(0) for seed in (b"a", b"a", b"b")]
    hands = [referee.dump(referee.Match("pies", 4, seed=seed).state)["zones"] for seed in (b"a", b"a", b"b")]
    assert deals[0] == deals[1]
    assert hands[0] == hands[1] != hands[2]
