"""Chance: everything that no seat decides, drawn one outcome after the other.

In a real game, every outcome follows from a secret seed and the seats' entropy, by a documented algorithm; a
scenario may script the outcomes instead.
"""

import hmac
import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from hashlib import sha256
from itertools import count
from struct import Struct
from typing import Any, Protocol

from referee.engine.verdicts import ChanceExhausted, Malformed

Below = Callable[[int], int]  # picks a number from 0 to n - 1
MAX_ENTROPY = 64
_HEX = re.compile("(?:[0-9a-fA-F]{2})*").fullmatch
WORDS = 2**32
_WORDS_OF = Struct(">8I").unpack
_PLACE = Struct(">2I").pack  # number of the outcome, number of its block
_INNER, _OUTER = (bytes(byte ^ pad for byte in range(256)) for pad in (0x36, 0x5C))


class Chance(Protocol):
    """A source of outcomes; `drawn` counts them from the start of the game."""

    drawn: int

    def pick(self, n: int) -> int:
        """Draw a number from 0 to n-1."""

    def shuffle(self, cards: Sequence[str]) -> list[str]:
        """Draw an order of exactly these cards, top first."""


def commitment(seed: bytes) -> str:
    """Return the commitment, published before the first player joins: SHA-256 of the seed, in hex."""
    return sha256(seed).hexdigest()


def game_key(seed: bytes, entropy: Sequence[str]) -> bytes:
    """Mix the seed with the entropy of each seat, in seat order, into the 32-byte key of the game.

    `entropy` has one string for each seat, which is empty if the seat gave none.

    Raises Malformed if an entropy is longer than 64 bytes.
    """
    message = b"card-referee/1"
    for seat, text in enumerate(entropy):
        try:
            given = text.encode()
        except UnicodeEncodeError:
            raise Malformed(f"entropy[{seat}]", "must be text that UTF-8 can carry") from None
        if len(given) > MAX_ENTROPY:
            raise Malformed(f"entropy[{seat}]", f"must be at most {MAX_ENTROPY} bytes, not {len(given)}")
        message += bytes([len(given)]) + given
    return hmac.digest(seed, message, "sha256")


class Seeded:
    """Outcomes derived from the game's key; the k-th depends only on the key and on k."""

    __slots__ = ("_inner", "_key", "_outer", "drawn")

    def __init__(self, key: bytes, drawn: int = 0) -> None:
        # HMAC-SHA-256 written out and keyed once: copying both hashes is cheaper than the library's copy.
        self._key = key
        padded = key.ljust(64, b"\0")
        self._inner = sha256(padded.translate(_INNER))
        self._outer = sha256(padded.translate(_OUTER))
        self.drawn = drawn

    @classmethod
    def from_seed(cls, seed: bytes, entropy: Sequence[str], drawn: int = 0) -> "Seeded":
        """Start from a seed and the seats' entropy, after `drawn` outcomes."""
        return cls(game_key(seed, entropy), drawn)

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle without the hashes, which cannot be."""
        return type(self), (self._key, self.drawn)

    def pick(self, n: int) -> int:
        """Draw a number from 0 to n-1."""
        fair = WORDS - WORDS % n
        number = next(word for block in count() for word in self._words(block) if word < fair) % n
        self.drawn += 1
        return number

    def shuffle(self, cards: Sequence[str]) -> list[str]:
        """Draw an order of the cards, whose own order does not matter."""
        order = list(in_order(cards))
        left = len(order)
        fair = _fair(left)
        block = 0
        while left > 1:
            for word in self._words(block):
                if word < fair[left]:
                    j = word % left
                    left -= 1
                    order[left], order[j] = order[j], order[left]
                    if left == 1:
                        break
            block += 1
        self.drawn += 1
        return order

    def _words(self, block: int) -> tuple[int, ...]:
        """Return eight words of the current outcome."""
        inner, outer = self._inner.copy(), self._outer.copy()
        inner.update(_PLACE(self.drawn, block))
        outer.update(inner.digest())
        return _WORDS_OF(outer.digest())


def in_order(cards: Sequence[str]) -> Sequence[str]:
    """Return the cards sorted; the result is cached for a whole deck, which is a tuple."""
    return _decks(cards) if type(cards) is tuple else sorted(cards)


@lru_cache(maxsize=256)
def _decks(cards: tuple[str, ...]) -> list[str]:
    return sorted(cards)


@lru_cache(maxsize=256)
def _fair(size: int) -> list[int]:
    """Return, by number of choices, the limit below which a word is fair; others favour small numbers."""
    return [WORDS, *(WORDS - WORDS % n for n in range(1, size + 1))]


class Noted(Seeded):
    """Seeded chance that records each outcome: `{"shuffle": [cards]}`, or `{"pick": k, "of": n}`."""

    __slots__ = ("outcomes",)

    def __init__(self, key: bytes, drawn: int = 0) -> None:
        super().__init__(key, drawn)
        self.outcomes: list[dict[str, Any]] = []

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle with what was drawn so far; a copy adds to a list of its own."""
        return *super().__reduce__(), (None, {"outcomes": [*self.outcomes]})

    def pick(self, n: int) -> int:
        """Draw a number from 0 to n-1 and record it."""
        number = super().pick(n)
        self.outcomes.append({"pick": number, "of": n})
        return number

    def shuffle(self, cards: Sequence[str]) -> list[str]:
        """Draw an order of the cards and record it."""
        order = super().shuffle(cards)
        self.outcomes.append({"shuffle": list(order)})
        return order


class Scripted:
    """Outcomes written down in advance, `[{"pick": k}, {"shuffle": [...]}]`; `then` gives the rest."""

    __slots__ = ("_outcomes", "_seeded", "_then", "drawn")

    def __init__(self, outcomes: object, then: Callable[[], Seeded] | None = None) -> None:
        if type(outcomes) is not list:
            raise Malformed("chance", "must be a list of outcomes")
        self._outcomes = outcomes
        self._then = then
        self._seeded: Seeded | None = None
        self.drawn = 0

    def pick(self, n: int) -> int:
        """Take the next pick. Raises Malformed if it is scripted and not from 0 to n-1."""
        if self.drawn >= len(self._outcomes):
            return self._beyond("pick").pick(n)
        number = self._written("pick")
        if type(number) is not int or not 0 <= number < n:
            raise Malformed(f"chance[{self.drawn}].pick", f"must be an integer from 0 to {n - 1}")
        self.drawn += 1
        return number

    def shuffle(self, cards: Sequence[str]) -> list[str]:
        """Take the next shuffle. Raises Malformed if it is scripted and does not have exactly these cards."""
        if self.drawn >= len(self._outcomes):
            return self._beyond("shuffle").shuffle(cards)
        order = self._written("shuffle")
        place = f"chance[{self.drawn}].shuffle"
        if type(order) is not list or not all(type(card) is str for card in order):
            raise Malformed(place, "must be a list of cards")
        if Counter(order) != Counter(cards):
            raise Malformed(place, "must hold exactly the cards that are shuffled")
        self.drawn += 1
        return list(order)

    def _written(self, kind: str) -> Any:
        outcome = self._outcomes[self.drawn]
        if type(outcome) is not dict or outcome.keys() != {kind}:
            raise Malformed(f"chance[{self.drawn}]", f"the next outcome drawn is a {kind}")
        return outcome[kind]

    def _beyond(self, kind: str) -> Seeded:
        if self._then is None:
            raise ChanceExhausted("chance", f"a {kind} must be drawn and no outcome is left")
        if self._seeded is None:  # created only when needed, because most moves draw nothing
            self._seeded = self._then()
        self._seeded.drawn = self.drawn
        self.drawn += 1
        return self._seeded


def seed_bytes(text: object, place: str = "seed") -> bytes:
    """Read a seed written in hex, of any length. Raises Malformed."""
    if type(text) is not str or not _HEX(text):
        raise Malformed(place, "must be hex digits, two a byte")
    return bytes.fromhex(text)
