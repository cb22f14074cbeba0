"""What no honest server could write is found by all three verifiers, also in a log that was written anew."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from functools import cache

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
# Games enough to tell each lie of; in those of palace, all seats are late together now and then.
GAMES = [*((number, None) for number in range(80)), *((number, "palace") for number in range(80))]


@cache
def record(number: int, ruleset: str | None) -> Record | None:
    """Return a game without keys of players, which would sign what is true."""
    game = played(number, ruleset, most=8)
    return None if game.all_keys else game.record()


@pytest.fixture(scope="module")
def independent() -> Iterator[Referee]:
    running = Referee()
    yield running
    running.close()


@pytest.mark.parametrize("lie", IMPOSSIBLE, ids=lambda lie: f"{lie.type}.{lie.name}")
def test_an_impossible_value_is_found(lie: Lie, independent: Referee) -> None:
    for named in GAMES:
        forged = copy.deepcopy(record(*named))
        if forged is not None and lie.tell(random.Random(1), forged):
            break
    else:
        pytest.fail("no game to lie about")
    rebuild(forged, {})
    (page,) = ask([forged])
    assert found(forged), "the referee"
    assert not page["ok"], "the page"
    assert independently(forged, independent)[0] is not None, "the independent verifier"
