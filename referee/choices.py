"""Lists of moves too long to write out: sets of cards, made when somebody asks for one."""

from collections.abc import Iterator, Sequence
from itertools import chain, combinations
from math import comb
from typing import Any, overload


class Sets(Sequence[dict[str, Any]]):
    """Moves of one type that name a set of cards: by size, then in the order of the cards given."""

    __slots__ = ("_cards", "_kind", "_length", "_sizes")

    def __init__(self, kind: str, cards: Sequence[str], sizes: range) -> None:
        self._kind = kind
        self._cards = cards
        self._sizes = sizes
        self._length = sum([comb(len(cards), size) for size in sizes])

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self[:])

    @overload
    def __getitem__(self, i: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, i: slice) -> list[dict[str, Any]]: ...
    def __getitem__(self, i: int | slice) -> Any:
        if isinstance(i, slice):  # a caller that takes several takes them all, which is faster at once
            kind, cards = self._kind, self._cards
            sets = chain.from_iterable([combinations(cards, size) for size in self._sizes])
            return [{"type": kind, "cards": chosen} for chosen in map(list, sets)][i]
        left = i + self._length if i < 0 else i
        if not 0 <= left < self._length:
            raise IndexError(f"there are {self._length} sets")
        for size in self._sizes:
            number = comb(len(self._cards), size)
            if left < number:
                return {"type": self._kind, "cards": self._chosen(size, left)}
            left -= number
        raise AssertionError("the sizes make up the length")

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
