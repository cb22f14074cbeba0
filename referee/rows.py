"""The cards of dog cards: their numbers, the places of a row where they fit, and what they buy.

A row is built from place 1 to 14; a joker may replace any card except a 14.
"""

from typing import Any

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
BUYS = {**BEARS, "4": ANY[:8], LAST: (), JOKER: ANY}

# Frequent moves, created once: by card, and for a row by card, owner and row.
Moves = dict[Any, dict[str, Any]]
GIFTS: Moves = {face: {"type": "give", "card": face} for face in FACES}
DISCARDS: Moves = {face: {"type": "discard", "card": face} for face in FACES}
PURCHASES = {face: [{"type": "buy", "card": face, "position": n} for n in BUYS[face]] for face in FACES}
PLACES = [(face, owner, row) for face in FACES for owner in range(4) for row in (1, 2)]
LAYS: Moves = {(c, o, n): {"type": "lay", "card": c, "owner": o, "row": n} for c, o, n in PLACES}
