"""Old versions of rules: an old game continues under its old rules, while new games use the new ones."""

import json
from typing import Any

import pytest

import referee
from tests.referee.ageing import FIRST_VERSION, SECOND_VERSION, on_offer
from tests.referee.logged import logged


def is_tied(seed: bytes) -> bool:
    """Return whether each seat is dealt a single 1, the lowest card."""
    dealt = referee.Seeded.from_seed(seed, ["", ""]).shuffle(FIRST_VERSION.deck(2, {}))[:6]
    return dealt[0::2].count("1") == dealt[1::2].count("1") == 1


TIED = next(seed for seed in (bytes([n]) for n in range(100)) if is_tied(seed))


@pytest.fixture
def both():
    with on_offer(FIRST_VERSION, SECOND_VERSION):
        yield


def begun(version: int | None) -> tuple[Any, referee.Seeded]:
    chance = referee.Seeded.from_seed(TIED, ["", ""])
    state, _ = referee.deal("lofty", 2, {}, chance, version=version)
    return state, chance


def lowest(state: Any, chance: referee.Seeded) -> dict[str, Any]:
    (seat,) = state.to_act
    move = referee.legal_moves(state, seat)[0]
    referee.advance(state, seat, move, chance)
    return {"seat": seat, "move": move}


def test_new_games_get_the_newest_rules_and_old_ones_keep_theirs():
    with on_offer(FIRST_VERSION):
        old, old_chance = begun(None)
        assert old.ruleset.VERSION == 1
        lowest(old, old_chance)
        kept = json.dumps(referee.dump(old))  # as the service stores a position between two moves
    with on_offer(FIRST_VERSION, SECOND_VERSION):
        assert referee.versions("lofty") == [1, 2]
        assert [game.VERSION for game in referee.newest() if game.ID == "lofty"] == [2]
        new, new_chance = begun(None)
        assert new.ruleset.VERSION == 2
        old = referee.read(json.loads(kept))
        assert old.ruleset.VERSION == 1
        lowest(new, new_chance)
        assert list(old.trick) == list(new.trick) == ["1"]
        lowest(old, old_chance)
        lowest(new, new_chance)
        assert old.scores == [1, 0], "version 1: of two equal cards the first wins"
        assert new.scores == [0, 1], "version 2: the second"


def test_a_record_is_replayed_under_the_version_that_it_names(both: None):
    results = {}
    for version in (1, 2):
        state, chance = begun(version)
        moves = []
        while state.result is None:
            moves.append(lowest(state, chance))
        record = referee.write_record(state, TIED, ["", ""], moves)
        assert record["version"] == version
        assert referee.verify(record).ok
        results[version] = record
    as_the_other = {**results[1], "version": 2}
    assert not referee.verify(as_the_other).ok, "the same moves give another game under the other rules"


def test_a_log_binds_the_version(both: None):
    record = json.loads(json.dumps(logged("lofty", 2)))
    assert record["version"] == 2
    assert referee.verify(record).ok
    older = {**record, "version": 1}
    assert "terms" in [check.name for check in referee.verify(older).checks if not check.ok]


def test_unknown_versions_are_refused(both: None):
    for version in (0, 3, "1", 1.0, True):
        with pytest.raises(referee.Malformed, match="versions 1, 2"):
            referee.find("lofty", version)
