"""Moves as numbers: every listed move has its actions, and they never change."""

import random
from typing import Any

import pytest

import referee
from referee.authoring import INTEGER, Field
from tests.referee.tables import Table, tables, wander
from tests.support.packages import registered

# The number of actions with default options; to change it breaks programs that have learned.
COUNTS = {
    ("cats_and_dogs", 3): 18,
    ("truco", 4): 43,
    ("landlord", 4): 58,
    ("pies", 4): 73,
    ("bisca", 2): 81,
    ("bisca", 3): 80,
    ("dog_cards", 2): 1936,
    ("mau_mau", 4): 79,
    ("pedro", 4): 176,
    ("palace", 4): 2765,
}


@pytest.mark.parametrize("table", tables(), ids=str)
def test_every_listed_move_is_found_again_by_its_actions(table: Table) -> None:
    actions = referee.Match(*table, seed=1).actions
    for number, point in enumerate(wander(table, 8, 80)):
        if number % 4:
            continue
        for seat in range(table.seats):
            for move in list(referee.legal_moves(point.state, seat))[:60]:
                if move["type"] in actions.left_out:
                    continue
                encoded = actions.encode(move)
                assert all(0 <= action < actions.n for action in encoded)
                assert actions.decode(encoded) == move


@pytest.mark.parametrize(("game", "seats"), COUNTS)
def test_the_actions_of_a_released_version_stay(game: str, seats: int) -> None:
    match = referee.Match(game, seats)
    assert match.actions.n == COUNTS[game, seats]


def test_actions_have_words_and_numbers_that_stay() -> None:
    bisca, palace = referee.Match("bisca", 2).actions, referee.Match("palace", 2).actions
    assert bisca.encode({"type": "cut", "at": 1}) == (0,)
    assert bisca.encode({"type": "tap"}) == (39,)
    assert bisca.encode({"type": "play", "card": "AS"}) == (79,)
    assert bisca.encode({"type": "exchange"}) == (80,)
    assert bisca.describe(0) == "cut at=1"
    pair = palace.encode({"type": "play", "cards": ["4C", "4D"]})
    assert [palace.describe(action) for action in pair] == ["play", "with 4C", "with 4D", "end"]
    assert len({palace.describe(action) for action in range(palace.n)}) == palace.n


def test_a_mask_leads_through_a_move_with_a_list() -> None:
    match = referee.Match("landlord", 4, seed=b"m")
    match.play(match.to_act[0], {"type": "take"})
    seat = match.to_act[0]
    listed = match.legal_moves(seat)
    choose = random.Random(1)
    taken: list[int] = []
    while not taken or taken[-1] != match.actions.end:
        assert [n for n, legal in enumerate(match.mask(seat)) if legal] == match.legal_actions(seat)
        taken.append(choose.choice(match.legal_actions(seat)))
        assert match.act(seat, taken[-1]) == (taken[-1] == match.actions.end)
    assert match.actions.decode(taken) in listed
    assert match.begun == ()
    assert match.to_act != [seat]


def test_a_masked_action_is_refused_and_changes_nothing() -> None:
    match = referee.Match("bisca", 2)
    seat, before = match.to_act[0], match.view(None)
    with pytest.raises(referee.Unencodable, match="action 80"):
        match.act(seat, 80)
    assert match.view(None) == before
    assert match.begun == ()


def test_free_text_has_no_actions() -> None:
    actions = referee.Match("mau_mau", 3).actions
    assert actions.left_out == ["say"]
    with pytest.raises(referee.Unencodable):
        actions.encode({"type": "say", "text": "mau"})


@pytest.mark.parametrize(
    "actions", [(), (81,), (-1,), (0, 0)], ids=["none", "beyond", "negative", "one too many"]
)
def test_actions_that_are_no_move_are_refused(actions: tuple[int, ...]) -> None:
    with pytest.raises(referee.Unencodable):
        referee.Match("bisca", 2).actions.decode(actions)


def test_a_list_that_is_not_ended_is_refused() -> None:
    actions = referee.Match("palace", 2).actions
    with pytest.raises(referee.Unencodable, match="not ended"):
        actions.decode(actions.encode({"type": "play", "cards": ["4C"]})[:-1])


@pytest.mark.parametrize(
    ("field", "told"),
    [(Field(INTEGER, "any number"), "within=range"), (Field(INTEGER, within=range(10**6)), "more than")],
    ids=["without bounds", "too many"],
)
def test_a_field_without_few_values_is_told(monkeypatch: pytest.MonkeyPatch, field: Field, told: str) -> None:
    with registered("high-card", "high_card") as rules:
        monkeypatch.setitem(rules.MOVES, "guess", {"number": field})
        with pytest.raises(referee.Unencodable, match=told):
            referee.Actions(rules, 2, {})


def test_true_and_one_are_different_values() -> None:
    actions = referee.Match("mau_mau", 2).actions
    with pytest.raises(referee.Unencodable):
        actions.encode({"type": "play", "cards": ["7C"], "announce": 1})
    with pytest.raises(referee.Unencodable):
        actions.encode({"type": "draw", "more": True})


def test_packages_have_actions() -> None:
    with registered("dark-mark", "dark_mark"):
        match: Any = referee.Match("dark_mark", 2)
        assert match.actions.n == 52 * 4 + 52
        assert len(match.legal_actions(0)) == 16
