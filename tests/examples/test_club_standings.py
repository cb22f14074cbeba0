"""Pairings and standings of the club in examples/club, which need no server."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import ModuleType

import pytest

CLUB = Path(__file__).parents[2] / "examples" / "club"
START = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def club() -> Iterator[tuple[ModuleType, ModuleType]]:
    """Return the modules of pairings and standings."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(CLUB)
        from club import formats, standings

        yield formats, standings


@pytest.mark.parametrize("number", [2, 3, 5, 8, 15, 16])
def test_everybody_meets_everybody_once(club: tuple[ModuleType, ModuleType], number: int) -> None:
    formats, _ = club
    members = [f"m{n}" for n in range(number)]
    rounds = formats.round_robin(members)
    for pairings in rounds:
        assert sorted(member for pair in pairings for member in pair if member) == sorted(members)
    met = [frozenset(pair) for pairings in rounds for pair in pairings if pair[1] is not None]
    assert sorted(map(sorted, met)) == [[*pair] for pair in itertools.combinations(sorted(members), 2)]
    first = [
        sum(pair[0] == member for pairings in rounds for pair in pairings if pair[1]) for member in members
    ]
    assert max(first) - min(first) <= 2


@pytest.mark.parametrize("number", [4, 7, 16])
def test_a_swiss_tournament_avoids_second_meetings_and_byes(
    club: tuple[ModuleType, ModuleType], number: int
) -> None:
    formats, _ = club
    chance, members = random.Random(number), [f"m{n}" for n in range(number)]
    met: set[frozenset[str]] = set()
    byes: set[str] = set()
    for _ in range(3):
        chance.shuffle(members)
        pairings = formats.swiss(members, met, byes)
        assert sorted(member for pair in pairings for member in pair if member) == sorted(members)
        for first, second in pairings:
            pair = frozenset((first, second))
            assert second is None or pair not in met
            assert second is not None or first not in byes
            met |= {pair} if second else set()
            byes |= set() if second else {first}
    assert formats.swiss(["a", "b"], {frozenset("ab")}, set()) == [("a", "b")]  # they meet again


def test_results_mean_the_same_in_any_order(club: tuple[ModuleType, ModuleType]) -> None:
    _, standings = club
    members = list("abcd")
    matches = [
        standings.Match(f"cup-1-{n}", "cup", n, *pair, START, closed=True)
        for n, pair in enumerate(itertools.combinations(members, 2))
    ]
    games = [
        standings.Game(
            match.id, 1, match.id, START + timedelta(hours=n % 4), match.first if n % 3 else match.second
        )
        for n, match in enumerate(matches)
    ]
    for _ in range(20):
        mixed = random.Random(5).sample(games, len(games))
        assert standings.table(members, matches, mixed) == standings.table(members, matches, games)
        assert standings.ratings(matches, mixed) == standings.ratings(matches, games)
        assert standings.ladder(members, matches, mixed) == standings.ladder(members, matches, games)


def test_who_keeps_others_waiting_at_the_deadline_loses(club: tuple[ModuleType, ModuleType]) -> None:
    _, standings = club
    match = standings.Match("cup-1-1", "cup", 1, "a", "b", START, closed=True)

    def points(*games: tuple[str | None, tuple[str, ...] | None]) -> dict[str, float]:
        made = [
            standings.Game(match.id, n, str(n), START, winner, waited is not None, waited or ())
            for n, (winner, waited) in enumerate(games, 1)
        ]
        found: dict[str, float] = standings.points(match, made)
        return found

    assert points((None, ("a",))) == {"a": 0.0, "b": 1.0}
    assert points(("a", None), (None, ("a",))) == {"a": 1.0, "b": 0.0}  # but who leads has won
    assert points((None, ("a", "b"))) == {"a": 0.5, "b": 0.5}
    assert points() == {"a": 0.5, "b": 0.5}


def test_a_winner_from_below_takes_the_place(club: tuple[ModuleType, ModuleType]) -> None:
    _, standings = club
    match = standings.Match("l-1-1", "l", 1, "d", "b", START, closed=True)
    won = [standings.Game(match.id, 1, "1", START, "d")]
    lost = [standings.Game(match.id, 1, "1", START, "b")]
    assert standings.ladder(list("abcde"), [match], won) == list("adbce")
    assert standings.ladder(list("abcde"), [match], lost) == list("abcde")
