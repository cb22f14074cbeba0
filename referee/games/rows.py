"""The cards of dog cards: their numbers, the places of a row where they fit, what they buy, and their moves.

A row is built from place 1 to 14; a joker may replace any card except a 14.
"""

from collections.abc import Sequence
from typing import Any

from referee.authoring import Zone, cached, fixed

JOKER, ROBBER, LAST, PLAIN = "J", "R", "14", ("2", "3", "4", "5", "6", "7", "8", "9", "10", "12")
FACES = ("1", *PLAIN, "13", LAST, JOKER, ROBBER)
DECK, ORDER = FACES * 8, {face: i for i, face in enumerate(FACES)}
OPEN = 13  # positions of the open row, and the places of a row before the 14
SPOKEN = {**{face: f"a {face}" for face in FACES}, "8": "an 8", JOKER: "a joker", ROBBER: "a robber"}
ANY = tuple(range(1, OPEN + 1))
# The numbers of a card, the places of a row where it fits, and the positions that it buys.
OWN = {face: (int(face),) for face in PLAIN}
BEARS = {**OWN, "1": (1, 11), "13": (13,), LAST: (14,), JOKER: (), ROBBER: ()}
FITS = {**BEARS, "13": (1, 13), JOKER: ANY}
REPLACES = {**FITS, JOKER: ()}  # where a card may be put for a joker: rule swap_fit
BUYS = {**BEARS, "4": ANY[:8], LAST: (), JOKER: ANY}

Begun = list[tuple[int, int, Zone]]  # rows that hold cards: owner, number, row

# Frequent moves, created once, by card.
Moves = dict[str, dict[str, Any]]
GIFTS: Moves = {face: fixed({"type": "give", "card": face}) for face in FACES}
DISCARDS: Moves = {face: fixed({"type": "discard", "card": face}) for face in FACES}
SEARCHES: Moves = {face: fixed({"type": "search", "take": face}) for face in FACES}
LOOKING = fixed({"type": "look"})
PURCHASES = {
    face: [fixed({"type": "buy", "card": face, "position": n}) for n in BUYS[face]] for face in FACES
}


def begun(first: Sequence[Zone], second: Sequence[Zone]) -> Begun:
    """Return the rows that hold cards, with their owners and numbers."""
    found = []
    for owner, row in enumerate(first):
        if row:
            found.append((owner, 1, row))
        if row := second[owner]:
            found.append((owner, 2, row))
    return found


@cached
def lays(ends: tuple[tuple[int, int, int], ...]) -> dict[str, list[dict[str, Any]]]:
    """Return the moves that lay a card at the end of these rows, by card.

    Each row is given as its owner, its number and the number of its cards.
    """
    return {
        face: [
            fixed({"type": "lay", "card": face, "owner": owner, "row": number})
            for owner, number, length in ends
            if length + 1 in FITS[face]
        ]
        for face in FACES
        if any(length + 1 in FITS[face] for _, _, length in ends)
    }
