"""Lies that no verifier found at first, and honest games that one of them accused."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from functools import cache

import pytest

from tests.campaigns.forgers import Forgery, forgeries, rebuild  # noqa: F401 (all lies are declared)
from tests.campaigns.judging import Outcome, found, judge
from tests.campaigns.lying import LIES
from tests.independent.game import Referee
from tests.independent.verify import verify as independently
from tests.support.honest import played
from tests.support.honest.server import Server
from tests.support.page_verifier import ask

# The type of entry, the name of the lie, and a game in which it can be told.
FOUND_BY_ALL = (
    ("adjudicated", "a_winner_and_a_loser", 0),
    ("adjudicated", "twice_a_winner", 0),
    ("adjudicated", "won_by_no_seat_of_the_table", 0),
    ("resigned", "resigned_by_a_bot", 7),
    ("take_back_agreed", "by_a_bot", 7),
    ("dropped", "cancelled_to_spare_a_seat", 14),
    ("left", "cancelled_to_spare_a_seat", 26),
    ("left", "handed_over_by_the_app_although_out", 26),
    ("left", "spared_although_out", 10),
    ("moved", "a_bots_order", 7),
    ("moved", "marked_twice", 14),
    ("created", "options_left_to_their_defaults", 1),
    ("nudged", "to_another_seat", 4),
    ("nudged", "to_nobody", 4),
)
# Honest games: agreements that were signed, an increment that a cap took away, a time-out undone after a bot
# had taken the seat, a seat that was dropped; keys that were given up while others are still used.
HONEST = (1, 11, 26, 62, 10, 14, 1005, 1006, 1010)


@pytest.fixture(scope="module")
def independent() -> Iterator[Referee]:
    referee = Referee()
    yield referee
    referee.close()


@cache
def game(number: int) -> Server:
    return played(number, most=25)


def told(kind: str, name: str, number: int) -> Forgery:
    server = game(number)
    (lie,) = [each for each in LIES if (each.type, each.name) == (kind, name)]
    for seed in range(50):
        record = copy.deepcopy(server.record())
        if lie.tell(random.Random(seed), record):
            rebuild(record, server.all_keys)
            return Forgery("semantic", "lie", kind, name, record, number)
    raise AssertionError("this lie cannot be told of this game")


@pytest.mark.parametrize(("kind", "name", "number"), FOUND_BY_ALL)
def test_a_lie_is_found_by_all(kind: str, name: str, number: int, independent: Referee) -> None:
    (outcome,) = judge([told(kind, name, number)], independent)
    assert isinstance(outcome, Outcome)
    assert outcome.by_referee
    assert outcome.by_page
    assert outcome.by_independent


@pytest.mark.parametrize("number", HONEST)
def test_an_honest_game_is_accused_by_none(number: int, independent: Referee) -> None:
    record = game(number).record()
    (page,) = ask([record])
    assert found(record) == {}
    assert [check for check in page["checks"] if not check["ok"]] == []
    assert independently(record, independent)[0] is None
