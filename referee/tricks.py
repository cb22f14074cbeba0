"""What trick games with trumps share: what the suit led asks for, and how many cards lie where."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from referee.position import Position, Zone
from referee.verdicts import Malformed


class Led(NamedTuple):
    """What it means that a suit was led."""

    follows: frozenset[str]  # the cards that follow it
    follows_or_trumps: frozenset[str]
    power: Callable[[str], int]  # the card's rank in the trick; 0 takes nothing


def led(deck: Sequence[str], suit: Sequence[str], trumps: Sequence[str]) -> Led:
    """Say what follows a suit and how the cards rank in a trick to which it was led.

    `suit` and `trumps` list cards lowest first; what stands in both is a trump. To lead trumps, give
    them twice.
    """
    plain = [card for card in suit if card not in trumps]
    power = dict.fromkeys(deck, 0)
    power.update({card: i for i, card in enumerate([*plain, *trumps], 1)})
    return Led(frozenset(plain or trumps), frozenset([*plain, *trumps]), power.__getitem__)


def check_to_act(state: Position, due: Sequence[int | None]) -> None:
    """Raise Malformed where the game waits for other seats than those due."""
    if state.to_act != [*due]:
        raise Malformed("to_act", f"must be {[*due]} at this point of the hand")


def check_size(place: Zone, size: int) -> None:
    """Raise Malformed where a zone does not hold as many cards as are due."""
    if len(place) != size:
        raise Malformed(f"zones.{place.name}", f"must hold {size} cards at this point of the hand")


def check_trick(state: Position, trick: Zone, hands: Sequence[Zone], leader: int, size: int) -> None:
    """Check that a trick is not full, whose turn it is and how many cards each seat holds.

    `size` is what everybody holds before a trick; who has played to this one holds one less.

    Raises Malformed.
    """
    seats, played = state.seats, len(trick)
    if played >= seats:
        raise Malformed(f"zones.{trick.name}", f"holds {seats - 1} cards at most")
    check_to_act(state, [(leader + played) % seats])
    for i in range(seats):
        check_size(hands[(leader + i) % seats], size - 1 if i < played else size)
