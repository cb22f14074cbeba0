"""What trick-taking games with trumps share: which cards follow suit, and which card takes a trick."""

from collections.abc import Callable, Sequence
from typing import NamedTuple


class Led(NamedTuple):
    """The consequences of the suit that was led."""

    follows: frozenset[str]  # the cards that follow it
    follows_or_trumps: frozenset[str]
    power: Callable[[str], int]  # the card's rank in the trick; 0 takes nothing


def led(deck: Sequence[str], suit: Sequence[str], trumps: Sequence[str]) -> Led:
    """Return which cards follow a suit, and how cards rank in a trick in which it was led.

    `suit` and `trumps` list cards, lowest first; a card in both is a trump. If trumps were led, pass them
    twice.
    """
    plain = [card for card in suit if card not in trumps]
    power = dict.fromkeys(deck, 0)
    power.update({card: i for i, card in enumerate([*plain, *trumps], 1)})
    return Led(frozenset(plain or trumps), frozenset([*plain, *trumps]), power.__getitem__)
