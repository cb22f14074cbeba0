"""Matches in memory: payoffs, views, seeds, copies, quick actions, and chance that the caller gives."""

import copy
import pickle
import random
from typing import Any

import pytest

import referee
import referee.table
from referee.choices import Sets

GAMES = [(game.ID, min(seats for seats in game.SEATS if seats > 1)) for game in referee.newest()]


def position(match: referee.Match) -> dict[str, Any]:
    return referee.dump(match.state)


def play_on(match: referee.Match, moves: int, seed: int = 1) -> None:
    choose = random.Random(seed)
    for _ in range(moves):
        if not match.is_over:
            seat = match.to_act[0]
            match.play(seat, choose.choice(match.legal_moves(seat)))


# --- seeds ------------------------------------------------------------------------------------------------
def test_a_match_without_a_seed_is_a_new_one_that_can_be_repeated() -> None:
    matches = [referee.Match("pies", 4) for _ in range(3)]
    assert len({match.seed for match in matches}) == 3
    assert len({str(position(match)) for match in matches}) == 3
    again = referee.Match("pies", 4, seed=matches[0].seed)
    assert position(again) == position(matches[0])


def test_a_seed_may_be_a_number() -> None:
    assert referee.Match("pies", 4, seed=0).seed == b"\0"
    assert referee.Match("pies", 4, seed=258).seed == b"\1\2"
    with pytest.raises(referee.Malformed, match="seed"):
        referee.Match("pies", 4, seed=-1)


@pytest.mark.parametrize("seed", ["7", 1.5, [300], object()])
def test_what_is_no_seed_is_refused(seed: Any) -> None:
    with pytest.raises(referee.Malformed, match="seed: must be bytes, or an integer"):
        referee.Match("pies", 4, seed=seed)


class Seven:
    """A number of another library."""

    def __index__(self) -> int:
        return 7


def test_a_number_of_another_library_is_the_same_seed() -> None:
    assert referee.Match("pies", 4, seed=Seven()).seed == b"\x07"


def test_what_a_match_cannot_use_is_named() -> None:
    for options in (5, [1], "ab"):
        with pytest.raises(referee.Malformed, match="options: must be an object"):
            referee.Match("pies", 4, options)
    with pytest.raises(referee.Malformed, match="chance: must have pick, shuffle"):
        referee.Match("pies", 4, chance=5)
    match = referee.Match("pies", 4, seed=7)
    for move in (None, [1], "play"):
        with pytest.raises(referee.Malformed, match=r"move: common\.unknown_move: a move must be an object"):
            match.play(match.to_act[0], move)
    with pytest.raises(referee.Unencodable, match=r"action \[1\] is not legal"):
        match.act(match.to_act[0], [1])


# --- words, copies ----------------------------------------------------------------------------------------
def test_a_match_says_where_it_is_and_shows_no_hidden_card() -> None:
    match = referee.Match("cats_and_dogs", 3, seed=5)
    begun = "<Match cats_and_dogs 1, 3 seats, {'first': None}: "
    assert repr(match) == f"{begun}waits for {match.to_act}>"
    play_on(match, 500)
    assert repr(match).startswith(f"{begun}over: ")


@pytest.mark.parametrize(("game", "seats"), GAMES)
def test_a_copy_goes_on_alike_and_apart(game: str, seats: int) -> None:
    match = referee.Match(game, seats, seed=7)
    play_on(match, 9)
    for same in (match.clone(), copy.copy(match), copy.deepcopy(match), pickle.loads(pickle.dumps(match))):
        before = position(match)
        assert position(same) == before
        play_on(same, 1)
        assert position(match) == before != position(same)


# --- actions ----------------------------------------------------------------------------------------------
def test_sets_of_cards_are_walked_and_never_written_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A quarter of a million million sets: a list of them would not fit in any memory."""
    match = referee.Match("pedro", 4, seed=1)
    deck = match.observer.faces[:45]
    sets = Sets("discard", deck, range(20, 23))
    monkeypatch.setattr(match.state, "lists", {"cut": lambda state, seat: sets})
    seat = match.to_act[0]
    taken = [match.legal_actions(seat)[0]]
    match.act(seat, taken[0])
    for _ in range(20):
        legal = match.legal_actions(seat)
        assert match.actions.end not in legal
        taken.append(legal[-1] if len(taken) == 1 and len(legal) == 1 else legal[0])
        match.act(seat, taken[-1])
    assert match.actions.end in match.legal_actions(seat)
    move = match.actions.decode([*taken, match.actions.end])
    assert len(move["cards"]) == 20


@pytest.mark.parametrize("sizes", [range(1, 4), range(2, 3), range(3, 9)])
def test_walking_sets_finds_each_of_them(sizes: range) -> None:
    actions = referee.Match("pedro", 4, seed=1).actions
    cards = ["2C", "3C", "4C", "5C", "6C"]
    sets = Sets("discard", cards, sizes)
    found: list[tuple[int, ...]] = []

    def walk(fork: Any, begun: tuple[int, ...]) -> None:
        for action, leads in actions.branches(fork, begun).items():
            if isinstance(leads, dict):
                assert actions.decode((*begun, action)) == leads
                found.append((*begun, action))
            else:
                walk(leads, (*begun, action))

    for first, fork in actions.tree(sets).items():
        walk(fork, (first,))
    assert sorted(found) == sorted(map(actions.encode, sets))


@pytest.mark.parametrize(("game", "seats"), GAMES)
def test_the_actions_of_a_seat_lead_to_its_moves(game: str, seats: int) -> None:
    """Whichever actions are taken, the move that they stand for is made, and is one of the legal ones."""
    match = referee.Match(game, seats, options=None, seed=3)
    choose = random.Random(2)
    for _ in range(60):
        if match.is_over:
            break
        seat = match.to_act[0]
        listed = match.legal_moves(seat)
        encoded = [
            match.actions.encode(move) for move in listed if move["type"] not in match.actions.left_out
        ]
        other, taken = match.clone(), []
        while not match.act(seat, action := choose.choice(match.legal_actions(seat))):
            taken = [*match.begun]
            assert {actions[len(taken)] for actions in encoded if [*actions[: len(taken)]] == taken} == set(
                match.legal_actions(seat)
            )
            match = pickle.loads(pickle.dumps(match))
            assert [*match.begun] == taken
        made = match.actions.decode([*taken, action])
        assert made in listed
        other.play(seat, made)
        assert position(other) == position(match)


def test_no_other_seat_acts_while_a_move_is_begun() -> None:
    match = referee.Match("landlord", 4, seed=b"m")
    match.play(match.to_act[0], {"type": "take"})
    seat = match.to_act[0]
    match.act(seat, match.legal_actions(seat)[0])
    for other in set(range(4)) - {seat}:
        assert match.legal_actions(other) == []
        with pytest.raises(referee.Unencodable):
            match.act(other, match.legal_actions(seat)[0])


def test_a_position_that_is_set_has_its_own_actions() -> None:
    match, other = referee.Match("truco", 4, seed=1), referee.Match("truco", 4, seed=2)
    seat = match.to_act[0]
    before = match.legal_actions(seat)
    match.state = referee.clone(other.state)
    assert match.legal_actions(seat) == other.legal_actions(seat) != before


# --- what seats know --------------------------------------------------------------------------------------
@pytest.mark.parametrize("seat", [-3, -2, -1, 2, "0", 0.5])
def test_nobody_sees_as_a_seat_that_is_not_there(seat: Any) -> None:
    match = referee.Match("bisca", 2, seed=7)
    for see in (match.view, match.observation):
        with pytest.raises(referee.Malformed, match=r"seat: must be from 0 to 1"):
            see(seat)
    with pytest.raises(referee.Malformed, match="seat"):
        referee.view(match.state, seat)
    with pytest.raises(referee.Malformed, match="seat"):
        match.observation(None)


@pytest.mark.parametrize("seat", [-1, 4, "0", None])
def test_nobody_moves_out_of_turn_from_a_seat_that_is_not_there(seat: Any) -> None:
    for game, seats, moves in (
        ("mau_mau", 3, [{"type": "say", "text": "hi"}, {"type": "play", "cards": ["7H"]}]),
        ("truco", 4, [{"type": "play", "card": "4C"}, {"type": "truco"}]),
        ("palace", 3, [{"type": "ready"}, {"type": "play", "cards": ["4C"]}]),
    ):
        match = referee.Match(game, seats, seed=1)
        assert match.legal_moves(seat) == []
        for move in moves:
            with pytest.raises(referee.IllegalMove, match=r"common\.turn: the game has no seat") as refused:
                match.play(seat, move)
            assert refused.value.rule == "common.turn"
            assert refused.value.reason.startswith("the game has no seat")


def test_the_layout_of_an_observation_says_what_each_number_is() -> None:
    for game, seats in GAMES:
        match = referee.Match(game, seats, seed=4)
        play_on(match, 12)
        observer = match.observer
        end = 0
        for part in observer.layout:
            assert part.start == end
            assert part.says
            end += part.size
        assert end == observer.size == len(match.observation(0))
        for seat in range(seats):
            assert match.observation(seat) == observer.write(match.view(seat), seat)
        sizes = {part.name: part.size for part in observer.layout}
        assert sizes["scores"] == seats


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
