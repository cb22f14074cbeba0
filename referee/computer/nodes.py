"""Chance as nodes of a game's tree: the caller gives every outcome, and learns how likely each is."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from referee.engine.verdicts import Malformed

Outcome = int | str  # a picked number, or the next card of a shuffle, from the top


class Awaited(Exception):
    """The next outcome has not been given."""


class Outcomes:
    """Chance that gives back the outcomes of one deal or move, and raises Awaited where they end.

    A shuffle is drawn card by card; its last cards follow where all that are left are equal.
    """

    __slots__ = ("_before", "_begun", "_given", "_left", "_place", "_range", "drawn")

    def __init__(self) -> None:
        self.drawn = 0
        self._before = 0  # outcomes before this deal or move
        self._place = 0
        self._given: list[Any] = []
        self._range = 0  # of the pick that is awaited; 0: a card of a shuffle is
        self._left: Counter[str] = Counter()  # cards of the shuffle that are not drawn
        self._begun: list[str] = []

    def __copy__(self) -> "Outcomes":
        """Return chance that goes on independently."""
        other = Outcomes()
        other.drawn, other._before, other._place = self.drawn, self._before, self._place
        other._given, other._range = self._given[:], self._range
        other._left, other._begun = self._left.copy(), self._begun[:]
        return other

    def pick(self, n: int) -> int:
        """Return the next number. Raises Awaited."""
        self._range, self._left = n, Counter()
        return int(self._next()) if n > 1 else self._certain(0)

    def shuffle(self, cards: Sequence[str]) -> list[str]:
        """Return the next order. Raises Awaited."""
        self._range, self._left, self._begun = 0, Counter(sorted(cards)), []
        return list(self._next() if len(self._left) > 1 else self._certain(cards))

    @property
    def given(self) -> tuple[list[Any], list[str]]:
        """What is known of this deal or move: whole outcomes, and the first cards of a shuffle."""
        return self._given, self._begun

    def again(self) -> "Outcomes":
        """Return this, to be asked from the beginning of the deal or move."""
        self._place, self.drawn = 0, self._before
        return self

    def done(self) -> None:
        """Begin another move: its outcomes are still to be given."""
        self._given, self._begun, self._before = [], [], self.drawn

    def likely(self) -> list[tuple[Outcome, float]]:
        """Return what may come next, each with its probability."""
        if self._range:
            return [(number, 1 / self._range) for number in range(self._range)]
        left = self._left.total()
        return [(card, number / left) for card, number in self._left.items()]

    def give(self, outcome: Outcome) -> bool:
        """Give the next outcome; return whether that is a pick or completes a shuffle. Raises Malformed."""
        if not any(type(known) is type(outcome) and known == outcome for known, _ in self.likely()):
            raise Malformed("outcome", f"{outcome!r} cannot come next")
        if isinstance(outcome, int):
            self._given.append(outcome)
            return True
        self._begun.append(outcome)
        self._left -= Counter([outcome])
        if len(self._left) > 1:
            return False
        self._given.append([*self._begun, *self._left.elements()])
        return True

    def _next(self) -> Any:
        if self._place == len(self._given):
            raise Awaited
        self._place += 1
        return self._certain(self._given[self._place - 1])

    def _certain(self, outcome: Any) -> Any:
        self.drawn += 1
        return outcome
