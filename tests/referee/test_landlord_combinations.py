"""Landlord: combinations, each enumerated from its description, and which of them beats which."""

import itertools
import random
from collections import Counter

import pytest

from referee import combos
from referee.combos import RANKS
from tests.referee.landlord import BIG, RUN, SMALL


def mains(each: int, shortest: int = 1) -> list[list[int]]:
    """Yield the ranks of main parts: one rank, or rows of at least this length."""
    if shortest == 1:
        return [[rank] for rank in range(13 if each > 1 else 15)]
    return [list(range(low, high)) for low in RUN for high in range(low + shortest, 13)]


def described(largest: int, alike: bool) -> dict[tuple[int, ...], set[tuple[str, int]]]:
    """Return every multiset of ranks that is a combination, with its possible kinds and ranks.

    With `alike`, what is attached may be of the main part's rank.
    """

    def pairs_outside(main: list[int]) -> list[tuple[int, ...]]:
        return [(r, r) for r in range(13) if alike or r not in main] + [(SMALL, BIG)]

    def cards_outside(main: list[int]) -> list[tuple[int, ...]]:
        return [(r,) for r in range(15) if alike or r not in main]

    found: dict[tuple[int, ...], set[tuple[str, int]]] = {}

    def add(kind: str, main: list[int], each: int, *rest: tuple[int, ...]) -> None:
        ranks = sorted(main * each + [r for unit in rest for r in unit])
        copies = Counter(ranks)
        held = all(n <= (8 if r < SMALL else 1) for r, n in copies.items())
        bomb = len(copies) == 1 and len(ranks) >= 6  # and nothing else
        if len(ranks) <= largest and held and bomb == (kind == "bomb"):
            found.setdefault(tuple(ranks), set()).add((kind, main[-1]))

    for kind, each, shortest in (
        ("single", 1, 1), ("pair", 2, 1), ("triplet", 3, 1), ("sequence", 1, 5), ("pair_sequence", 2, 3),
        ("triplet_sequence", 3, 2), *(("bomb", n, 1) for n in (6, 7, 8)),
    ):  # fmt: skip
        for main in mains(each, shortest):
            add(kind, main, each)
    for each in (3, 4, 5, 6, 7, 8):
        for main in mains(each):
            for unit in cards_outside(main):
                add("triplet_card" if each == 3 else "multiple_card", main, each, unit)
            for unit in pairs_outside(main):
                add("triplet_pair" if each == 3 else "multiple_pair", main, each, unit)
    for each in (5, 6, 7, 8):
        for main in mains(each):
            for two in itertools.combinations(cards_outside(main), 2):
                if two != ((SMALL,), (BIG,)):
                    add("multiple_cards", main, each, *two)
    for main in mains(3, 2):
        if 4 * len(main) <= largest:
            for units in itertools.combinations_with_replacement(cards_outside(main), len(main)):
                add("triplet_sequence_cards", main, 3, *units)
        if 5 * len(main) <= largest:
            for units in itertools.combinations_with_replacement(pairs_outside(main), len(main)):
                add("triplet_sequence_pairs", main, 3, *units)
    add("rocket", [SMALL, BIG], 1)
    return found


DESCRIBED = {alike: described(15, alike) for alike in (False, True)}
BOTH = pytest.mark.parametrize("alike", DESCRIBED)


def cards_of(ranks: tuple[int, ...]) -> list[str]:
    """Return any cards of these ranks."""
    return [RANKS[r] if r >= SMALL else RANKS[r] + "CDHS"[i % 4] for i, r in enumerate(ranks)]


def read(ranks: tuple[int, ...], alike: bool) -> set[tuple[str, int]]:
    return {(combo.kind, combo.rank) for combo in combos.readings(cards_of(ranks), alike)}


def highest_of_each_kind(meanings: set[tuple[str, int]]) -> set[tuple[str, int]]:
    return {(kind, max(r for k, r in meanings if k == kind)) for kind, _ in meanings}


@BOTH
def test_every_combination_described_is_read_as_such(alike: bool) -> None:
    assert len(DESCRIBED[alike]) > 10_000
    for ranks, meanings in DESCRIBED[alike].items():
        assert read(ranks, alike) == highest_of_each_kind(meanings), ranks


@BOTH
@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 6])
def test_no_other_cards_are_a_combination(alike: bool, size: int) -> None:
    for ranks in itertools.combinations_with_replacement(range(15), size):
        if max(ranks.count(SMALL), ranks.count(BIG)) < 2 and ranks not in DESCRIBED[alike]:
            assert read(ranks, alike) == set(), ranks


@BOTH
@pytest.mark.parametrize("size", [7, 8, 9, 10, 12, 14, 15])
def test_near_misses_are_no_combination(alike: bool, size: int) -> None:
    choose = random.Random(size)
    large = [ranks for ranks in DESCRIBED[alike] if len(ranks) == size]
    for _ in range(1500):
        ranks = list(choose.choice(large))
        ranks[choose.randrange(size)] = choose.randrange(13)
        near = tuple(sorted(ranks))
        if max(Counter(near).values()) <= 8:
            assert read(near, alike) == highest_of_each_kind(DESCRIBED[alike].get(near, set())), near


@pytest.mark.parametrize(("triplets", "cards"), [(4, 12), (8, 24)])
def test_triplets_in_a_row_have_two_readings_and_the_one_that_beats_counts(triplets: int, cards: int) -> None:
    row = cards_of(tuple(r for r in range(triplets) for _ in range(3)))
    plain, with_cards = combos.readings(row)
    assert (plain.kind, with_cards.kind) == ("triplet_sequence", "triplet_sequence_cards")
    assert plain.size == with_cards.size == cards
    assert combos.reading(row, None) == plain
    assert combos.reading(row, with_cards._replace(rank=with_cards.rank - 1)) == with_cards
    assert combos.reading(row, with_cards) == plain  # neither beats it


def test_what_beats_what() -> None:
    def combo(kind: str, size: int, rank: str) -> combos.Combo:
        return combos.Combo(kind, size, RANKS.index(rank))

    rocket = combo("rocket", 2, "XR")
    ladder = [
        combo("pair", 2, "2"),
        combo("bomb", 6, "3"),
        combo("bomb", 6, "2"),
        combo("bomb", 7, "3"),
        rocket,
    ]
    for low, high in itertools.combinations(ladder, 2):
        assert combos.beats(high, low)
        assert not combos.beats(low, high)
    for same in ladder:
        assert not combos.beats(same, same)
    assert not combos.beats(combo("sequence", 6, "K"), combo("sequence", 5, "7"))
    assert not combos.beats(combo("triplet_pair", 5, "K"), combo("sequence", 5, "7"))
