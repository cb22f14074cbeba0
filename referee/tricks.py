"""What trick games with trumps share: what the suit led asks for, and which card takes a trick."""

from collections.abc import Callable, Sequence
from typing import NamedTuple


class Led(NamedTuple):
    """What it means that a suit was led."""

    follows: frozenset[str]  # the cards that follow it
    follows_or_trumps: frozenset[str]
    power: Callable[[str], int]  # the card's rank in the trick; 0 takes nothing


def led(deck: Sequence[str], suit: Sequence[str], trumps: Sequence[str]) -> Led:
    """Return what follows a suit and how the cards rank in a trick to which it was led.

    `suit` and `trumps` list cards lowest first; what stands in both is a trump. To lead trumps, give
    them twice.
    """
    plain = [card for card in suit if card not in trumps]
    power = dict.fromkeys(deck, 0)
    power.update({card: i for i, card in enumerate([*plain, *trumps], 1)})
    return Led(frozenset(plain or trumps), frozenset([*plain, *trumps]), power.__getitem__)
