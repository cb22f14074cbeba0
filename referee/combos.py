"""Combinations of cards in climbing games: what cards form, what beats what, and what a hand offers.

Suits never matter: a combination depends on how many cards of each rank there are. Ranks are the places
in `RANKS`, 0 to 14. What the rules call a kind comes in several makes, one for each size.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from referee.cards import SUITS

RANKS = (*"3456789TJQKA2", "XB", "XR")
PLACE = {name: rank for rank, name in enumerate(RANKS)}
SMALL_JOKER, BIG_JOKER = PLACE["XB"], PLACE["XR"]
RUN_END = PLACE["A"]  # runs contain neither twos nor jokers
BOMB = 6  # cards of one rank, or more

_SUITED = [(name, [name + suit for suit in SUITS]) for name in RANKS[:SMALL_JOKER]]
RANK = {card: PLACE[name] for name, cards in _SUITED for card in cards} | {
    "XB": SMALL_JOKER,
    "XR": BIG_JOKER,
}
ORDER = {card: i for i, card in enumerate(RANK)}  # by rank, then by suit

# What may be attached to the main part; it has one of the main part's ranks only where a game says `alike`.
NOTHING, CARDS, PAIRS, UNLIKE_CARDS = range(4)


class Combo(NamedTuple):
    """Cards read as a combination: its kind, how many cards it has, and the rank that decides."""

    kind: str
    size: int
    rank: int


@dataclass(frozen=True, slots=True)
class Make:
    """A kind at one size: `each` cards of `length` ranks in a row, and `units` attached units.

    `highs` are the possible ranks of the highest card in the row.
    """

    kind: str
    size: int
    each: int
    length: int
    attached: int
    units: int
    highs: Sequence[int]


def _make(kind: str, each: int, length: int = 1, attached: int = NOTHING, units: int = 0) -> Make:
    size = each * length + units * (2 if attached == PAIRS else 1)
    highs = range(len(RANKS)) if length == 1 else range(length - 1, RUN_END + 1)
    return Make(kind, size, each, length, attached, units, highs)


def _runs(kind: str, each: int, shortest: int, attached: int = NOTHING) -> list[Make]:
    return [
        _make(kind, each, length, attached, length if attached else 0)
        for length in range(shortest, RUN_END + 2)
    ]


# The order in which kinds are read and listed; within a kind, by size.
MAKES = (
    _make("single", 1),
    _make("pair", 2),
    _make("triplet", 3),
    _make("triplet_card", 3, 1, CARDS, 1),
    _make("triplet_pair", 3, 1, PAIRS, 1),
    *_runs("sequence", 1, 5),
    *_runs("pair_sequence", 2, 3),
    *_runs("triplet_sequence", 3, 2),
    *_runs("triplet_sequence_cards", 3, 2, CARDS),
    *_runs("triplet_sequence_pairs", 3, 2, PAIRS),
    *(_make("multiple_card", n, 1, CARDS, 1) for n in range(4, 9)),
    *(_make("multiple_pair", n, 1, PAIRS, 1) for n in range(4, 9)),
    *(_make("multiple_cards", n, 1, UNLIKE_CARDS, 2) for n in range(5, 9)),
    *(_make("bomb", n) for n in range(6, 9)),
    Make("rocket", 2, 1, 2, NOTHING, 0, (BIG_JOKER,)),
)
KINDS = tuple(dict.fromkeys(make.kind for make in MAKES))
_OF_SIZE = {size: [m for m in MAKES if m.size == size] for size in {make.size for make in MAKES}}


# --- reading and comparing --------------------------------------------------------------------------


def readings(cards: Sequence[str], alike: bool = False) -> list[Combo]:
    """Return every combination that the cards form, in the order of `KINDS`, each at its highest rank.

    With `alike`, what is attached may be of a rank of the main part; six or more of a rank stay a bomb.
    """
    return [*_readings(tuple(cards), alike)]


@lru_cache(maxsize=1024)
def _readings(cards: tuple[str, ...], alike: bool) -> list[Combo]:
    makes = _OF_SIZE.get(len(cards))
    if makes is None:
        return []
    counts = [0] * len(RANKS)
    for card in cards:
        counts[RANK[card]] += 1
    result = []
    for make in makes:
        high = _highest(counts, make, alike and not BOMB <= make.size == max(counts))
        if high is not None:
            result.append(Combo(make.kind, make.size, high))
    return result


def _highest(counts: list[int], make: Make, alike: bool) -> int | None:
    """Find the highest main part that uses exactly the make's number of cards."""
    main = [make.each] * make.length
    for high in reversed(make.highs):
        low = high - make.length + 1
        part = counts[low : high + 1]
        if part == main or (alike and min(part) >= make.each):
            more = [count - make.each for count in part]
            if _fit(make.attached, counts[:low] + more + counts[high + 1 :]):
                return high
    return None


def _fit(attached: int, rest: list[int]) -> bool:
    """Return whether the counts outside the main part (jokers last) are units of this sort."""
    if attached == PAIRS:
        return rest[-2] == rest[-1] and not any(count % 2 for count in rest[:-2])
    if attached == UNLIKE_CARDS:  # the two jokers are a pair
        return max(rest) == 1 and not rest[-2] == rest[-1] == 1
    return True


def reading(cards: Sequence[str], against: Combo | None, alike: bool = False) -> Combo | None:
    """Return the reading that counts: one that beats `against`, or else the first; None if there is none."""
    found = readings(cards, alike)
    if against is not None:
        for combo in found:
            if beats(combo, against):
                return combo
    return found[0] if found else None


def comparable(combo: Combo, against: Combo) -> bool:
    """Return whether rank or size decides between the two: the same kind and size, or a bomb or rocket."""
    return combo[:2] == against[:2] or combo.kind in ("bomb", "rocket")


def beats(combo: Combo, against: Combo) -> bool:
    """Return whether a combination beats the other."""
    if combo[:2] == against[:2]:
        return combo.rank > against.rank
    if combo.kind == "bomb":
        return against.kind != "rocket" and (against.kind != "bomb" or combo.size > against.size)
    return combo.kind == "rocket"


# --- what a hand offers -----------------------------------------------------------------------------


def _could_beat(make: Make, other: Make) -> bool:
    return beats(Combo(make.kind, make.size, len(RANKS)), Combo(other.kind, other.size, -1))


_ANSWERS = {
    (other.kind, other.size): tuple(make for make in MAKES if _could_beat(make, other)) for other in MAKES
}
_BY_NAME = {(make.kind, make.size): make for make in MAKES}


def offered(hand: Sequence[str], against: Combo | None, alike: bool = False) -> list[list[str]]:
    """List the combinations that a hand in hand order offers, or those of them that beat `against`.

    Each has the first cards of its ranks, in hand order. Of several attached units all but one are the
    lowest, and the last is each different one in turn. They come by kind, size and rank of the reading
    that counts, then card by card.
    """
    offer = Offer(hand, alike)
    if alike:  # the same cards come from several makes
        every = [cards for make in MAKES for cards in offer.candidates(make, -1)]
        return _sorted(every, against, alike)
    plays: list[list[str]] = []
    for make in MAKES if against is None else _ANSWERS[against[:2]]:
        if make.length > offer.longest(make.each):
            continue
        if make.attached == CARDS and make.units > 2:
            plays += _reread(offer, make, against)
        else:
            above = against.rank if against and (make.kind, make.size) == against[:2] else -1
            plays += offer.candidates(make, above)
    return plays


def _reread(offer: "Offer", make: Make, against: Combo | None) -> list[list[str]]:
    """List triplets in a row with three or more cards: with a triplet among these they read in many ways.

    The row may go on in what is attached, and nothing but triplets in a row are another kind as well.
    """
    candidates = list(offer.candidates(make, -1))
    if not candidates:
        return []
    all_triplets = _BY_NAME.get(("triplet_sequence", make.size))
    if all_triplets is not None:
        candidates += offer.candidates(all_triplets, -1)
    return _sorted(candidates, against, False, make.kind)


def _sorted(
    candidates: list[list[str]], against: Combo | None, alike: bool, kind: str | None = None
) -> list[list[str]]:
    """Return those that beat `against`, or all, by the reading that counts, each once; only of this kind."""
    ranked: dict[tuple[str, ...], tuple[int, int, int]] = {}
    for cards in candidates:
        combo = reading(cards, against, alike)
        fits = combo is not None and kind in (None, combo.kind)
        if combo is not None and fits and (against is None or beats(combo, against)):
            ranked[tuple(cards)] = (KINDS.index(combo.kind), combo.size, combo.rank)
    return [list(cards) for cards in sorted(ranked, key=lambda c: (ranked[c], [ORDER[card] for card in c]))]


class Offer:
    """A hand sorted by rank, for finding combinations."""

    __slots__ = ("_alike", "_counts", "_groups", "_longest", "_rows", "_units")

    def __init__(self, hand: Sequence[str], alike: bool) -> None:
        self._alike = alike
        groups: list[list[str]] = [[] for _ in RANKS]
        for card in hand:
            groups[RANK[card]].append(card)
        self._groups = groups
        self._counts = [*map(len, groups)]
        # _rows[n][high]: how many ranks in a row, downwards from this one, are held n times or more
        self._rows: dict[int, list[int]] = {}
        self._longest = dict.fromkeys(range(max(self._counts) + 1, 9), 0)
        self._units: dict[int, list[tuple[int, list[str]]]] = {}

    def longest(self, each: int) -> int:
        """Return how many consecutive ranks the hand holds at least this many times."""
        longest = self._longest.get(each)
        if longest is None:
            row = 0
            self._rows[each] = rows = []
            for count in self._counts:
                row = row + 1 if count >= each else 0
                rows.append(row)
            self._longest[each] = longest = max(rows)
        return longest

    def candidates(self, make: Make, above: int) -> Iterator[list[str]]:
        """Find each main part above a rank, with units attached, in the order of rank and cards."""
        if self.longest(make.each) < make.length:
            return
        rows = self._rows[make.each]
        for high in make.highs:
            if rows[high] < make.length or high <= above:
                continue
            low = high - make.length + 1
            main = [card for group in self._groups[low : high + 1] for card in group[: make.each]]
            if make.attached == NOTHING:
                yield main
            else:
                yield from (self._attach_alike if self._alike else self._attach)(make, main, low, high)

    def _attach(self, make: Make, main: list[str], low: int, high: int) -> Iterator[list[str]]:
        units = [unit for unit in self._all_units(make.attached) if not low <= unit[0] <= high]
        used = make.units - 1
        if make.attached == UNLIKE_CARDS and units and units[0][0] == SMALL_JOKER:
            return  # only the jokers are left, which are a pair
        below = [card for rank, cards in units[:used] if rank < low for card in cards]
        above = [card for rank, cards in units[:used] if rank > high for card in cards]
        before = -1
        for rank, cards in units[used:]:
            if rank == before:
                continue
            before = rank
            yield below + cards + main if rank < low else below + main + above + cards

    def _attach_alike(self, make: Make, main: list[str], low: int, high: int) -> Iterator[list[str]]:
        left = [
            group[make.each :] if low <= rank <= high else group for rank, group in enumerate(self._groups)
        ]
        units, used = _units(left, make.attached), make.units - 1
        fixed = [card for _, cards in units[:used] for card in cards]
        for cards in dict(reversed(units[used:])).values():  # the first of each rank
            yield sorted(main + fixed + cards, key=ORDER.__getitem__)

    def _all_units(self, attached: int) -> list[tuple[int, list[str]]]:
        units = self._units.get(attached)
        if units is None:
            self._units[attached] = units = _units(self._groups, attached)
        return units


def _units(groups: list[list[str]], attached: int) -> list[tuple[int, list[str]]]:
    """List what these cards give to attach, with its ranks, low to high; the joker pair stands last."""
    if attached == CARDS:
        return [(rank, [card]) for rank, group in enumerate(groups) for card in group]
    if attached == UNLIKE_CARDS:
        return [(rank, group[:1]) for rank, group in enumerate(groups) if group]
    units = [
        (rank, group[i : i + 2]) for rank, group in enumerate(groups) for i in range(0, len(group) - 1, 2)
    ]
    if groups[SMALL_JOKER] and groups[BIG_JOKER]:
        units.append((SMALL_JOKER, groups[SMALL_JOKER] + groups[BIG_JOKER]))
    return units
