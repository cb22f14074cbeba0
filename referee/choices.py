"""Lists of moves that are too long to write out: sets of cards, each created when it is read."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb
from typing import Any, overload

from referee.engine.position import cached


class Sets(Sequence[dict[str, Any]]):
    """Moves of one type that name a set of cards: by size, then in the order of the cards given."""

    __slots__ = ("_cards", "_kind", "_numbers")

    def __init__(self, kind: str, cards: Sequence[str], sizes: range) -> None:
        self._kind = kind
        self._cards = cards
        self._numbers = _numbers(len(cards), sizes)

    def __len__(self) -> int:
        return sum(self._numbers.values())

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self[:])

    @overload
    def __getitem__(self, i: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, i: slice) -> list[dict[str, Any]]: ...
    def __getitem__(self, i: int | slice) -> Any:
        if isinstance(i, slice):  # callers usually read all, and creating all together is faster
            kind, cards, sizes = self._kind, self._cards, self._numbers
            return [{"type": kind, "cards": [*held]} for n in sizes for held in combinations(cards, n)][i]
        left = i + len(self) if i < 0 else i
        for size, number in self._numbers.items():
            if 0 <= left < number:
                return {"type": self._kind, "cards": self._chosen(size, left)}
            left -= number
        raise IndexError(f"there are {len(self)} sets")

    @property
    def kind(self) -> str:
        """The type of the moves."""
        return self._kind

    def following(self, chosen: Sequence[str]) -> tuple[Sequence[str], bool]:
        """Return which cards come next in sets that begin with these, and whether these are a set.

        Equal cards may be there several times.
        """
        cards, size, place = self._cards, len(chosen), 0
        for card in chosen:
            place = cards.index(card, place) + 1
        for number in self._numbers:
            if number > size:
                return cards[place : len(cards) - number + size + 1], size in self._numbers
        return (), size in self._numbers

    def _chosen(self, size: int, place: int) -> list[str]:
        """Return the set of this size at this place."""
        chosen: list[str] = []
        rest = len(self._cards)
        for card in self._cards:
            if size == 0:
                break
            rest -= 1
            with_card = comb(rest, size - 1)
            if place < with_card:
                chosen.append(card)
                size -= 1
            else:
                place -= with_card
        return chosen


@cached
def _numbers(cards: int, sizes: range) -> dict[int, int]:
    """Return how many sets of so many cards there are, by size."""
    return {size: comb(cards, size) for size in sizes if size <= cards}
