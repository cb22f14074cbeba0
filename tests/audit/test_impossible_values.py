"""What no honest server could write is found by all three verifiers, also in a log that was written anew."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator

import pytest

from tests.campaigns import impossible
from tests.campaigns.forgers import rebuild
from tests.campaigns.judging import found
from tests.campaigns.lying import LIES, Lie, Record
from tests.independent.game import Referee
from tests.independent.verify import verify as independently
from tests.support.honest import played
from tests.support.page_verifier import ask

IMPOSSIBLE = [lie for lie in LIES if lie.change.__module__ == impossible.__name__]
GAMES = (*range(25), 37)  # the last one has a hand-over


@pytest.fixture(scope="module")
def records() -> list[Record]:
    """Games without keys of players, which would sign what is true."""
    made = [played(number, most=8) for number in GAMES]
    made.append(played(10, "palace", most=8))  # in which all seats are late together
    return [game.record() for game in made if not game.all_keys]


@pytest.fixture(scope="module")
def independent() -> Iterator[Referee]:
    running = Referee()
    yield running
    running.close()


@pytest.mark.parametrize("lie", IMPOSSIBLE, ids=lambda lie: f"{lie.type}.{lie.name}")
def test_an_impossible_value_is_found(lie: Lie, records: list[Record], independent: Referee) -> None:
    for each in records:
        forged = copy.deepcopy(each)
        if lie.tell(random.Random(1), forged):
            break
    else:
        pytest.fail("no game to lie about")
    rebuild(forged, {})
    (page,) = ask([forged])
    assert found(forged), "the referee"
    assert not page["ok"], "the page"
    assert independently(forged, independent)[0] is not None, "the independent verifier"
