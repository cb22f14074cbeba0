"""Checks of handwritten positions that many games share."""

from collections.abc import Sequence

from referee.engine.position import Position, Zone
from referee.engine.verdicts import Malformed


def require(holds: bool, place: str, detail: str) -> None:
    """Check a condition. Raises Malformed, naming the place, if it does not hold."""
    if not holds:
        raise Malformed(place, detail)


def check_size(place: Zone, size: int) -> None:
    """Check the number of cards in a zone. Raises Malformed."""
    if len(place) != size:
        raise Malformed(f"zones.{place.name}", f"must hold {size} cards at this point of the hand")


def check_trick(state: Position, trick: Zone, hands: Sequence[Zone], leader: int, size: int) -> None:
    """Check that a trick is not full and how many cards each seat holds.

    `size` is the number of cards that everybody holds before a trick; a seat that has played to it holds one
    less.

    Raises Malformed.
    """
    seats, played = state.seats, len(trick)
    if played >= seats:
        raise Malformed(f"zones.{trick.name}", f"holds {seats - 1} cards at most")
    for i in range(seats):
        check_size(hands[(leader + i) % seats], size - 1 if i < played else size)


def check_whole_tricks(state: Position, piles: Sequence[Zone]) -> None:
    """Check that seats have won only whole tricks. Raises Malformed."""
    for pile in piles:
        if len(pile) % state.seats:
            raise Malformed(f"zones.{pile.name}", f"must hold whole tricks, {state.seats} cards each")


def check_team_scores(state: Position) -> None:
    """Check that team mates have equal scores. Raises Malformed."""
    scores, team = state.scores, state.ruleset.team
    if any(scores[mate] != scores[seat] for seat in range(state.seats) for mate in team(state, seat)):
        raise Malformed("scores", "team mates carry the same number")
