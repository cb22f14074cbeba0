"""What programs that search and learn need of a match: seeds, equality, nodes of chance, quick actions."""

import copy
import pickle
import random
from typing import Any

import pytest

import referee
from referee.choices import Sets

GAMES = [(game.ID, min(seats for seats in game.SEATS if seats > 1)) for game in referee.newest()]


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
    assert len({match.view(0)["zones"]["hand.0"][0] + str(hash(match)) for match in matches}) == 3
    again = referee.Match("pies", 4, seed=matches[0].seed)
    assert again == matches[0]


def test_a_seed_may_be_a_number() -> None:
    assert referee.Match("pies", 4, seed=0) == referee.Match("pies", 4, seed=b"\0")
    assert referee.Match("pies", 4, seed=258) == referee.Match("pies", 4, seed=b"\1\2")
    assert referee.Match("pies", 4, seed=1) != referee.Match("pies", 4, seed=2)
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
    assert referee.Match("pies", 4, seed=Seven()).seed == b"\x07"  # type: ignore[arg-type]


def test_what_a_match_cannot_use_is_named() -> None:
    for options in (5, [1], "ab"):
        with pytest.raises(referee.Malformed, match="options: must be an object"):
            referee.Match("pies", 4, options)  # type: ignore[arg-type]
    with pytest.raises(referee.Malformed, match="chance: must have pick, shuffle"):
        referee.Match("pies", 4, chance=5)  # type: ignore[arg-type]
    match = referee.Match("pies", 4, seed=7)
    for move in (None, [1], "play"):
        with pytest.raises(referee.Malformed, match=r"move: common\.unknown_move: a move must be an object"):
            match.play(match.to_act[0], move)  # type: ignore[arg-type]
    with pytest.raises(referee.Unencodable, match=r"action \[1\] is not legal"):
        match.act(match.to_act[0], [1])  # type: ignore[arg-type]


# --- words, equality --------------------------------------------------------------------------------------
def test_a_match_says_where_it_is_and_shows_no_hidden_card() -> None:
    match = referee.Match("cats_and_dogs", 3, seed=5)
    begun = "<Match cats_and_dogs 1, 3 seats, {'first': None}: 0 moves"
    assert repr(match) == f"{begun}, waits for {match.to_act}>"
    play_on(match, 500)
    assert "moves, over: " in repr(match)


@pytest.mark.parametrize(("game", "seats"), GAMES)
def test_equal_matches_have_equal_hashes_and_differ_after_a_move(game: str, seats: int) -> None:
    match = referee.Match(game, seats, seed=7)
    play_on(match, 9)
    for same in (match.clone(), copy.copy(match), copy.deepcopy(match), pickle.loads(pickle.dumps(match))):
        assert same == match
        assert hash(same) == hash(match)
    other = match.clone()
    play_on(other, 1)
    assert other != match
    assert len({match, match.clone(), other}) == 2
    assert match != "a match"


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
    assert sorted(found) == sorted(actions.among(sets))


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
        encoded = match.actions.among(listed)
        other, taken = match.clone(), []
        while not match.act(seat, choose.choice(match.legal_actions(seat))):
            taken = [*match.begun]
            assert {actions[len(taken)] for actions in encoded if [*actions[: len(taken)]] == taken} == set(
                match.legal_actions(seat)
            )
            match = pickle.loads(pickle.dumps(match))
            assert [*match.begun] == taken
        made = match._happened[-1][1]
        assert made in listed
        other.play(seat, made)
        assert other == match


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
def test_information_states_are_keys_and_stay_as_they_were() -> None:
    match = referee.Match("palace", 3, seed=4)
    kept = []
    for _ in range(40):
        kept.append(match.information_state(0))
        play_on(match, 1, seed=len(kept))
    assert len(set(kept)) == 40
    for number, state in enumerate(kept):
        assert len(state.seen) == number + 1
        assert state["seen"] == state.seen
        assert pickle.loads(pickle.dumps(state)) == state
        assert len(pickle.loads(pickle.dumps(state)).seen) == number + 1
    again = referee.Match("palace", 3, seed=4)
    for number, state in enumerate(kept):
        if number % 7 == 0:  # also where it was not asked for after every move
            assert again.information_state(0) == state
            assert again.information_state(0).key == state.key
        play_on(again, 1, seed=number + 1)


@pytest.mark.parametrize("seat", [-3, -2, -1, 2, "0", 0.5])
def test_nobody_sees_as_a_seat_that_is_not_there(seat: Any) -> None:
    match = referee.Match("bisca", 2, seed=7)
    for see in (match.view, match.information_state, match.observation, match.picture):
        with pytest.raises(referee.Malformed, match=r"seat: must be from 0 to 1"):
            see(seat)
    with pytest.raises(referee.Malformed, match="seat"):
        referee.view(match.state, seat)
    with pytest.raises(referee.Malformed, match="seat"):
        match.observation(None)  # type: ignore[arg-type]


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


def test_what_has_happened_does_not_change_with_the_list_of_a_caller() -> None:
    match = referee.Match("mau_mau", 2, {"must_play": True}, seed=1)
    while not any("cards" in move for move in match.legal_moves(match.to_act[0])):
        play_on(match, 1)
    seat = match.to_act[0]
    cards = [*next(move["cards"] for move in match.legal_moves(seat) if "cards" in move)]
    other = match.clone()
    match.play(seat, {"type": "play", "cards": cards})
    other.play(seat, {"type": "play", "cards": [*cards]})
    cards.clear()
    assert match == other
    assert match.information_state(seat) == other.information_state(seat)


def test_what_was_seen_is_written_once(monkeypatch: pytest.MonkeyPatch) -> None:
    match = referee.Match("palace", 3, seed=4)
    play_on(match, 30)
    match.information_state(1)
    written: list[Any] = []
    real = referee.computer.match.show_transfers  # type: ignore[attr-defined]
    monkeypatch.setattr(
        "referee.computer.match.show_transfers", lambda moved, seat: written.append(seat) or real(moved, seat)
    )
    play_on(match, 2)
    match.information_state(1)
    match.information_state(1)
    match.clone().information_state(1)
    assert written == [1, 1]


def test_a_begun_move_is_known_to_its_seat_only() -> None:
    match = referee.Match("palace", 2, seed=4)
    while not any(len(match.actions.encode(move)) > 1 for move in match.legal_moves(match.to_act[0])):
        play_on(match, 1)
    seat = match.to_act[0]
    before, others = match.information_state(seat), match.information_state(1 - seat)
    assert not match.act(seat, match.actions.encode({"type": "play", "cards": ["4C"]})[0])
    assert match.information_state(seat) != before
    assert match.information_state(1 - seat) == others


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


# --- chance -----------------------------------------------------------------------------------------------
def test_chance_is_drawn_card_by_card() -> None:
    match = referee.Match("bisca", 2, chance_nodes=True)
    assert match.is_chance
    assert match.to_act == []
    assert match.chance_outcomes() == [(0, 0.5), (1, 0.5)]
    with pytest.raises(referee.Malformed, match="dealt"):
        match.view(0)
    with pytest.raises(referee.Malformed, match="outcome"):
        match.draw(2)
    with pytest.raises(referee.Malformed, match="chance"):
        match.play(0, {"type": "tap"})
    match.draw(1)
    drawn = []
    other = match.clone()
    while match.is_chance:
        outcomes = match.chance_outcomes()
        assert sum(chance for _, chance in outcomes) == pytest.approx(1)
        assert match.legal_actions(0) == match.legal_actions(1) == []
        drawn.append(outcomes[len(outcomes) // 2][0])
        match.draw(drawn[-1])
        again = pickle.loads(pickle.dumps(match))
        assert again == match
        assert again.chance_outcomes() == match.chance_outcomes()
    assert match.state.dealer == 1
    assert other.is_chance
    for outcome in drawn:
        assert other != match
        other.draw(outcome)
    assert other == match
    assert match.chance_outcomes() == []
    with pytest.raises(referee.Malformed, match="does not wait"):
        match.draw(0)


def test_a_match_is_equal_to_one_whose_chance_was_drawn() -> None:
    seeded = referee.Match("cats_and_dogs", 2, chance=referee.Noted(b"any"))
    drawn = referee.Match("cats_and_dogs", 2, chance_nodes=True)
    for noted in seeded.chance.outcomes:  # type: ignore[attr-defined]
        for outcome in [noted["pick"]] if "pick" in noted else noted["shuffle"]:
            if drawn.chance_outcomes():  # the last cards of a shuffle may follow
                drawn.draw(outcome)
    assert drawn.state is not None
    assert drawn == seeded
    assert hash(drawn) == hash(seeded)


def test_chance_in_the_middle_of_a_game_waits_with_its_move() -> None:
    match = referee.Match("bisca", 2, chance_nodes=True)
    choose = random.Random(4)
    waited = 0
    while not match.is_over:
        if match.is_chance:
            waited += len(match._happened) > 1
            outcomes = match.chance_outcomes()
            match.draw(choose.choices([o for o, _ in outcomes], [chance for _, chance in outcomes])[0])
        else:
            seat = match.to_act[0]
            match.act(seat, choose.choice(match.legal_actions(seat)))
    assert waited >= 39  # the cards of a second hand
